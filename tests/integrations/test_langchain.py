"""The middleware and the chat history, in the real packages: langchain, langchain-core, langgraph."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.chat_history import BaseChatMessageHistory
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    ChatMessage,
    HumanMessage,
    RemoveMessage,
    SystemMessage,
    ToolMessage,
    convert_to_messages,
)
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph.message import REMOVE_ALL_MESSAGES
from pydantic import Field

from memguard import audit
from memguard.audit import AuditRecord
from memguard.errors import InvalidParameterError
from memguard.integrations.langchain import MemGuardChatMessageHistory, MemGuardMiddleware
from tests.fakes import FakeSummarizer
from tests.integrations.histories import FACTS, call, long_history, summarising
from tests.support import guard

LIMIT = 150
TRIGGER = ("tokens", LIMIT)
KEEP = ("messages", 3)


class ScriptedModel(BaseChatModel):
    """Answers from a list, the last answer for ever; records what it was asked."""

    answers: list[AIMessage]
    asked: list[list[BaseMessage]] = Field(default_factory=list)

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Sequence[Any], **_: Any) -> ScriptedModel:
        return self

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        self.asked.append(list(messages))
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        return ChatResult(generations=[ChatGeneration(message=answer.model_copy(update={"id": None}))])


def calling(number: int) -> AIMessage:
    return AIMessage(
        "", tool_calls=[{"id": f"new{number}", "name": "weather", "args": {"place": f"Lyon {number}"}}]
    )


@tool
def weather(place: str) -> str:
    """Tell the weather of a place."""
    return f"It rains in {place} until Tuesday."


def messages_of(history: list[dict[str, Any]]) -> list[BaseMessage]:
    return convert_to_messages(history)


def verified(records: list[dict[str, Any]]) -> bool:
    return audit.verify_text(audit.dumps([AuditRecord(**record) for record in records])).intact


def paired(messages: Sequence[BaseMessage]) -> bool:
    """Return whether every result of a tool follows its call, and every call but the last has one."""
    called: set[str | None] = set()
    for message in messages:
        if isinstance(message, AIMessage):
            called |= {one["id"] for one in message.tool_calls}
        if isinstance(message, ToolMessage) and message.tool_call_id not in called:
            return False
    return True


def agent_of(model: ScriptedModel, **options: Any) -> Any:
    made = {"trigger": TRIGGER, "keep": KEEP, "guard": summarising(), **options}
    return create_agent(
        model, [weather], middleware=[MemGuardMiddleware(**made)], checkpointer=InMemorySaver()
    )


THREAD: Any = {"configurable": {"thread_id": "t1"}}


def test_the_agent_gets_the_payload_and_the_recent_messages_and_the_state_the_audit():
    model = ScriptedModel(answers=[AIMessage("It is 400 euros.")])
    history = messages_of(long_history())

    state = agent_of(model).invoke({"messages": history}, THREAD)

    front, payload, *tail = model.asked[0]
    assert isinstance(front, SystemMessage)
    assert isinstance(payload, HumanMessage)
    assert "The deposit is 400 euros" in payload.text
    assert "yacht" not in payload.text
    assert [message.content for message in tail] == [message.content for message in history[-3:]]
    assert paired(model.asked[0])
    assert verified(state["memguard_audit"])
    assert state["memguard_warning"] == ""
    raw = [message.content for message in state["memguard_history"]]
    assert raw == [message.content for message in history[1:-3]]
    assert state["messages"][-1].text == "It is 400 euros."


def test_a_short_history_is_left_as_it_is():
    model = ScriptedModel(answers=[AIMessage("Yes.")])

    state = agent_of(model).invoke({"messages": [HumanMessage(FACTS[0])]}, THREAD)

    assert [message.content for message in model.asked[0]] == [FACTS[0]]
    assert "memguard_audit" not in state


def test_every_round_rests_on_the_raw_history_and_no_message_is_lost():
    """Never a summary of a summary: round after round over a checkpointer."""
    model = ScriptedModel(answers=[AIMessage("Noted.")])
    agent = agent_of(model)
    said = messages_of(long_history())
    state = agent.invoke({"messages": said}, THREAD)
    for number in range(4):
        added = [HumanMessage(f"Order {number} left Lyon on Tuesday, which Paul saw with his own eyes. " * 3)]
        said = [*said, AIMessage("Noted."), *added]
        state = agent.invoke({"messages": added}, THREAD)

    kept = [
        message for message in state["messages"] if message.additional_kwargs.get("lc_source") != "memguard"
    ]
    whole = [kept[0], *state["memguard_history"], *kept[1:]]
    assert [message.content for message in whole] == [
        message.content for message in [*said, AIMessage("Noted.")]
    ]
    assert len(state["messages"]) - len(kept) == 1
    cited = {
        place["message_id"]
        for record in state["memguard_audit"]
        if record["stage"] == "elimination"
        for claim in record["detail"]["claims"]
        for place in claim["evidence"]
    }
    assert cited <= {f"m{number}" for number in range(1, len(whole) + 1)}


def test_tool_calls_stay_with_their_results_through_a_whole_run():
    model = ScriptedModel(answers=[*(calling(number) for number in range(6)), AIMessage("It rains.")])

    state = agent_of(model, keep=("messages", 1)).invoke({"messages": messages_of(long_history())}, THREAD)

    assert len(model.asked) == 7
    assert all(paired(asked) for asked in model.asked)
    assert state["messages"][-1].text == "It rains."
    assert paired([*state["memguard_history"], *state["messages"]])


class Broken:
    """A summarizer that fails."""

    model_id = "broken@1"

    def summarize(self, lines: Any, *, max_tokens: int, progress: Any = None) -> str:
        raise OSError("the disk is gone")


def test_on_a_failure_the_raw_history_stays_and_the_state_says_why(caplog):
    model = ScriptedModel(answers=[AIMessage("It is 400 euros.")])
    history = messages_of(long_history())

    with caplog.at_level(logging.WARNING, "memguard.integrations"):
        state = agent_of(model, guard=summarising(summarizer=Broken())).invoke({"messages": history}, THREAD)

    assert [message.content for message in model.asked[0]] == [message.content for message in history]
    assert "the disk is gone" in state["memguard_warning"]
    assert "the disk is gone" in caplog.text
    assert "memguard_history" not in state


class BrokenCounter:
    """A counter that fails in no way that MemGuard knows."""

    def count(self, text: str) -> int:
        raise RuntimeError("already borrowed")


def test_whatever_breaks_the_model_is_called_with_the_raw_history(caplog):
    """A counter runs outside of the pipeline, which names what breaks in it."""
    model = ScriptedModel(answers=[AIMessage("It is 400 euros.")])
    history = messages_of(long_history())

    state = agent_of(model, guard=guard(counter=BrokenCounter())).invoke({"messages": history}, THREAD)

    assert [message.content for message in model.asked[0]] == [message.content for message in history]
    assert "already borrowed" in state["memguard_warning"]
    assert "Traceback" in caplog.text


class BrokenLater(FakeSummarizer):
    """A summarizer that fails from the second time on."""

    def summarize(self, lines: Any, **options: Any) -> str:
        if self.calls:
            raise OSError("the disk is gone")
        return super().summarize(lines, **options)


NEWS = "Order 5 left Lyon on Tuesday and weighs 40 kilos. "


def test_a_failure_in_a_later_round_leaves_the_payload_and_everything_since():
    model = ScriptedModel(answers=[AIMessage("Noted.")])
    agent = agent_of(model, guard=guard(summarizer=BrokenLater(" ".join(FACTS))))
    said = messages_of(long_history())
    first = agent.invoke({"messages": said}, THREAD)
    added = [HumanMessage(NEWS * 5), HumanMessage(NEWS * 5), HumanMessage(NEWS)]

    state = agent.invoke({"messages": added}, THREAD)

    assert "the disk is gone" in state["memguard_warning"]
    assert model.asked[1][1] == model.asked[0][1]  # the payload of the first round
    assert [m.content for m in model.asked[1][-3:]] == [m.content for m in added]
    assert state["memguard_history"] == first["memguard_history"]


def test_a_warning_goes_when_the_history_is_short_again():
    model = ScriptedModel(answers=[AIMessage("Noted.")])
    agent = agent_of(model, guard=summarising(summarizer=Broken()))
    assert agent.invoke({"messages": messages_of(long_history())}, THREAD)["memguard_warning"]

    state = agent.invoke({"messages": [RemoveMessage(id=REMOVE_ALL_MESSAGES), HumanMessage("Anew.")]}, THREAD)

    assert state["memguard_warning"] == ""


def test_a_message_that_a_client_marks_as_the_payload_is_not_lost():
    """What a client writes beside a message decides nothing."""
    model = ScriptedModel(answers=[AIMessage("Noted.")])
    marked = HumanMessage("The gate is blue.", additional_kwargs={"lc_source": "memguard"})

    state = agent_of(model).invoke({"messages": [*messages_of(long_history()), marked]}, THREAD)

    assert model.asked[0][-1].text == "The gate is blue."
    assert "The gate is blue." in [m.text for m in [*state["memguard_history"], *state["messages"]]]


def test_what_was_taken_out_of_the_messages_does_not_come_back():
    model = ScriptedModel(answers=[AIMessage("Noted.")])
    agent = agent_of(model)
    agent.invoke({"messages": messages_of(long_history())}, THREAD)

    new = [HumanMessage(f"Order {number} left Lyon. " * 6) for number in range(9)]
    state = agent.invoke({"messages": [RemoveMessage(id=REMOVE_ALL_MESSAGES), *new]}, THREAD)

    assert state["memguard_warning"] == ""
    assert "deposit" not in "".join(m.text for m in [*model.asked[1], *state["memguard_history"]])


def test_instructions_of_a_developer_stay_at_the_front_round_after_round():
    model = ScriptedModel(answers=[AIMessage("Noted.")])
    agent = agent_of(model)
    rules = ChatMessage(role="developer", content="You are a helpful assistant.")
    agent.invoke({"messages": [rules, *messages_of(long_history())[1:]]}, THREAD)
    for number in range(3):
        state = agent.invoke({"messages": [HumanMessage(f"Order {number} is late. " * 8)] * 2}, THREAD)

        assert [m.content for m in model.asked[-1]].index(rules.content) == 0
        assert rules.content not in [m.content for m in state["memguard_history"]]


def test_after_a_compression_there_is_room_for_several_turns():
    """A payload that filled the limit would have every call of the model compress anew."""
    turns = 40

    def told(lines: Sequence[str]) -> str:
        return " ".join(line.partition(": ")[2] for line in lines)

    model = ScriptedModel(answers=[AIMessage("Noted, fine.")])
    agent = agent_of(model, trigger=("tokens", 300), guard=guard(summarizer=FakeSummarizer(told)))
    heads = set()
    for n in range(turns):
        text = f"Order {n + 100} of {n * 7} boxes left Lyon on Tuesday for house number {n}."
        state = agent.invoke({"messages": [HumanMessage(text)]}, THREAD)
        heads |= {record["hash"] for record in state.get("memguard_audit", [])[-1:]}

    assert 2 <= len(heads) <= turns / 4


def test_an_asynchronous_run_does_the_same():
    model = ScriptedModel(answers=[AIMessage("It is 400 euros.")])
    history = messages_of(long_history())

    state = asyncio.run(agent_of(model).ainvoke({"messages": history}, THREAD))

    assert len(model.asked[0]) < len(history)
    assert verified(state["memguard_audit"])


def test_a_number_of_messages_is_a_trigger_as_well():
    model = ScriptedModel(answers=[AIMessage("Yes.")])
    history = messages_of(long_history())

    agent_of(model, trigger=[("messages", 20), ("tokens", 100_000)]).invoke({"messages": history}, THREAD)

    assert len(model.asked[0]) == 5


@pytest.mark.parametrize(
    "wrong",
    [
        {"trigger": ("fraction", 1)},
        {"trigger": ("tokens", 0)},
        {"trigger": ("tokens", 0.5)},
        {"trigger": [("messages", True)]},
        {"keep": ("tokens", 5)},
        {"keep": ("messages", 0)},
        {"trigger": ("messages", 20), "keep": ("messages", 19)},
    ],
)
def test_what_is_no_size_is_refused(wrong):
    with pytest.raises(InvalidParameterError):
        MemGuardMiddleware(guard=summarising(), **wrong)


@pytest.mark.parametrize(
    ("message", "content"),
    [
        (
            HumanMessage(
                [{"type": "text", "text": "See"}, {"type": "image_url", "image_url": {"url": "http://a/b"}}]
            ),
            "See\n[image]",
        ),
        (
            AIMessage(
                [
                    {"type": "text", "text": "I look."},
                    {"type": "tool_use", "id": "t", "name": "f", "input": {}},
                ],
                tool_calls=[{"id": "t", "name": "f", "args": {"a": 1}}],
                response_metadata={"model_provider": "anthropic"},
            ),
            'I look.\nf({"a": 1})',
        ),
        (AIMessage([{"type": "reasoning", "reasoning": "hm"}, {"type": "text", "text": "Yes."}]), "Yes."),
        (ToolMessage("42", tool_call_id="t"), "42"),
        (HumanMessage("plain"), "plain"),
    ],
)
def test_every_kind_of_message_is_read_as_what_was_said(message, content):
    from memguard.integrations._langchain_messages import readable
    from memguard.messages import Conversation

    [read] = Conversation.from_messages(readable([message]))

    assert read.content == content


@pytest.mark.parametrize(
    "content",
    [
        [{"type": "image_url"}],
        [{"type": "image_url", "image_url": None}],
        ["a", {"type": "text"}],
        [{"type": "image", "source_type": "base64"}],
        [{"type": None}, {}],
        [{"text": "as Bedrock writes it"}],
    ],
)
@pytest.mark.parametrize("provider", ["anthropic", "openai", "google_genai", "bedrock_converse", ""])
def test_no_block_of_a_content_ends_a_run(content, provider):
    """LangChain's own translators raise on some of these."""
    odd = AIMessage(content, response_metadata={"model_provider": provider})
    history = history_of(Plain())
    history.add_messages([*messages_of(long_history()), odd, HumanMessage("And now?")])

    assert history.messages[-1].text == "And now?"
    assert history.warning == ""
    assert len(history.messages) < 10


