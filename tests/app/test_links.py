"""Links: what stands in the address, and every page opening from it as the first request."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from memguard.eliminator import Elimination
from memguard.errors import ModelUnavailableError
from memguard.settings import Settings
from pages._ui import links, resources, shell, state
from tests.app.conftest import ROOT, TALK, Fakes, html, paste
from tests.app.test_pipeline_page import trace_of, widget

PAGES = sorted(path.name for path in (ROOT / "pages").glob("*.py") if path.name != "__init__.py")
SAMPLE = "project_meeting"


@pytest.fixture(autouse=True)
def _no_weights(fakes: Fakes, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a page embeds besides the run is embedded by the fake as well."""
    monkeypatch.setattr(resources, "embedder", lambda: fakes.embedder)


def opened(page: str, **address: str) -> AppTest:
    """Open a page by its link, as the first request of a session."""
    at = AppTest.from_file(str(ROOT / "pages" / page), default_timeout=60)
    for name, value in address.items():
        at.query_params[name] = value
    return at.run()


def address(at: AppTest) -> dict[str, str]:
    """Return the parameters that the address has now; those given are texts, those written lists."""
    return {n: v if isinstance(v, str) else v[-1] for n, v in at.query_params.items()}


def test_the_navigation_holds_every_page() -> None:
    """A page that is in no navigation could be opened by no link."""
    assert sorted(file.name for file, _title, _icon in shell._PAGES) == PAGES


def test_settings_come_back_from_their_own_link() -> None:
    settings = (
        Settings()
        .with_value("elimination.min_similarity", 0.7)
        .with_value("compression.summarizer", "extractive")
        .with_value("reconstruction.payload_tokens", 90)
        .with_value("seed", 7)
    )

    written = {name: value for name, value in links.written(settings).items() if value is not None}

    assert written["elimination.min_similarity"] == "0.7"
    assert len(written) == 4
    assert links.read(written, [SAMPLE]).settings == settings
    assert not any(value for value in links.written(Settings()).values())


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"sample": "../../secret.json"}, "names no sample"),
        ({"sample": "<script>"}, "names no sample"),
        ({"elimination.min_similarity": "7"}, "must be a number from -1 to 1"),
        ({"elimination.min_similarity": "nan"}, "must be a number from -1 to 1"),
        ({"elimination.min_similarity": "high"}, "must be a number"),
        ({"compression.window": "2.5"}, "must be a whole number"),
        ({"compression.summarizer": "/etc/passwd"}, "must be one of auto"),
        ({"elimination.calibrated_for": "/models/x"}, "no setting of this name"),
        ({"limits.file_mb": "4000"}, "no setting of this name"),
        ({"elimination.nothing": "1"}, "no setting of this name"),
        ({"seed": "-1"}, "must be a whole number from 0"),
        ({"stages": "9"}, "must be 0, 1, 2 or 3"),
        ({"view": "x" * 500}, "names no picture"),
        ({"show": "all"}, "names nothing"),
    ],
)
def test_what_a_link_cannot_have_is_said_and_the_default_stands(given: dict[str, str], said: str) -> None:
    link = links.read(given, [SAMPLE])

    assert said in link.complaints[0]
    assert len(link.complaints) == 1
    assert len(link.complaints[0]) < 200
    assert link.settings == Settings()
    assert (link.sample, link.stages, link.view, link.show) == (None, 0, "map", "stages")


@pytest.mark.parametrize("page", PAGES)
def test_every_page_opens_from_a_link_as_the_first_request(fakes: Fakes, page: str) -> None:
    """The sample, the settings, the stages and the claim are there, and the address still says so."""
    given = {"sample": SAMPLE, "elimination.min_similarity": "0.35", "stages": "3", "claim": "c2"}

    at = opened(page, **given)

    assert not at.exception
    assert not at.error
    trace = trace_of(at)
    assert trace.conversation == resources.samples()[SAMPLE].conversation
    assert trace.settings == Settings().with_value("elimination.min_similarity", 0.35)
    assert len(trace.results) == 3
    assert at.session_state["memguard"].selected == "c2"
    assert address(at).items() >= given.items()


@pytest.mark.parametrize("page", PAGES)
def test_every_page_has_its_head_before_a_stage_has_run(fakes: Fakes, page: str) -> None:
    at = opened(page)

    assert not at.exception
    title = re.search(r'<div class="mg-title">(.*?)</div>', html(at))
    assert title is not None
    if page != "memory.py":  # which is of no conversation
        assert resources.samples()[state.OPENING].title in title[1]


@pytest.mark.parametrize("page", PAGES)
def test_every_page_survives_a_bad_link(fakes: Fakes, page: str) -> None:
    at = opened(
        page,
        **{"sample": "../x", "stages": "many", "elimination.min_support": "[x](javascript:1)", "claim": "c1"},
    )

    assert not at.exception
    assert trace_of(at).settings == Settings()
    assert trace_of(at).results == ()
    assert {"stages", "claim", "elimination.min_support"}.isdisjoint(address(at))
    assert address(at)["sample"] == state.OPENING


