"""Every piece of code in docs/integrations.md and docs/http.md runs and does what the page says."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell
from langchain_core.messages import AIMessage, convert_to_messages
from starlette.testclient import TestClient
from traitlets.config import Config

from memguard import cli
from memguard.cli.codes import DROPPED
from memguard.models import loading
from memguard.server.http import http_app
from memguard.server.http_address import HttpAddress
from memguard.server.http_problems import KINDS
from memguard.server.http_turns import HttpLimits
from memguard.server.http_work import HttpTools
from memguard.server.work import MOST_CHARS, MOST_MESSAGES, MOST_SUMMARY_CHARS
from tests.fakes import FakeCounter, FakeEmbedder, FakeSummarizer
from tests.integrations.histories import FACTS, long_history
from tests.integrations.test_langchain import Plain, ScriptedModel
from tests.integrations.test_openai_client import completion
from tests.integrations.test_pytest_plugin import FAKES, LOADED
from tests.unit.memory.loopback import clean_environment, serving

pytest_plugins = ["pytester"]

DOCS = Path(__file__).resolve().parents[2] / "docs"
MESSAGES = [{"id": "m1", "content": "The deposit is 400 euros."}]


def pieces(page: str, heading: str, language: str) -> list[str]:
    """Return the pieces of code of one section."""
    text = (DOCS / page).read_text(encoding="utf-8")
    section = re.search(rf"^## {re.escape(heading)}$(.*?)(?=^## |\Z)", text, re.DOTALL | re.MULTILINE)
    assert section is not None, heading
    return re.findall(rf"^```{language}\n(.*?)^```$", section[1], re.DOTALL | re.MULTILINE)


@pytest.fixture(autouse=True)
def fakes(monkeypatch):
    embedder = FakeEmbedder(dimension=768)
    monkeypatch.setattr(loading, "load_embedder", lambda *_a, **_k: embedder)
    monkeypatch.setattr(loading, "load_summarizer", lambda *_a, **_k: FakeSummarizer(" ".join(FACTS)))
    monkeypatch.setattr(loading, "load_counter", FakeCounter)
    clean_environment(monkeypatch)


def executed(code: str, **names: Any) -> dict[str, Any]:
    """Run a piece of code with these names and return what it leaves."""
    exec(compile(code, "docs", "exec"), names)  # noqa: S102  the page's own code
    return names


def test_the_langchain_middleware_of_the_page():
    middleware, _ = pieces("integrations.md", "LangChain and LangGraph", "python")
    model = ScriptedModel(answers=[AIMessage("It is 400 euros.")])

    left = executed(middleware, model=model, tools=[], messages=convert_to_messages(long_history(200)))

    assert len(model.asked[0]) < 30
    assert re.fullmatch("[0-9a-f]{64}", left["state"]["memguard_audit"][-1]["hash"])
    assert left["state"]["memguard_history"]
    assert left["state"]["memguard_warning"] == ""


def test_the_langchain_history_of_the_page():
    _, code = pieces("integrations.md", "LangChain and LangGraph", "python")
    history = Plain()
    history.add_messages(convert_to_messages(long_history(200)))

    short = executed(code, history=history)["short"]

    assert len(short.messages) < 30 < len(short.raw_messages)


def test_the_client_of_the_page(monkeypatch):
    call, alone = pieces("integrations.md", "An OpenAI-compatible client", "python")
    with serving(completion("It is 400 euros.")) as provider:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{provider.url}/v1")
        monkeypatch.setenv("OPENAI_API_KEY", "key")
        left = executed(call, messages=long_history(200))
        left["client"].client.close()

    assert left["answer"].context.is_compressed
    assert executed(alone, messages=long_history(200))["context"].is_compressed


def test_the_frames_of_the_page():
    [code] = pieces("integrations.md", "pandas", "python")

    left = executed(code, summary="The deposit is 500 euros.", messages=MESSAGES)

    assert left["dropped"].message_id.tolist() == ["m1"]
    assert len(left["chain"]) > 3


def test_the_notebook_of_the_page(tmp_path, monkeypatch):
    [code] = pieces("integrations.md", "Jupyter", "ipython")
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    config = Config()
    config.HistoryManager.enabled = False
    InteractiveShell.clear_instance()
    shell = InteractiveShell.instance(config=config)
    shell.user_ns.update(summary="The deposit is 500 euros.", messages=MESSAGES)

    done = shell.run_cell(code)
    data, _ = shell.display_formatter.format(done.result)
    InteractiveShell.clear_instance()

    done.raise_error()
    assert "dropped, contradicted by m1" in data["text/html"]


def test_the_test_of_the_page(pytester):
    [code] = pieces("integrations.md", "pytest", "python")
    pytester.makeconftest(FAKES)
    pytester.makepyfile(code)

    pytester.runpytest_inprocess(*LOADED, "-p", "no:cacheprovider").assert_outcomes(passed=1)


def test_the_build_step_of_the_page(tmp_path, monkeypatch, capsys):
    [step] = pieces("integrations.md", "A build that fails when summaries drift", "yaml")
    (tmp_path / "chat.json").write_text(json.dumps(MESSAGES), encoding="utf-8")
    (tmp_path / "summary.txt").write_text("The deposit is 500 euros.", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    program, *arguments = shlex.split(step.removeprefix("- run: "))

    assert program == "memguard"
    assert cli.main(arguments) == DROPPED
    assert capsys.readouterr().out.startswith("::error file=summary.txt,line=1,")
    assert (tmp_path / "junit.xml").is_file()


def test_the_request_of_the_http_page_is_answered():
    text = (DOCS / "http.md").read_text(encoding="utf-8")
    request = re.search(r"^curl -s (\S+) -H '([^']+)' -d '(\{.*?\})'$", text, re.DOTALL | re.MULTILINE)
    assert request is not None
    name, _, value = request[2].partition(": ")
    with TestClient(http_app(HttpTools(), HttpAddress(), HttpLimits())) as client:
        answer = client.post(request[1], content=request[3], headers={name: value})

    assert answer.json()["claims"][0]["label"] == "contradicted"


def test_the_http_page_tells_every_path_and_every_error():
    text = (DOCS / "http.md").read_text(encoding="utf-8")
    app = http_app(HttpTools(), HttpAddress(), HttpLimits())

    for path, methods in app.openapi()["paths"].items():
        assert all(f"`{method.upper()} {path}`" in text for method in methods)
    for kind in KINDS:
        assert re.search(rf"^\| [^|]*{kind.status}[^|]*\|[^|]*`{kind.code}`", text, re.MULTILINE), kind.code


def test_the_http_page_tells_the_limits_that_hold():
    text = (DOCS / "http.md").read_text(encoding="utf-8")
    limits = HttpLimits()

    for told in (
        f"| {limits.body_bytes // 2**20} MiB |",
        f"| {limits.time_s:.0f} seconds | `--time-limit` |",
        f"more than {limits.body_time_s:.0f} seconds",
        f"| {limits.at_once} | `--at-once` |",
        f"| {limits.waiting} | `--waiting` |",
        f"bodies may arrive at once | {limits.arriving} |",
        f"| {MOST_MESSAGES:,}, and {MOST_CHARS:,} characters",
        f"| {MOST_SUMMARY_CHARS:,} characters |",
    ):
        assert told in text, told
