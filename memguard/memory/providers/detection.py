"""Which provider compresses: by the keys in the environment, or as it says there (D02, D04 to D06, F14).

    COMPRESSION_ENABLED    true (default) or false
    COMPRESSION_PROVIDER   gemini, openai, anthropic, xai, compatible or local
    COMPRESSION_MODEL      a model of that provider
    COMPRESSION_BASE_URL   another address; read only where COMPRESSION_PROVIDER is set, so that a key
                           that was found is never sent where it does not belong
    COMPRESSION_API_KEY    the key of a ``compatible`` server, if it wants one

``compatible`` is any server that speaks OpenAI's form: Ollama, llama.cpp, vLLM.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from memguard.memory.providers.protocol import CompressionProvider, Prompted, ProviderError, Skip
from memguard.settings import MemorySettings

ENABLED, PROVIDER, MODEL = "COMPRESSION_ENABLED", "COMPRESSION_PROVIDER", "COMPRESSION_MODEL"
BASE_URL, API_KEY = "COMPRESSION_BASE_URL", "COMPRESSION_API_KEY"
LOCAL, COMPATIBLE = "local", "compatible"

KEYS: Mapping[str, tuple[str, ...]] = {
    "gemini": ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    "openai": ("OPENAI_API_KEY",),
    "anthropic": ("ANTHROPIC_API_KEY",),
    "xai": ("XAI_API_KEY",),
}
"""Where each provider's key stands; the first provider that has one is taken (D05)."""

_ALIASES = {"google": "gemini", "claude": "anthropic", "grok": "xai", "ollama": COMPATIBLE}
_YES, _NO = frozenset({"", "1", "true", "yes", "on"}), frozenset({"0", "false", "no", "off"})
_OWN_HOSTS = frozenset({"localhost", "127.0.0.1", "::1"})

NAMES = (*KEYS, COMPATIBLE, LOCAL)


@dataclass(frozen=True, slots=True)
class Choice:
    """The provider that is meant.

    Attributes:
        name: Which.
        model: Which of its models.
        base_url: Where it is; empty for its own address.
        key: Its key; never in the representation.
    """

    name: str
    model: str
    base_url: str = ""
    key: str = field(default="", repr=False)


def enabled(environ: Mapping[str, str] | None = None) -> bool:
    """Tell whether COMPRESSION_ENABLED allows compression (D04); what cannot be read does not.

    A word that is neither yes nor no may have meant no, and then no text may leave.
    """
    environ = os.environ if environ is None else environ
    return environ.get(ENABLED, "").strip().lower() in _YES


def choose(settings: MemorySettings, environ: Mapping[str, str] | None = None) -> Choice:
    """Return the provider that the environment means.

    Raises:
        ProviderError: It means none, or one that cannot be asked; the reason and the message say why.
    """
    environ = os.environ if environ is None else environ
    word = environ.get(ENABLED, "").strip().lower()
    if word not in _YES:
        odd = "" if word in _NO else f", which is neither true nor false: {word!r}"
        raise ProviderError(Skip.DISABLED, f"{ENABLED} is off{odd}")
    named = environ.get(PROVIDER, "").strip().lower()
    if named:
        return _named(_ALIASES.get(named, named), settings, environ)
    for name in KEYS:
        if key := _key(name, environ):
            return Choice(name, _model(name, settings, environ), key=_usable(name, key))
    wanted = ", ".join(variable for variables in KEYS.values() for variable in variables)
    raise ProviderError(Skip.NO_PROVIDER, f"none of {wanted} is set, nor {PROVIDER}")


def _named(name: str, settings: MemorySettings, environ: Mapping[str, str]) -> Choice:
    if name not in NAMES:
        raise ProviderError(
            Skip.UNKNOWN_PROVIDER, f"{PROVIDER} must be one of {', '.join(NAMES)}; got {name!r}"
        )
    base_url = environ.get(BASE_URL, "").strip()
    model = _model(name, settings, environ)
    if name == LOCAL:
        return Choice(name, model)
    key = environ.get(API_KEY, "").strip() if name == COMPATIBLE else _key(name, environ)
    if name == COMPATIBLE and not (base_url and model):
        raise ProviderError(Skip.BAD_SETTING, f"the provider {COMPATIBLE} needs {BASE_URL} and {MODEL}")
    if name != COMPATIBLE and not key:
        raise ProviderError(
            Skip.MISSING_KEY, f"{PROVIDER} is {name}, but {' or '.join(KEYS[name])} is not set"
        )
    return Choice(name, model, _checked(base_url, bool(key)), _usable(name, key))


def _key(name: str, environ: Mapping[str, str]) -> str:
    return next((key for variable in KEYS[name] if (key := environ.get(variable, "").strip())), "")


def _model(name: str, settings: MemorySettings, environ: Mapping[str, str]) -> str:
    return environ.get(MODEL, "").strip() or str(getattr(settings, f"{name}_model", ""))


def _usable(name: str, key: str) -> str:
    """Return a key that a header can hold: an HTTP library would quote any other one in its error."""
    if not all("!" <= character <= "~" for character in key):
        raise ProviderError(
            Skip.BAD_SETTING, f"the key of {name} holds a character that no key has; copy it anew"
        )
    return key


def _checked(base_url: str, has_key: bool) -> str:
    """Return an address to which a key may be sent."""
    if not base_url:
        return ""
    try:
        parts = urlsplit(base_url)
        host = parts.hostname
    except ValueError:
        host = None
        parts = urlsplit("")
    if parts.scheme not in {"http", "https"} or not host or parts.username or parts.query or parts.fragment:
        raise ProviderError(
            Skip.BAD_SETTING,
            f"{BASE_URL} must be an http or https address without user, query and fragment, "
            "such as http://localhost:11434/v1",
        )
    if has_key and parts.scheme == "http" and host not in _OWN_HOSTS:
        raise ProviderError(
            Skip.BAD_SETTING, f"{BASE_URL}: a key is sent by https, or to this machine, and nowhere else"
        )
    return base_url.rstrip("/")


def is_own(url: str) -> bool:
    """Tell whether an address is on this machine."""
    return urlsplit(url).hostname in _OWN_HOSTS


def provider_of(choice: Choice, settings: MemorySettings) -> CompressionProvider:
    """Return the provider of a choice; nothing is loaded or connected before it is asked."""
    if choice.name == LOCAL:
        from memguard.memory.providers.local import LocalProvider

        return LocalProvider(choice.model)
    from memguard.memory.providers.client import HttpModel

    llm: Any = HttpModel(choice, settings)
    return Prompted(llm, choice.name, choice.model)
