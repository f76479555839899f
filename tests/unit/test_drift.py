"""Drift on purpose: each kind changes what it names, says where, and is made again by its seed."""

from __future__ import annotations

import random

import pytest

from memguard.drift import Ground, Injection, Pack, inject, inject_into, is_kept, make_round, offered, rates
from memguard.drift.injection import changed
from memguard.eliminator import Elimination
from memguard.errors import InvalidParameterError
from memguard.grounding.claims import Claim, ClaimKind
from memguard.grounding.verdicts import Label, Reason, Verdict
from memguard.guard import given
from memguard.messages import Conversation
from memguard.transcripts.samples import KINDS, DriftClaim, load_sample, sample_paths
from tests.support import guard

TALK = Conversation.from_messages(
    [
        {
            "role": "user",
            "speaker": "Mira Voss",
            "content": "The rent deposit is 400 euros, due on Friday 12 June at 9:30.",
        },
        {
            "role": "assistant",
            "speaker": "Jonas",
            "content": "I met the landlord in Truro. Sorry, the rent deposit is now 450 euros.",
        },
        {
            "role": "user",
            "speaker": "Mira Voss",
            "content": "Then I will pay the deposit by card. The box weighs 3 kg. I do not eat meat in Lyon.",
        },
        {
            "role": "tool",
            "speaker": "read_file",
            "content": "src/app.py and src/main.py were read by the tool.",
        },
    ]
)
TRUE = {
    "number": "There are 12 boxes of books.",
    "date": "The rent deposit is due on Friday.",
    "unit": "The box weighs 3 kg.",
    "name": "Jonas met the landlord in Truro.",
    "speaker": "Mira will pay the deposit by card.",
    "negation": "Mira does not eat meat.",
    "plan_as_done": "Mira will pay the deposit by card.",
    "superseded": "The rent deposit is 450 euros.",
    "invention": "Mira will pay the deposit by card.",
}
WRONG = {
    "unit": "The box weighs 3 pounds.",
    "name": "Jonas met the landlord in Lyon.",
    "speaker": "Jonas will pay the deposit by card.",
    "negation": "Mira does eat meat.",
    "superseded": "The rent deposit is 400 euros.",
}


@pytest.fixture(scope="module")
def ground() -> Ground:
    return Ground.of(TALK, tuple(TRUE.values()))


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_changes_a_claim_and_says_where(kind: str, ground: Ground) -> None:
    for seed in range(5):
        made = inject(TRUE[kind], kind, ground, seed)
        assert made is not None
        assert made.kind == kind
        assert made.text != made.original == TRUE[kind]
        # Outside the two spans nothing has changed.
        assert made.original[: made.replaced[0]] == made.text[: made.span[0]]
        assert made.original[made.replaced[1] :] == made.text[made.span[1] :]
        assert made.was or made.now
        if kind in WRONG:
            assert made.text == WRONG[kind]


@pytest.mark.parametrize("kind", KINDS)
def test_a_seed_makes_the_same_mistake_again(kind: str, ground: Ground) -> None:
    fresh = Ground.of(TALK, tuple(TRUE.values()))
    assert inject(TRUE[kind], kind, ground, 7) == inject(TRUE[kind], kind, fresh, 7)


def test_seeds_find_different_mistakes(ground: Ground) -> None:
    made = {inject(TRUE["number"], "number", ground, seed) for seed in range(8)}
    assert len(made) > 1


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "invention"])
@pytest.mark.parametrize("claim", ["Yes indeed.", "", "   "])
def test_a_claim_without_a_place_for_a_kind_gives_none(kind: str, claim: str, ground: Ground) -> None:
    assert inject(claim, kind, ground) is None


def test_an_unknown_kind_names_the_kinds(ground: Ground) -> None:
    with pytest.raises(InvalidParameterError, match="must be one of number, date"):
        inject("Mira pays.", "typo", ground)


def test_a_number_of_a_date_is_the_dates_matter(ground: Ground) -> None:
    claim = "The deposit is due on Friday 12 June at 9:30."
    assert all(inject(claim, "number", ground, seed) is None for seed in range(5))
    for seed in range(10):
        made = inject(claim, "date", ground, seed)
        assert made is not None
        assert made.was in {"Friday", "12", "June", "9:30"}