# --- the chat history


class Plain(BaseChatMessageHistory):
    """Keeps messages in a list."""

    def __init__(self) -> None:
        super().__init__()
        self.messages = []

    def add_messages(self, messages: Sequence[BaseMessage]) -> None:
        self.messages.extend(messages)

    def clear(self) -> None:
        self.messages = []


def history_of(inner: BaseChatMessageHistory, **options: Any) -> MemGuardChatMessageHistory:
    made: dict[str, Any] = {"trigger": TRIGGER, "keep": KEEP, "guard": summarising(), **options}
    return MemGuardChatMessageHistory(inner, **made)


def both(
    get: Callable[[MemGuardChatMessageHistory], Any],
) -> list[Callable[[MemGuardChatMessageHistory], Any]]:
    return [get, lambda history: asyncio.run(history.aget_messages())]


@pytest.mark.parametrize("get", both(lambda history: history.messages), ids=["sync", "async"])
def test_the_history_gives_the_payload_and_keeps_the_raw_messages(get):
    inner, raw = Plain(), messages_of([*long_history(), *call(8)])
    history = history_of(inner, keep=("messages", 1))
    history.add_messages(raw)

    shown = get(history)

    assert inner.messages == history.raw_messages == raw
    assert isinstance(shown[0], SystemMessage)
    assert "The deposit is 400 euros" in shown[1].text
    assert shown[2:] == raw[-2:]
    assert paired(shown)
    assert audit.verify_text(audit.dumps(history.audit)).intact


