"""Settings: bounds, both views of the threshold, TOML."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memguard.errors import InvalidParameterError, SettingsError
from memguard.settings import (
    CompressionSettings,
    EliminationSettings,
    MemorySettings,
    ReconstructionSettings,
    Settings,
    bounds_of,
    listed,
    setting_kinds,
    setting_names,
    threshold,
)
from tests.support import some_settings

KINDS = setting_kinds()
NUMBERS = [name for name, (kind, _) in KINDS.items() if kind is not str]
WORDS = [name for name, (kind, _) in KINDS.items() if kind is str]


def bounds(name):
    section, _, key = name.partition(".")
    return bounds_of(getattr(Settings(), section), key)


def value_of(settings, name):
    section, _, key = name.partition(".")
    return getattr(getattr(settings, section), key)


def test_defaults_are_those_of_the_design():
    """A06, A07."""
    settings = Settings()

    assert settings.compression.lambda_mmr == 0.5
    assert settings.compression.max_tokens == 800
    assert settings.compression.window == 2
    assert settings.compression.passthrough_words == 40
    assert settings.elimination.preset == "balanced"
    assert settings.elimination.min_support == 0.50
    assert settings.elimination.min_similarity == 0.30
    assert settings.reconstruction.payload_tokens is None
    assert settings.reconstruction.payload_share == pytest.approx(1 / 3)
    assert settings.reconstruction.payload_floor == 60


@pytest.mark.parametrize("name", NUMBERS)
def test_every_number_takes_its_bounds_and_nothing_beyond(name):
    """F3: an error names the parameter, the range and the value."""
    low, high = bounds(name).low, bounds(name).high
    kind = KINDS[name][0]
    for edge in (kind(low), kind(high)):
        assert value_of(Settings().with_value(name, edge), name) == edge
    for beyond in (kind(low - 1), kind(high + 1)):
        with pytest.raises(SettingsError) as caught:
            Settings().with_value(name, beyond)
        key = name.partition(".")[2]
        for part in (key, f"from {low:.12g} to {high:.12g}", f"got {beyond!r}"):
            assert part in str(caught.value)


@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize("wrong", ["1", True, [1], math.nan, math.inf, 1j])
def test_every_number_refuses_what_is_none(name, wrong):
    with pytest.raises(SettingsError, match=name.partition(".")[2]):
        Settings().with_value(name, wrong)


@pytest.mark.parametrize("name", [n for n in NUMBERS if KINDS[n][0] is int])
def test_a_whole_number_refuses_a_fraction(name):
    with pytest.raises(SettingsError, match="a whole number"):
        Settings().with_value(name, 2.5)


@pytest.mark.parametrize("name", [n for n in setting_names() if not bounds(n).optional])
def test_only_an_optional_setting_may_be_unset(name):
    with pytest.raises(SettingsError, match=name.partition(".")[2]):
        Settings().with_value(name, None)


@pytest.mark.parametrize("name", WORDS)
@pytest.mark.parametrize("wrong", [1, "line\nbreak", "\ud800", b"auto"])
def test_every_word_refuses_what_is_none(name, wrong):
    with pytest.raises(SettingsError, match=name.partition(".")[2]):
        Settings().with_value(name, wrong)


def test_a_choice_names_the_choices():
    with pytest.raises(
        SettingsError, match=r"summarizer must be one of auto, bart, .*, extractive; got 'gpt'"
    ) as caught:
        CompressionSettings(summarizer="gpt")
    assert isinstance(caught.value, InvalidParameterError | ValueError)


@pytest.mark.parametrize("name", setting_names())
def test_every_setting_says_what_it_is(name):
    """The label and the help of sliders and flags; a threshold says its direction (F1)."""
    described = bounds(name)

    assert described.label
    assert described.help.endswith(".")
    if name == "elimination.min_similarity":
        assert described.label == "Minimum similarity (higher = stricter)"


@pytest.mark.parametrize("seed", [-1, 2**32, 1.5, "0", None, True])
def test_the_seed_is_checked(seed):
    with pytest.raises(SettingsError, match="seed"):
        Settings(seed=seed)
    with pytest.raises(SettingsError, match="seed"):
        Settings.from_dict({"seed": seed})
    with pytest.raises(SettingsError, match="seed"):
        Settings().with_value("seed", seed)


def test_a_section_must_be_of_its_class():
    with pytest.raises(SettingsError, match="compression must be CompressionSettings; got Elimination"):
        Settings(compression=EliminationSettings())  # type: ignore[arg-type]


def test_with_value_changes_one_setting():
    changed = Settings().with_value("elimination.min_similarity", 0.7).with_value("seed", 3)

    assert changed.elimination.min_similarity == 0.7
    assert changed.seed == 3
    assert changed.compression == Settings().compression
    assert Settings().elimination.min_similarity == 0.30


@pytest.mark.parametrize("name", ["elimination.max", "nothing.at_all", "elimination", "", ".x", "seed.x"])
def test_with_value_names_the_known_settings(name):
    with pytest.raises(SettingsError, match=r"there is no setting .*elimination\.min_similarity"):
        Settings().with_value(name, 1)


def test_equal_settings_have_one_digest():
    """The audit holds the digest: 1 and 1.0, 0.0 and -0.0 and NumPy's numbers are the same setting."""
    plain = EliminationSettings(min_similarity=0.0)
    assert {
        Settings(elimination=e).digest()
        for e in (
            plain,
            EliminationSettings(min_similarity=0),
            EliminationSettings(min_similarity=-0.0),
            EliminationSettings(min_similarity=np.float32(0)),
        )
    } == {Settings(elimination=plain).digest()}
    assert type(CompressionSettings(max_tokens=np.int64(5)).max_tokens) is int
    assert Settings(elimination=EliminationSettings(min_similarity=0.1)).digest() != Settings().digest()