@pytest.mark.parametrize(
    ("page", "given", "said"),
    [
        ("dropped.py", {"reason": "<b>"}, "must be one of similarity_below_minimum"),
        ("dropped.py", {"sort": "zz", "kept": "yes"}, "must be one of nearest, furthest, summary"),
        ("tuning.py", {"over": "all"}, "must be one of conversation, samples"),
        ("tuning.py", {"cost": "9" * 5_000}, "must be a whole number from 1 to 20"),
        ("tuning.py", {"cost": "²"}, "must be a whole number from 1 to 20"),
        (
            "tuning.py",
            {"pin": "balanced:nan:0.5"},
            "must be a preset and two minimums",
        ),
        ("map.py", {"picture": "3d", "colour": "red"}, "must be one of map, shaping, replay"),
        ("map.py", {"neighbours": "9" * 5_000}, "must be a whole number from 1 to 15"),
        ("map.py", {"point": "../../secret"}, "names no sentence"),
        ("drift_lab.py", {"mode": "win", "kind": "*any*"}, "must be one of inject, rates, game"),
        ("drift_lab.py", {"round": "9" * 5_000}, "must be a whole number from 0 to 9,999"),
        ("memory.py", {"panel": "all", "cosine": "nan"}, "must be a number from 0.70 to 1.00"),
    ],
)
def test_what_a_page_cannot_follow_is_said_there(
    fakes: Fakes, page: str, given: dict[str, str], said: str
) -> None:
    """A page's own parameters fall back in words, as those that all pages share do."""
    at = opened(page, sample=SAMPLE, stages="3", **given)

    assert not at.exception
    told = "\n".join(note.value for note in at.info)
    assert told.count("is not possible") + told.count("names no") == len(given)
    assert said in re.sub(r"\\(.)", r"\1", told)
    assert len(told) < 900
    assert set(given).isdisjoint(address(at))


def test_a_bad_link_is_said_on_the_page_with_its_text_escaped(fakes: Fakes) -> None:
    at = opened("pipeline.py", sample="**bold** $a$ :red[x]", stages="1", claim="c99")

    said = at.info[0].value
    assert "\\*\\*bold\\*\\*" in said
    assert "names no sample" in said
    assert "the claim “c99”" in said.replace("\\", "")
    assert len(trace_of(at).results) == 1


def test_a_link_with_very_many_faults_names_the_first_few(fakes: Fakes) -> None:
    at = opened("pipeline.py", **{f"elimination.x{n}": "1" for n in range(40)})

    assert "And 37 more." in at.info[0].value
    assert len(at.info[0].value) < 700


def test_a_link_that_asks_for_two_stages_runs_two(fakes: Fakes) -> None:
    at = opened("pipeline.py", sample=SAMPLE, stages="2")

    assert len(trace_of(at).results) == 2
    at.button(key="step").click().run()
    assert len(trace_of(at).results) == 3
    assert address(at)["stages"] == "3"


def test_the_address_follows_what_is_done(app: AppTest) -> None:
    assert address(app) == {"sample": state.OPENING}
    app.button(key="finish").click().run()
    assert address(app)["stages"] == "3"
    widget(app, "slider", "elimination.min_similarity").set_value(0.45).run()
    assert address(app)["elimination.min_similarity"] == "0.45"
    app.button(key="defaults").click().run()
    assert "elimination.min_similarity" not in address(app)
    app.button(key="back").click().run()
    assert address(app)["stages"] == "2"
    app.button(key="reset").click().run()
    assert address(app) == {"sample": state.OPENING}


def test_a_link_of_the_two_sides_opens_them(fakes: Fakes) -> None:
    at = opened("pipeline.py", stages="3", show="compare")

    assert "Without MemGuard" in html(at)
    assert address(at)["show"] == "compare"


def test_an_upload_is_in_no_link_and_the_page_says_so(app: AppTest) -> None:
    paste(app, json.dumps(TALK))
    app.button(key="finish").click().run()
    widget(app, "slider", "elimination.min_similarity").set_value(0.45).run()

    assert address(app) == {"elimination.min_similarity": "0.45"}
    assert "stays in this session" in html(app)
    assert "A link opens the sample" in html(app)


def test_a_page_switch_writes_the_link_again(app: AppTest) -> None:
    """Streamlit clears the parameters of the address when the page changes."""
    app.button(key="finish").click().run()
    app.query_params.clear()

    app.switch_page("pages/audit.py").run()

    assert address(app).items() >= {"sample": state.OPENING, "stages": "3"}.items()


def test_a_link_is_read_once(app: AppTest) -> None:
    """What a person has chosen since is not undone by the address of before."""
    app.query_params["sample"] = SAMPLE
    app.query_params["compression.window"] = "5"
    app.run()

    assert trace_of(app).conversation == resources.samples()[state.OPENING].conversation
    assert address(app) == {"sample": state.OPENING}


def test_a_missing_model_under_a_link_says_what_to_do(fakes: Fakes) -> None:
    fakes.fails = ModelUnavailableError("all-mpnet-base-v2 is not installed; run: memguard setup")

    at = opened("audit.py", stages="3")

    assert not at.exception
    assert "memguard setup" in at.error[0].value
    assert trace_of(at).results == ()


def test_a_link_reads_no_file(fakes: Fakes, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A path in a link is a name that no sample has."""
    secret = tmp_path / "secret.json"
    secret.write_text('[{"role": "user", "content": "the vault code is 4711"}]', "utf-8")
    resources.samples()
    touched: list[str] = []
    usual = Path.open
    monkeypatch.setattr(Path, "open", lambda self, *a, **k: touched.append(str(self)) or usual(self, *a, **k))

    for value in (str(secret), f"file://{secret}", f"../../../..{secret}"):
        at = opened("pipeline.py", sample=value, stages="1")
        assert not at.exception
        assert "4711" not in str(trace_of(at).conversation)
    assert str(secret) not in touched


def test_the_selected_claim_is_in_the_link_and_goes_with_its_stage(fakes: Fakes) -> None:
    at = opened("pipeline.py", sample=SAMPLE, stages="2", claim="c1")
    assert at.session_state["memguard"].selected == trace_of(at)[Elimination].verdicts[0].claim.id
    assert address(at)["claim"] == "c1"

    at.button(key="reset").click().run()
    assert "claim" not in address(at)
