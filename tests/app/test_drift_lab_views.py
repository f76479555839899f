"""The HTML of the drift lab, without Streamlit: right figures, and all text escaped."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memguard.compressor import Compression
from memguard.drift import Ground, Injection, Item, KindRate, Round, inject
from memguard.eliminator import Elimination
from memguard.grounding.claims import Claim
from memguard.grounding.verdicts import Evidence, Label, Reason, Verdict
from memguard.messages import Conversation, SourceSpan
from memguard.transcripts.samples import DriftClaim
from pages._ui.drift_lab import choices, material, views
from pages._ui.drift_lab.choices import Lab
from tests.app.handmade import handmade
from tests.app.hostile import HOSTILE, shown
from tests.app.test_hostile import read

TALK = Conversation.from_messages([{"id": "m1", "role": "user", "content": "The deposit is 400 euros."}])


def verdict(text: str, start: int = 0, *, kept: bool = True) -> Verdict:
    return Verdict(
        Claim("c1", text, (start, start + len(text)), text),
        Label.SUPPORTED if kept else Label.NOT_FOUND,
        kept,
        Reason.SUPPORT_REACHED if kept else Reason.SUPPORT_BELOW_MINIMUM,
        0.5,
        0.5,
        (Evidence(SourceSpan("m1", 0, 11), 0.5),),
        detail=f"why {text}",
    )


def elimination(*verdicts: Verdict) -> Elimination:
    return Elimination(verdicts, (), "fake")


def injection(was: str = "400", now: str = "500") -> Injection:
    text, original = f"It costs {now} euros.", f"It costs {was} euros."
    return Injection("number", text, (9, 9 + len(now)), original, (9, 9 + len(was)))


def text_of(html: str) -> str:
    return "".join(read(html).text)


@pytest.mark.parametrize("what", HOSTILE)
def test_every_piece_shows_hostile_text_as_text(what: str) -> None:
    hostile = HOSTILE[what]
    made = Injection("number", hostile, (0, len(hostile)), hostile[::-1], (0, len(hostile)))
    found, place = elimination(verdict(hostile, kept=False)), (made, (0, len(hostile)))
    played = Round((Item(hostile), Item(hostile, made)))
    drift = DriftClaim(hostile, "supported", "number", hostile)
    pieces = [
        views.change(made),
        views.backdrop(hostile, found, [place]),
        views.claim_list(found, TALK, [place]),
        views.revealed(played, {0}, [found.verdicts, found.verdicts], TALK),
        views.mistakes([(drift, found.verdicts, TALK)]),
        views.mistakes([(drift, (), TALK)]),
    ]
    for html in pieces:
        assert not read(html).faults
        assert shown(hostile).strip() in text_of(html)


def test_a_change_says_what_became_what() -> None:
    assert text_of(views.change(injection())) == "Number 400 → 500"
    assert text_of(views.change(replace(injection(), span=(9, 9)))) == "Number removed 400"
    assert text_of(views.change(replace(injection(), replaced=(9, 9)))) == "Number added 500"


def test_the_headline_counts_caught_drift() -> None:
    kept, dropped = verdict("It costs 500 euros."), verdict("All of it is gone.", 20, kept=False)
    found = elimination(kept, dropped)
    places = [(injection(), (9, 12)), (injection(), (24, 27))]
    assert "1 of 2" in text_of(views.headline(found, places))
    assert views.touched(found.verdicts, (9, 12)) == [kept]
    assert views.touched(found.verdicts, (19, 19)) == []
    assert "–" in text_of(views.headline(found, []))


def test_changed_claims_come_first() -> None:
    found = elimination(verdict("It costs 500 euros."), verdict("All of it is gone.", 20, kept=False))
    shown_text = text_of(views.claim_list(found, TALK, [(injection(), (24, 27))]))
    assert shown_text.index("All of it is gone.") < shown_text.index("It costs 500 euros.")
    assert shown_text.startswith("Changed 1")
    assert "No claims" in views.claim_list(elimination(), TALK, [])


def test_the_table_of_rates_has_its_numbers() -> None:
    table = (KindRate("date", 4, 3, 2, 1), KindRate("unit", 0, 0, 1, 0), KindRate("", 4, 3, 3, 1))
    shown_text = text_of(views.rate_table(table))
    assert "Date75%3 of 450%1 of 2" in shown_text
    assert "Unitnone in the pack0%0 of 1" in shown_text
    assert "All kinds75%3 of 433%1 of 3" in shown_text
    assert 'style="width:75.0%"' in views.rate_table(table)
    assert views.describe_rates(table) == "Of 4 drifted claims 3 are dropped; of 3 true claims 1 are."


def test_disagreements_are_told_apart() -> None:
    missed = DriftClaim("a", "unsupported", "date", "because")
    lost = DriftClaim("b", "supported", "unit", "indeed")
    rows = [
        (missed, (verdict("a"),), TALK),
        (lost, (verdict("b", kept=False),), TALK),
        (DriftClaim("c", "supported", "unit", ""), (verdict("c"),), TALK),
    ]
    shown_text = text_of(views.mistakes(rows))
    assert shown_text.startswith("Drift that is kept 1")
    assert "True claims that are dropped 1" in shown_text
    assert "because" in shown_text
    assert "agrees" in views.mistakes(rows[2:])


def test_a_revealed_round_says_who_was_right() -> None:
    played = Round((Item("True one."), Item("It costs 500 euros.", injection())))
    judged = [(verdict("True one."),), (verdict("It costs 500 euros.", kept=False),)]
    html = views.revealed(played, {0}, judged, TALK)
    assert html.count("mg-call mg-right") == 2  # MemGuard, twice
    assert html.count("mg-call mg-mistaken") == 2  # the person, twice
    assert "MemGuard wins." in views.score(played, {0}, {1})
    assert "You win." in views.score(played, {1}, {0})
    assert "A draw." in views.score(played, {1}, {1})


def test_the_material_of_a_run_is_what_it_kept() -> None:
    trace = handmade()
    made = material.material(trace, None, material.TRUE)
    assert (made.origin, made.summary) == (material.PARAGRAPH, trace[Compression].paragraph)
    kept = [v.claim.judged_as for v in trace[Elimination].kept]
    assert list(made.claims) == [text if text.endswith((".", "!", "?")) else f"{text}." for text in kept]
    assert made.subject == material.material(trace, None, material.PARAGRAPH).subject


def test_a_mistake_is_found_again_after_an_edit_and_lost_when_overwritten() -> None:
    current = Lab(text="Well. It costs 500 euros.")
    made = injection()
    assert current.place(made) is None or current.text[slice(*current.place(made))] == "500"
    current.text = "It costs 500 euros. And 500 more."
    assert current.place(made) == (9, 12)
    current.text = "It costs 600 euros."
    assert current.place(made) is None


def test_every_kind_of_drift_has_a_name() -> None:
    ground = Ground.of(TALK)
    for kind in choices.KIND_NAMES:
        inject("The deposit is 400 euros.", kind, ground)
    assert len(set(choices.KIND_NAMES.values())) == len(choices.KIND_NAMES)