# Both views of the threshold (F1)


def test_distance_mirrors_similarity():
    """F1."""
    assert EliminationSettings(min_similarity=0.75).max_distance == 0.25
    assert threshold(max_distance=0.25) == 0.75
    assert threshold(min_similarity=0.75) == 0.75
    assert Settings.from_dict({"elimination": {"max_distance": 0.25}}).elimination.min_similarity == 0.75
    with pytest.raises(AttributeError):
        Settings().elimination.max_distance = 0.1  # type: ignore[misc]


@given(st.floats(-1, 1))
def test_distance_mirrors_similarity_everywhere(similarity):
    """F1."""
    distance = EliminationSettings(min_similarity=similarity).max_distance

    assert threshold(max_distance=distance) == pytest.approx(similarity, abs=1e-15)


@pytest.mark.parametrize("given_kwargs", [{"min_similarity": 0.5, "max_distance": 0.5}, {}])
def test_both_views_at_once_are_refused(given_kwargs):
    """F1."""
    with pytest.raises(ValueError, match="either min_similarity or max_distance"):
        threshold(**given_kwargs)


def test_both_views_in_a_file_are_refused():
    """F1."""
    with pytest.raises(ValueError, match="either min_similarity or max_distance"):
        Settings.from_dict({"elimination": {"min_similarity": 0.5, "max_distance": 0.5}})


@pytest.mark.parametrize("wrong", ["low", True, -0.1, 2.5, math.nan])
def test_a_distance_is_checked_as_a_distance(wrong):
    with pytest.raises(SettingsError, match="max_distance must be a number from 0 to 2"):
        Settings.from_dict({"elimination": {"max_distance": wrong}})


def test_a_list_is_written_with_commas():
    assert listed(" m1, m2 ,,m1") == ("m1", "m2")
    assert listed("") == listed(" , ") == ()


# Files


@given(some_settings())
def test_toml_gives_the_same_settings_back(tmp_path_factory, settings):
    path = tmp_path_factory.getbasetemp() / "settings.toml"
    path.write_text(settings.to_toml(), encoding="utf-8")

    assert Settings.from_toml(path) == settings
    assert Settings.from_dict(settings.to_dict()) == settings


def test_toml_may_hold_a_part_and_a_byte_order_mark(tmp_path):
    path = tmp_path / "part.toml"
    path.write_bytes("\ufeff[elimination]\nmin_similarity = 0.65\n".encode())

    assert Settings.from_toml(path) == Settings().with_value("elimination.min_similarity", 0.65)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "[elimination]\nmin_similarty = 0.5\n",
            "there is no setting elimination.min_similarty; known: preset",
        ),
        ("[eliminations]\n", "there is no section 'eliminations'; known: compression"),
        ("elimination = 3\n", r"\[elimination\] must be a table; got int"),
        (
            "[compression]\nmax_tokens = '800'\n",
            "max_tokens must be a whole number from 0 to 1000000; got '800'",
        ),
        ("[compression]\nmax_tokens = -1\n", "max_tokens must be a whole number from 0 to 1000000; got -1"),
        ("[compression\n", "not a TOML file"),
        ("seed = " + "9" * 5000 + "\n", "not a TOML file"),
        ("seed = " + "[" * 5000, "not a TOML file"),
    ],
)
def test_a_bad_file_says_its_name_and_what_is_wrong(tmp_path, text, said):
    path = tmp_path / "bad.toml"
    path.write_text(text)

    with pytest.raises(SettingsError, match=said) as caught:
        Settings.from_toml(path)
    assert "bad.toml" in str(caught.value)


def test_a_file_that_is_no_text_or_not_there_says_so(tmp_path):
    binary = tmp_path / "binary.toml"
    binary.write_bytes(b"\xff\xfe\x00")
    for path in (binary, tmp_path / "none.toml", tmp_path):
        with pytest.raises(SettingsError, match=path.name):
            Settings.from_toml(path)


def test_settings_from_something_else_are_refused():
    with pytest.raises(SettingsError, match="must be a table; got list"):
        Settings.from_dict([])  # type: ignore[arg-type]


def test_an_unset_budget_stays_unset():
    assert "payload_tokens" not in Settings().to_toml()
    assert ReconstructionSettings(payload_tokens=1).payload_tokens == 1


def test_a_section_of_no_run_reads_a_table_of_its_own():
    assert MemorySettings.from_table("memory", {"retries": 5}) == MemorySettings(retries=5)
    assert MemorySettings.from_table("memory", {}) == MemorySettings()
    with pytest.raises(SettingsError, match=r"no setting memory\.retry; known: dedup_similarity"):
        MemorySettings.from_table("memory", {"retry": 5})
    with pytest.raises(SettingsError, match=r"\[memory\] must be a table; got int"):
        MemorySettings.from_table("memory", 5)
    with pytest.raises(SettingsError, match="there is no section 'memory'"):
        Settings.from_dict({"memory": {}})