def test_working_days_become_calendar_days(ground: Ground) -> None:
    made = inject("The refund takes five working days.", "unit", ground)
    assert made is not None
    assert (made.was, made.now) == ("working", "calendar")


def test_a_unit_that_the_evidence_gives_as_well_is_no_mistake() -> None:
    both = Ground.of(
        Conversation.from_messages([{"role": "user", "content": "It weighs 3 kg, or 3 pounds."}])
    )
    assert inject("It weighs 3 kg.", "unit", both) is None


def test_tools_are_no_speakers_and_a_path_gives_way_to_a_path(ground: Ground) -> None:
    assert ground.speakers == ("Mira Voss", "Jonas")
    made = inject("The tool read src/app.py.", "name", ground)
    assert made is not None
    assert made.text == "The tool read src/main.py."


def test_roles_are_called_as_a_claim_calls_them() -> None:
    talk = Ground.of(
        Conversation.from_messages(
            [{"role": "user", "content": "I like tea."}, {"role": "assistant", "content": "Noted."}]
        )
    )
    made = inject("The user likes tea.", "speaker", talk)
    assert made is not None
    assert made.text == "The assistant likes tea."


def test_a_double_negation_is_never_made(ground: Ground) -> None:
    assert inject("No refund had been sent.", "negation", ground) is None


def test_a_true_claim_is_no_mistake() -> None:
    claims = ("Mira does not eat meat.", "Mira does eat meat.")
    assert inject(claims[0], "negation", Ground.of(TALK, claims)) is None


@pytest.mark.parametrize(
    ("old", "new", "was", "now"),
    [
        ("It cost £412.50 then.", "It cost £112.50 then.", "£412.50", "£112.50"),
        ("Version 1.8.0 runs.", "Version 1.3.0 runs.", "1.8.0", "1.3.0"),
        ("It is open.", "It is not open.", "", "not "),
        ("It is open.", "It is open on Friday.", "", " on Friday"),
        ("Anna asks Ben.", "Ben asks Anna.", "Anna asks Ben", "Ben asks Anna"),
        ("at 5 pm", "at 5 pm", "", ""),
    ],
)
def test_changed_takes_whole_words_and_amounts(old: str, new: str, was: str, now: str) -> None:
    span, replaced = changed(old, new)
    assert (old[slice(*replaced)], new[slice(*span)]) == (was, now)


def test_changed_restores_any_text() -> None:
    rng = random.Random(0)
    for _ in range(300):
        old, new = ("".join(rng.choices("ab £1.-'", k=rng.randint(0, 12))) for _ in range(2))
        (start, end), (a, b) = changed(old, new)
        assert new[:start] + old[a:b] + new[end:] == old
        assert old[:a] + new[start:end] + old[b:] == new


def test_a_summary_is_changed_in_one_sentence_and_a_changed_one_is_left_alone(ground: Ground) -> None:
    summary = "The box weighs 3 kg. The walk takes 5 km. Mira eats."
    first = inject_into(summary, "unit", ground, 1)
    assert first is not None
    assert first.original == summary
    assert first.text[: first.span[0]] + first.was + first.text[first.span[1] :] == summary
    second = inject_into(first.text, "unit", ground, 1, taken=(first.span,))
    assert second is not None
    assert first.now in second.text
    assert inject_into(second.text, "unit", ground, 1, taken=(first.span, second.span)) is None


def test_offered_names_the_kinds_that_have_a_place(ground: Ground) -> None:
    assert offered("The box weighs 3 kg.", ground) == ("number", "unit", "invention")
    assert offered("", ground) == ()


def test_the_samples_offer_places_for_every_kind() -> None:
    """S5, issue 4: every kind can be injected into a sample's own true claims."""
    found = set()
    for path in sample_paths():
        sample = load_sample(path)
        true = [d.claim for d in sample.drift if d.label == "supported"] + [f.text for f in sample.facts]
        ground = Ground.of(sample.conversation, true)
        made = [inject(claim, kind, ground, 1) for claim in true for kind in KINDS]
        assert not {m.text for m in made if m is not None} & set(true)
        found |= {m.kind for m in made if m is not None}
    assert found == set(KINDS)


