"""The settings as what leaves a run has them."""

from __future__ import annotations

from memguard.bounds import bounds_of
from memguard.errors import SettingsError
from memguard.privacy.leaving import Leaving
from memguard.settings import Settings, setting_kinds

_OWN = "privacy.let_through"
"""It holds kinds, which are checked, and no value."""


def shown_settings(settings: Settings, leaving: Leaving) -> Settings:
    """Return settings as they may leave: a pattern or a list may hold a value."""
    for name, (kind, _) in setting_kinds().items():
        section, _, key = name.partition(".")
        value = getattr(getattr(settings, section), key)
        if kind is not str or not value or name == _OWN or bounds_of(getattr(settings, section), key).choices:
            continue
        shown = leaving.text(value)
        if shown != value:
            try:
                settings = settings.with_value(name, shown)
            except SettingsError:  # with placeholders in it, a pattern may be none
                settings = settings.with_value(name, "")
    return settings
