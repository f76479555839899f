"""The wrapper of an OpenAI-compatible client: the real package against a loopback server."""

from __future__ import annotations

import asyncio
import copy
import json
import logging
import re
from collections.abc import Callable, Iterator
from typing import Any

import openai
import pytest

from memguard import audit
from memguard.errors import InvalidParameterError
from memguard.integrations.openai_client import AsyncCompressingClient, CompressingClient, ContextWindow
from memguard.payload import payload_messages
from tests.fakes import FakeEmbedder, FakeSummarizer
from tests.integrations.histories import FACTS, SYSTEM, call, long_history, summarising
from tests.support import guard
from tests.unit.memory.loopback import Provider, clean_environment, sends, serving

LIMIT = 150


def completion(text: str) -> Callable[[Any], None]:
    """Answer as the API does."""
    body = {
        "id": "c1",
        "object": "chat.completion",
        "created": 1,
        "model": "some-model",
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}],
    }
    return sends(json.dumps(body).encode(), Content_Type="application/json")


def streamed(*texts: str) -> Callable[[Any], None]:
    """Answer with one event a text."""
    chunks = [
        {
            "id": "c1",
            "object": "chat.completion.chunk",
            "created": 1,
            "model": "some-model",
            "choices": [{"index": 0, "delta": {"content": text}}],
        }
        for text in texts
    ]
    lines = [f"data: {json.dumps(chunk)}\n\n" for chunk in chunks] + ["data: [DONE]\n\n"]
    return sends("".join(lines).encode(), Content_Type="text/event-stream")


@pytest.fixture
def provider(monkeypatch) -> Iterator[Provider]:
    clean_environment(monkeypatch)
    with serving(completion("It is 400 euros.")) as made:
        yield made


@pytest.fixture
def real(provider) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=f"{provider.url}/v1", api_key="key", max_retries=0) as made:
        yield made


def sent(provider: Provider, number: int = -1) -> list[dict[str, Any]]:
    """Return the messages of a request as they came over the wire."""
    found: list[dict[str, Any]] = provider.asked[number].body["messages"]
    return found


def test_a_long_history_is_compressed_and_the_answer_holds_the_audit(provider, real):
    history = long_history()
    before = copy.deepcopy(history)
    client = CompressingClient(real, limit_tokens=LIMIT, keep_last=3, guard=summarising())

    answer = client.create(model="some-model", messages=history, temperature=0)

    front, payload, *tail = sent(provider)
    assert answer.response.choices[0].message.content == "It is 400 euros."
    assert front == SYSTEM
    assert payload["role"] == "user"  # words of a transcript gain no authority of instructions
    assert re.search(r"^m3: The offsite moved to March 19\.$", payload["content"], re.MULTILINE)
    assert "yacht" not in payload["content"]
    assert tail == history[-3:]
    assert provider.asked[0].body["temperature"] == 0
    assert history == before
    context = answer.context
    assert context.is_compressed
    told = payload_messages(context.trace)
    assert told[0]["content"] == payload["content"]
    assert [message["role"] for message in told[1:]] == [message["role"] for message in tail]
    assert context.tokens <= LIMIT < context.tokens_given
    assert audit.verify_text(audit.dumps(context.audit)).intact
    assert context.trace is not None
    assert len(context.trace.conversation) == len(history) - 1


def test_a_short_history_is_sent_as_it_is_and_no_model_runs(provider, real):
    embedder = FakeEmbedder(dimension=768)
    history = [SYSTEM, {"role": "user", "content": FACTS[0]}]
    client = CompressingClient(real, limit_tokens=LIMIT, guard=summarising(embedder=embedder))

    answer = client.create(model="some-model", messages=history)

    assert sent(provider) == history
    assert not answer.context.is_compressed
    assert answer.context.audit == ()
    assert embedder.calls == []


@pytest.mark.parametrize("keep_last", [1, 2, 3, 4, 5])
def test_a_tool_call_is_never_parted_from_its_result(keep_last):
    history = [*long_history(), *call(8), *call(9)]
    window = ContextWindow(limit_tokens=LIMIT, keep_last=keep_last, guard=summarising())

    kept = window.context(history).messages

    called: set[str] = set()
    for message in kept:
        called |= {one["id"] for one in message.get("tool_calls") or ()}
        if message["role"] == "tool":
            assert message["tool_call_id"] in called
    assert len(kept) < len(history)
    assert kept[-keep_last:] == history[-keep_last:]


def test_the_tail_is_made_shorter_where_it_alone_would_pass_the_limit():
    window = ContextWindow(limit_tokens=LIMIT, keep_last=40, guard=summarising())

    context = window.context(long_history())

    assert context.is_compressed
    assert context.tokens <= LIMIT


class Broken:
    """A summarizer that fails."""

    model_id = "broken@1"

    def summarize(self, lines: Any, *, max_tokens: int, progress: Any = None) -> str:
        raise OSError("the disk is gone")


def test_on_a_failure_the_history_is_sent_as_it_was_given(provider, real, caplog):
    history = long_history()
    client = CompressingClient(real, limit_tokens=LIMIT, guard=summarising(summarizer=Broken()))

    with caplog.at_level(logging.WARNING, "memguard.integrations"):
        answer = client.create(model="some-model", messages=history)

    assert sent(provider) == history
    assert "compression failed" in answer.context.warning
    assert "the disk is gone" in caplog.text
    assert answer.context.tokens == answer.context.tokens_given > LIMIT


