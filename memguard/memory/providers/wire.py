"""The three forms in which providers are asked: that of OpenAI, of Gemini and of Anthropic."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from memguard.memory.providers.protocol import ProviderError, Skip

Json = dict[str, Any]

_THOUGHT = re.compile(r"\s*<think>.*?</think>", re.DOTALL)
_TEMPERATURE = 0.0  # D11


@dataclass(frozen=True, slots=True)
class Form:
    """How one provider is asked.

    Attributes:
        base_url: Its own address; empty where there is none.
        path: Of a model.
        headers: With the key.
        body: Of a request, from model, prompt and the limit of tokens.
        read: The text of a reply, and why it ended.
        optional: Paths of fields that newer or older models may refuse: such a request is repeated
            without the field that the refusal names.
    """

    base_url: str
    path: Callable[[str], str]
    headers: Callable[[str], dict[str, str]]
    body: Callable[[str, str, int], Json]
    read: Callable[[Any], tuple[str, str]]
    optional: Mapping[str, tuple[str, ...]]


def _bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"} if key else {}


def _chat_body(limit: str, **more: Any) -> Callable[[str, str, int], Json]:
    def body(model: str, prompt: str, max_tokens: int) -> Json:
        messages = [{"role": "user", "content": prompt}]
        return {
            "model": model,
            "messages": messages,
            "temperature": _TEMPERATURE,
            limit: max_tokens,
            **more,
        }

    return body


def _gemini_body(_model: str, prompt: str, max_tokens: int) -> Json:
    return {
        "contents": [{"role": "user", "parts": [{"text": prompt}]}],
        "generationConfig": {"temperature": _TEMPERATURE, "maxOutputTokens": max_tokens},
    }


def _read_chat(reply: Any) -> tuple[str, str]:
    choice = _first(reply["choices"])
    content = choice["message"].get("content")
    if isinstance(content, list):
        content = "".join(part.get("text", "") for part in content if part.get("type") in {"text", None})
    return _THOUGHT.sub("", content or "", count=1), str(choice.get("finish_reason") or "stop")


def _read_gemini(reply: Any) -> tuple[str, str]:
    if not reply.get("candidates"):
        return "", str(reply["promptFeedback"]["blockReason"])
    candidate = _first(reply["candidates"])
    parts = candidate.get("content", {}).get("parts", [])
    text = "".join(part.get("text", "") for part in parts if not part.get("thought"))
    return text, str(candidate.get("finishReason") or "STOP")


def _read_anthropic(reply: Any) -> tuple[str, str]:
    text = "".join(part["text"] for part in reply["content"] if part["type"] == "text")
    return text, str(reply.get("stop_reason") or "end_turn")


def _first(items: Sequence[Any]) -> Any:
    return items[0]


_CHAT_OPTIONAL = {"temperature": ("temperature",), "reasoning_effort": ("reasoning_effort",)}

FORMS: Mapping[str, Form] = {
    "gemini": Form(
        "https://generativelanguage.googleapis.com/v1beta",
        lambda model: f"/models/{quote(model.removeprefix('models/'), safe='')}:generateContent",
        lambda key: {"x-goog-api-key": key},  # in a header: a key in the address would be logged
        _gemini_body,
        _read_gemini,
        {"temperature": ("generationConfig", "temperature")},
    ),
    "openai": Form(
        "https://api.openai.com/v1",
        lambda _model: "/chat/completions",
        _bearer,
        _chat_body("max_completion_tokens", reasoning_effort="none"),
        _read_chat,
        _CHAT_OPTIONAL,
    ),
    "anthropic": Form(
        "https://api.anthropic.com/v1",
        lambda _model: "/messages",
        lambda key: {"x-api-key": key, "anthropic-version": "2023-06-01"},
        _chat_body("max_tokens"),
        _read_anthropic,
        {"temperature": ("temperature",)},
    ),
    "xai": Form(
        "https://api.x.ai/v1",
        lambda _model: "/chat/completions",
        _bearer,
        _chat_body("max_tokens", reasoning_effort="none"),
        _read_chat,
        _CHAT_OPTIONAL,
    ),
    "compatible": Form(
        "",
        lambda _model: "/chat/completions",
        _bearer,
        _chat_body("max_tokens"),
        _read_chat,
        {"temperature": ("temperature",)},
    ),
}

_ENDED = frozenset({"stop", "end_turn", "stop_sequence", "eos"})
_CUT = frozenset({"length", "max_tokens", "max_output_tokens", "model_length"})


def text_of(name: str, reply: Any) -> str:
    """Return the text of a provider's reply.

    Raises:
        ProviderError: It is not in the provider's form, empty, cut at the limit, or a refusal.
    """
    try:
        text, ended = FORMS[name].read(reply)
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        raise ProviderError(Skip.BAD_REPLY, f"the reply of {name} is not in its documented form") from error
    ended = ended.lower()
    if ended in _CUT:
        raise ProviderError(Skip.CUT_REPLY, f"the reply of {name} ended at the limit of tokens")
    if ended not in _ENDED:
        raise ProviderError(Skip.REFUSED, f"{name} ended its reply with {ended[:40]!r}")
    if not text.strip():
        raise ProviderError(Skip.EMPTY_REPLY, f"the reply of {name} is empty")
    return text


def without(body: Json, path: Sequence[str]) -> Json:
    """Return a request's body without the field at a path."""
    name, *rest = path
    if rest:
        return {**body, name: without(body[name], rest)}
    return {key: value for key, value in body.items() if key != name}


def holds(body: Json, path: Sequence[str]) -> bool:
    """Tell whether a body has a field at a path."""
    name, *rest = path
    return name in body and (not rest or holds(body[name], rest))
