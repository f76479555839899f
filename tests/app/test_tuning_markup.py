"""What the page Threshold tuning says in HTML, in TOML and in its link, without Streamlit."""

from __future__ import annotations

import html as html_module
import re
from dataclasses import replace
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memguard import sweep
from memguard.bounds import bounds_of
from memguard.compressor import Compression
from memguard.eliminator import Elimination
from memguard.grounding.claims import Claim
from memguard.grounding.verdicts import Evidence, ScoredClaim
from memguard.messages import Conversation, SourceSpan
from memguard.settings import EliminationSettings, Settings
from memguard.sweep import CostChoice, Rates
from memguard.trace import Trace
from pages._ui import links
from pages._ui.tuning import choices, export, markup
from tests.app.handmade import SETTINGS, handmade

HOSTILE = (
    '<script>window.hacked = 1</script> <img src=x onerror="window.hacked = 2"> [x](javascript:alert(1)) '
    "$5 and $10 :red[no] :tada: **bold** \u202egnp.exe\u202c </div></li> " + "w" * 300
)
LOOSE = replace(SETTINGS.elimination, preset="contract")
STRICT = replace(SETTINGS.elimination, preset="strict")


def plain(html: str) -> str:
    return html_module.unescape(re.sub(r"<[^>]*>", "", html))


def told(before: EliminationSettings, after: EliminationSettings) -> list[markup.Told]:
    return [markup.Told(change) for change in sweep.changes(handmade(), before, after)]


def test_each_change_has_text_sign_and_reason_under_both() -> None:
    """Issue 4: a "what changed" list between two settings."""
    shown = markup.changed(told(LOOSE, STRICT), LOOSE, STRICT)

    assert "Gone <small>4 claims" in shown
    assert "Back" not in shown
    assert shown.count("<li ") == 4
    assert "The deposit is 500 euros." in plain(shown)
    assert 'aria-label="Contradicted"' in shown
    assert "A kept: similarity 0.98 reaches the minimum" in plain(shown)
    assert "B dropped, contradicted: 500 ≠ 400 (m1)" in plain(shown)
    assert "A Contract, similarity 0.60" in plain(shown)
    assert "B Strict, similarity 0.60, support 0.50" in plain(shown)


def test_what_goes_one_way_comes_back_the_other() -> None:
    shown = markup.changed(told(STRICT, LOOSE), STRICT, LOOSE)
    assert "Back <small>4 claims" in shown
    assert "Gone" not in shown


def test_no_change_says_whether_the_settings_are_the_same() -> None:
    same = markup.changed([], STRICT, STRICT)
    assert "A and B are the same setting: move a slider" in plain(same)
    nearly = replace(STRICT, min_support=0.51)
    assert "A and B keep the same claims." in plain(markup.changed([], STRICT, nearly))


def test_a_hostile_claim_is_shown_verbatim_and_makes_no_element() -> None:
    """UI-008: chat text stays text, in the list and in the title of its conversation."""
    claim = Claim("c1", HOSTILE, (0, len(HOSTILE)), HOSTILE)
    scored = ScoredClaim(claim, (Evidence(SourceSpan("m1", 0, 3), 0.5),), support=0.5, unsupported=((0, 8),))
    trace = Trace(
        Conversation.from_messages([]),
        Settings(),
        results=(Compression(HOSTILE, given=True), Elimination((), (scored,), "fake")),
    )
    loose, strict = EliminationSettings(min_support=0.4), EliminationSettings(min_support=0.6)
    change = sweep.changes(trace, loose, strict)[0]
    shown = markup.changed([markup.Told(change, HOSTILE)], loose, strict)

    assert plain(shown).count(HOSTILE) == 2
    assert "<script" not in shown
    assert "<img" not in shown


def test_the_figures_count_claims_tokens_and_changes() -> None:
    shown = markup.figures(handmade()[Elimination].verdicts, 61, 1312, told(LOOSE, SETTINGS.elimination))
    said = plain(shown)
    assert "Claims kept5of 8 claims" in said
    assert "Claims dropped3✕ 1 contradicted○ 2 not found" in said.replace("contradicted ○", "contradicted○")
    assert "Context tokens61of 1,312 in the conversation" in said
    assert "Changed since A2" + "0 back, 2 gone" in said
    assert "of 9,000 in 8 conversations" in plain(markup.figures((), 500, 9_000, (), n_runs=8))
    assert "Changed since A0nothing" in plain(markup.figures((), 0, 0, ()))