def test_a_history_that_cannot_be_made_short_is_given_as_it_is():
    history = history_of(Plain(), guard=summarising(summarizer=Broken()))
    history.add_messages(messages_of(long_history()))

    assert history.messages == history.raw_messages
    assert "the disk is gone" in history.warning
    assert history.audit == ()


def test_adding_and_clearing_reach_the_history_behind():
    inner = Plain()
    history = history_of(inner)
    history.add_user_message(FACTS[0])
    asyncio.run(history.aadd_messages([AIMessage("Noted.")]))
    assert [message.content for message in inner.messages] == [FACTS[0], "Noted."]
    assert history.messages == inner.messages

    asyncio.run(history.aclear())
    assert inner.messages == []
    history.add_messages(messages_of(long_history()))
    assert history.messages != history.raw_messages
    history.clear()
    assert history.messages == []
    assert history.audit == ()


def test_a_growing_history_is_summarised_only_where_it_is_new():
    summarizer = FakeSummarizer(" ".join(FACTS))
    history = history_of(Plain(), guard=guard(summarizer=summarizer))
    history.add_messages(messages_of(long_history()))
    assert history.messages != history.raw_messages
    before = {line for lines, _ in summarizer.calls for line in lines}
    summarizer.calls.clear()
    history.add_messages([HumanMessage(f"The gate of house {n} was painted blue by Paul.") for n in range(9)])

    assert len(history.messages) == 5
    assert before.isdisjoint(line for lines, _ in summarizer.calls for line in lines)