@pytest.mark.parametrize(
    ("history", "told"),
    [
        ([{"role": "user", "content": "word " * 400}], "nothing before the recent messages"),
        ([SYSTEM, {"role": "user", "content": "word " * 400}], "nothing before the recent messages"),
        (
            [{"role": "user", "content": FACTS[0]}, {"role": "user", "content": "word " * 400}],
            "leave no room for a payload",
        ),
        ([{"role": "user", "content": 7}], "content must be"),
        ([object()], "must be a dict"),
    ],
)
def test_what_cannot_be_made_shorter_is_sent_as_it_is_and_says_why(history, told):
    context = ContextWindow(limit_tokens=LIMIT, guard=summarising()).context(history)

    assert context.messages == history
    assert told in context.warning


def test_messages_of_the_api_are_taken_as_they_are(provider, real):
    client = CompressingClient(real, limit_tokens=LIMIT, keep_last=2, guard=summarising())
    first = client.create(model="some-model", messages=long_history())
    reply = first.response.choices[0].message
    history = [*long_history(), reply, {"role": "user", "content": "And the offsite?"}]

    client.create(model="some-model", messages=history)

    assert sent(provider)[-2]["content"] == "It is 400 euros."
    assert sent(provider)[-1] == history[-1]


def test_a_history_that_grows_is_worked_on_only_where_it_is_new():
    embedder, summarizer = FakeEmbedder(dimension=768), FakeSummarizer(" ".join(FACTS))
    window = ContextWindow(
        limit_tokens=LIMIT, keep_last=2, guard=guard(embedder=embedder, summarizer=summarizer)
    )
    history = long_history()
    first = window.context(history)
    read = {line for lines, _ in summarizer.calls for line in lines}
    history += [
        {"role": "assistant", "content": "It is 400 euros, payable by card."},
        {"role": "user", "content": "Cash was agreed with Paul, 300 euros of it, on Monday."},
        {"role": "user", "content": "Thank you, that settles the matter of the deposit then."},
        {"role": "user", "content": "What else is open?"},
    ]
    summarizer.calls.clear()

    second = window.context(history)

    assert first.is_compressed
    assert second.is_compressed
    assert second.messages[-2:] == history[-2:]
    again = {line for lines, _ in summarizer.calls for line in lines} & read
    assert not again
    assert second.trace is not None
    assert [m.content for m in second.trace.conversation][-1] == "What else is open?"


def test_evidence_is_the_raw_history_after_many_rounds():
    """Never a summary of a summary: every round cites messages of the raw history alone."""
    window = ContextWindow(limit_tokens=LIMIT, keep_last=2, guard=summarising())
    history = long_history()
    for number in range(4):
        context = window.context(history)
        history += [{"role": "user", "content": f"Order {number} was sent to Lyon on Tuesday at noon."}] * 2

    assert context.trace is not None
    assert len(context.trace.conversation) == len(history) - 1 - 2
    payload = context.messages[1]["content"]
    assert payload.splitlines()[0] not in "".join(m.content for m in context.trace.conversation)


def test_a_stream_is_passed_on(monkeypatch):
    clean_environment(monkeypatch)
    with (
        serving(streamed("It is ", "400 euros.")) as provider,
        openai.OpenAI(base_url=f"{provider.url}/v1", api_key="key", max_retries=0) as real,
    ):
        client = CompressingClient(real, limit_tokens=LIMIT, guard=summarising())
        answer = client.create(model="some-model", messages=long_history(), stream=True)
        texts = [chunk.choices[0].delta.content for chunk in answer.response]

    assert "".join(texts) == "It is 400 euros."
    assert answer.context.is_compressed


def test_an_asynchronous_client_does_the_same(provider):
    async def ask() -> Any:
        async with openai.AsyncOpenAI(base_url=f"{provider.url}/v1", api_key="key", max_retries=0) as real:
            client = AsyncCompressingClient(real, limit_tokens=LIMIT, guard=summarising())
            return await client.create(model="some-model", messages=long_history())

    answer = asyncio.run(ask())

    assert answer.response.choices[0].message.content == "It is 400 euros."
    assert answer.context.is_compressed
    assert len(sent(provider)) < len(long_history())


def test_an_error_of_the_api_is_the_callers(monkeypatch):
    clean_environment(monkeypatch)
    with (
        serving(sends(b'{"error": {"message": "no"}}', 400, Content_Type="application/json")) as provider,
        openai.OpenAI(base_url=f"{provider.url}/v1", api_key="key", max_retries=0) as real,
        pytest.raises(openai.BadRequestError),
    ):
        CompressingClient(real, limit_tokens=LIMIT, guard=summarising()).create(
            model="some-model", messages=long_history()
        )


@pytest.mark.parametrize(
    "wrong", [{"limit_tokens": 0}, {"limit_tokens": 1.5}, {"limit_tokens": 9, "keep_last": 0}]
)
def test_limits_out_of_range_are_refused(wrong):
    with pytest.raises(InvalidParameterError):
        ContextWindow(guard=summarising(), **wrong)