def test_the_table_says_what_each_rate_is_of() -> None:
    now = Rates(0.5, wrong_dropped=15, wrong_kept=3, true_kept=16, true_dropped=2)
    least = Rates(0.61, wrong_dropped=18, wrong_kept=0, true_kept=15, true_dropped=3)
    shown = markup.rates_table(now, CostChoice(least, 0.63, 3), 5)
    said = plain(shown)

    assert "Now0.5088 %15 of 17 dropped83 %15 of 18 wrong11 %2 of 18 true173 × 5 + 2" in said
    assert "Least cost0.61 to 0.63" in said
    for meaning in (
        "Of the claims dropped, the share that is wrong",
        "Of the true claims, the share that is",
    ):
        assert f'title="{meaning}' in shown
    assert "Least cost0.61" in plain(markup.rates_table(now, CostChoice(least, 0.61, 3), 5))


FLOATS = {
    name: st.floats(float(bounds.low), float(bounds.high))
    for name in ("min_similarity", "min_support")
    if (bounds := bounds_of(EliminationSettings, name)).low is not None and bounds.high is not None
}


@given(
    preset=st.sampled_from(["contract", "balanced", "strict"]),
    similarity=FLOATS["min_similarity"],
    support=FLOATS["min_support"],
    entailment=st.text(min_size=1, max_size=12).filter(str.isprintable),
    seed=st.integers(0, 2**32 - 1),
    tokens=st.none() | st.integers(1, 9_999),
    complete=st.booleans(),
)
def test_the_toml_reads_back_as_the_same_settings(
    tmp_path_factory: pytest.TempPathFactory,
    preset: str,
    similarity: float,
    support: float,
    entailment: str,
    seed: int,
    tokens: int | None,
    complete: bool,
) -> None:
    """Issue 4: copy settings as TOML, only what differs or everything, and read them back."""
    settings = replace(Settings(), seed=seed).with_value("reconstruction.payload_tokens", tokens)
    for name, value in (
        ("preset", preset),
        ("min_similarity", similarity),
        ("min_support", support),
        ("calibrated_for", entailment),
    ):
        settings = settings.with_value(f"elimination.{name}", value)
    path = _file(tmp_path_factory)
    path.write_text(export.toml(settings, complete=complete), encoding="utf-8")
    assert Settings.from_toml(path) == settings


def test_the_toml_holds_only_what_differs() -> None:
    assert export.toml(Settings()) == "# every setting has its default\n"
    settings = replace(Settings().with_value("elimination.min_support", 0.65), seed=7)
    assert export.toml(settings) == "seed = 7\n\n[elimination]\nmin_support = 0.65\n"
    assert "lambda_mmr" in export.toml(settings, complete=True)


@pytest.mark.parametrize(
    "url", ["http://localhost:8501", "http://localhost:8501/", "http://localhost:8501/tuning"]
)
def test_the_link_names_the_page_once_and_its_state(url: str) -> None:
    given = {"sample": "a b&c", "elimination.min_support": "0.65", "pin": "strict:0.3:0.5"}
    link = urlsplit(export.link(url, given))
    assert link.path == "/tuning"
    assert {name: values[0] for name, values in parse_qs(link.query).items()} == given
    assert export.link(None, {}) == "/tuning"


def test_a_pin_survives_the_link_and_nonsense_is_no_pin() -> None:
    assert choices.read_pin(choices.written_pin(LOOSE)) == LOOSE
    for text in ("", "strict", "strict:0.3", "lax:0.3:0.5", "strict:x:0.5", "strict:3:0.5", "strict:nan:0.5"):
        assert choices.read_pin(text) is None
    settings = Settings(elimination=LOOSE)
    assert links.written(settings)["elimination.preset"] == "contract"


def test_a_memo_makes_anew_only_what_changed() -> None:
    memo, made = choices.Memo(), []
    one, other = object(), object()

    def make() -> int:
        made.append(1)
        return len(made)

    assert memo.get("a", [one], "key", make) == 1
    assert memo.get("a", [one], "key", make) == 1
    assert memo.get("a", [other], "key", make) == 2
    assert memo.get("a", [other], "another", make) == 3
    assert memo.get("b", [other], "another", make) == 4
    assert memo.get("a", [other, one], "another", make) == 5


def _file(factory: pytest.TempPathFactory) -> Path:
    return factory.mktemp("toml") / "settings.toml"