def test_a_round_is_fixed_by_seed_and_kind_and_holds_both_sorts(ground: Ground) -> None:
    claims = list(TRUE.values())
    made = make_round(claims, ground, size=6, seed=3)
    assert made == make_round(claims, ground, size=6, seed=3)
    assert len(made.items) == 6
    assert 0 < len(made.wrong) < 6
    assert any(make_round(claims, ground, size=6, seed=seed) != made for seed in range(4, 7))
    for number, item in enumerate(made.items):
        assert item.is_wrong is (number in made.wrong)
        assert (item.injection.original if item.injection else item.text) in claims
    one_kind = make_round(claims, ground, size=6, kind="speaker", seed=3)
    assert {i.injection.kind for i in one_kind.items if i.injection} == {"speaker"}


def test_a_round_counts_who_was_right(ground: Ground) -> None:
    made = make_round(list(TRUE.values()), ground, size=6, seed=3)
    assert made.n_right(made.wrong) == 6
    assert made.n_right(()) == 6 - len(made.wrong)
    assert made.n_right(set(range(6)) - made.wrong) == 0
    assert make_round([], ground).items == ()


def test_a_pack_judges_every_text_as_if_it_stood_alone() -> None:
    sample = load_sample(next(path for path in sample_paths() if path.stem == "support_refund"))
    texts = [drift.claim for drift in sample.drift]
    models = guard()

    def check(summary: str) -> tuple[Verdict, ...]:
        trace = models.pipeline.step(given(summary, sample.conversation, models.settings))
        return trace[Elimination].verdicts

    pack = Pack.of(texts)
    together = pack.verdicts(check(pack.text))
    assert [pack.text[slice(*span)] for span in pack.spans] == texts
    for text, verdicts in zip(texts[:12], together, strict=False):
        alone = [(v.claim.text, v.kept, v.similarity, v.support) for v in check(text)]
        assert [(v.claim.text, v.kept, v.similarity, v.support) for v in verdicts] == alone


def verdict(span: tuple[int, int] | None, *, kept: bool, label: Label = Label.SUPPORTED) -> Verdict:
    claim = Claim("c1", "text", span, "text", kind=ClaimKind.STATEMENT)
    return Verdict(claim, label, kept, Reason.SUPPORT_REACHED, 0.0, 0.0, ())


def test_a_text_is_kept_where_all_its_claims_are() -> None:
    assert is_kept([verdict((0, 4), kept=True)])
    assert not is_kept([verdict((0, 4), kept=True), verdict((5, 9), kept=False)])
    assert not is_kept([])
    pack = Pack.of(["one a", "two"])
    found = [
        verdict((0, 3), kept=True),
        verdict((7, 10), kept=False),
        verdict((4, 5), kept=False, label=Label.NOT_A_CLAIM),
        verdict(None, kept=True),
    ]
    assert [[v.kept for v in group] for group in pack.verdicts(found)] == [[True], [False]]


def test_rates_count_catches_and_false_drops_by_kind() -> None:
    drift = [
        DriftClaim("a", "unsupported", "date", ""),
        DriftClaim("b", "unsupported", "date", ""),
        DriftClaim("c", "supported", "date", ""),
        DriftClaim("d", "supported", "unit", ""),
    ]
    date, unit, total = rates(drift, [False, True, True, False])
    assert (date.kind, date.n_drifted, date.n_caught, date.n_true, date.n_dropped) == ("date", 2, 1, 1, 0)
    assert (date.catch_rate, date.false_drop_rate) == (0.5, 0.0)
    assert (unit.catch_rate, unit.false_drop_rate) == (None, 1.0)
    assert (total.kind, total.catch_rate, total.false_drop_rate) == ("", 0.5, 0.5)
    with pytest.raises(ValueError, match="shorter"):
        rates(drift, [True])


def test_an_injection_reads_as_a_sentence_about_itself(ground: Ground) -> None:
    made = inject(TRUE["unit"], "unit", ground)
    assert isinstance(made, Injection)
    assert (made.was, made.now) == ("kg", "pounds")
