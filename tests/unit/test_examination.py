"""Everything that is measured of a claim, before any threshold."""

from __future__ import annotations

import pytest

from memguard.grounding import examination
from memguard.grounding.claims import extract_claims
from memguard.grounding.evidence import find_candidates
from memguard.grounding.examination import Examiner
from memguard.grounding.sources import speakers_of
from memguard.grounding.support import features_of, support_model
from memguard.grounding.verdicts import Finding, Measures, Severity
from memguard.messages import Conversation
from memguard.settings import EliminationSettings
from tests.fakes import FakeEmbedder, FakeEntailment
from tests.support import user

TALK = user("Ben paid 40 euros for the old bicycle.", "It rained in Lyon. Ada sold the boat.")


def examine(summary, messages=TALK, *, entailment=None, embedder=None, **settings):
    embedder = embedder or FakeEmbedder()
    chosen = EliminationSettings(**settings)
    conversation = Conversation.from_messages(messages)
    speakers = speakers_of(conversation)
    candidates = find_candidates(conversation, embedder, chosen)
    examiner = Examiner(candidates, speakers, embedder, chosen, entailment)
    return examiner.examine(extract_claims(summary, speakers=speakers))


def said(span, messages=TALK):
    return messages[int(span.message_id)]["content"][span.start : span.end]


def test_a_verbatim_claim_has_its_words_its_place_and_nothing_against_it():
    """A22."""
    (found,) = examine("Ben paid 40 euros for the old bicycle.")

    assert said(found.evidence[0].span) == found.claim.text
    assert found.similarity == found.evidence[0].similarity == 1.0
    assert found.first(Severity.CONTRADICTION) is found.first(Severity.MISSING) is None
    assert (found.unsupported, found.review) == ((), "")
    measures = found.measures
    assert (measures.overlap, measures.recall, measures.weakest, measures.locality) == (1.0, 1.0, 1.0, 1.0)
    assert (measures.entailed, measures.refuted) == (None, None)
    assert measures.n_words == 6


def test_every_claim_is_measured_in_order_and_as_alone():
    """Batch = single."""
    summary = "Ada sold the boat. Ben paid 50 euros. Is it late? Nobody lives in Rio."

    together = examine(summary)

    assert [found.claim.id for found in together] == ["c1", "c2", "c3", "c4"]
    assert [found.claim.is_statement for found in together] == [True, True, False, True]
    for found in together:
        assert 0.0 <= found.support <= 1.0
        for a, b in found.unsupported:
            assert found.claim.text[a:b].strip()


def test_what_a_guard_saw_points_into_the_text_of_the_claim():
    """``judged_as`` has other offsets: a pronoun followed, a subject carried over."""
    summary = "Ben came and paid 50 euros for the old bicycle. He paid 60 euros for the bicycle."

    found = examine(summary, [{"speaker": "Ben", "content": "I came. I paid 40 euros for the old bicycle."}])

    seen = {f.guard: (claim.claim, f) for claim in found for f in claim.findings if f.guard == "quantities"}
    assert seen
    for claim in found:
        for finding in claim.findings:
            a, b = finding.claim_span
            assert 0 <= a <= b <= len(claim.claim.text)
            if finding.guard == "quantities":
                assert claim.claim.text[a:b] in {"50 euros", "60 euros", "50", "60"}
    assert any(claim.claim.text != claim.claim.judged_as for claim in found)


def test_a_span_of_a_finding_is_that_of_the_words_in_the_text(monkeypatch):
    """Whatever the guard: in the self-contained form the word stands elsewhere."""

    def guard(inquiry):
        at = inquiry.text.find("moved")
        return (Finding("dates", Severity.NOTE, (at, at + 5), None, "seen"),) if at >= 0 else ()

    monkeypatch.setattr(examination, "findings_of", guard)

    found = examine("Rosa sold her flat and moved to Bremen.", user("Rosa moved."))

    seen = [(claim.claim, finding.claim_span) for claim in found for finding in claim.findings]
    assert [claim.text[slice(*span)] for claim, span in seen] == ["moved"]
    ((claim, _),) = seen
    assert claim.text != claim.judged_as


@pytest.mark.parametrize("guards", ["on", "off"])
def test_guards_can_be_switched_off(guards, monkeypatch):
    finding = Finding("quantities", Severity.CONTRADICTION, (0, 3), None, "seen")
    monkeypatch.setattr(examination, "findings_of", lambda inquiry: (finding,))

    (found,) = examine("Ben paid 50 euros.", guards=guards)

    assert found.findings == ((finding,) if guards == "on" else ())
    parts = {"alignment", "guards"} if guards == "on" else {"alignment"}
    features = features_of(found.similarity, found.measures, found.findings)
    assert found.support == support_model(frozenset(parts))(features)


def test_alignment_can_be_switched_off():
    """Then nothing is known of single words, and no token vector is made."""
    embedder = FakeEmbedder()

    (found,) = examine("Ben paid in Rio.", embedder=embedder, alignment="off", guards="off")

    assert embedder.token_calls == []
    assert found.unsupported == ()
    assert found.measures == Measures(overlap=found.measures.overlap, n_words=3)
    assert found.support == support_model(frozenset())(features_of(found.similarity, found.measures, ()))


def test_words_that_the_evidence_does_not_hold_are_named_in_the_text():
    (found,) = examine("Ben stole the old submarine.")

    assert {found.claim.text[a:b] for a, b in found.unsupported} == {"stole", "submarine"}
    assert found.unsupported == tuple(sorted(found.unsupported))


def test_an_unsupported_word_in_a_place_that_was_carried_over_is_not_underlined_twice():
    """A subject that was put in has no place in the text."""
    found = examine("Zanzibar stole the bicycle and burned the boat.")

    for claim in found:
        for a, b in claim.unsupported:
            assert a < b
        assert len(set(claim.unsupported)) == len(claim.unsupported)


# Evidence


def test_the_ground_is_cited_first_and_the_nearest_places_stay():
    """The sentence a claim rests on may not be the nearest by cosine."""
    messages = user("The lease with Brennholt ends.", "x y.", "u v.")
    claim = "Brennholt was there."
    table = {claim: [1, 0], messages[0]["content"]: [0.2, 1], "x y.": [1, 0.1], "u v.": [1, 0.2]}

    (found,) = examine(claim, messages, embedder=FakeEmbedder(table=table), evidence_kept=1)

    assert [said(e.span, messages) for e in found.evidence] == ["The lease with Brennholt ends.", "x y."]
    assert found.evidence[0].similarity < found.evidence[1].similarity
    assert found.similarity == found.evidence[1].similarity


def test_the_ground_is_not_cited_beside_a_place_that_holds_it():
    """No two places of a claim overlap."""
    for claim in examine("Ada sold the boat. Ben paid 40 euros. It rained.", evidence_kept=3):
        spans = [e.span for e in claim.evidence]
        for i, a in enumerate(spans):
            for b in spans[i + 1 :]:
                assert a.message_id != b.message_id or a.end <= b.start or b.end <= a.start


# What cannot be judged


def test_another_language_needs_review_and_is_not_guarded():
    """Issue 3: it never pretends."""
    german = "Der Kunde hat am Montag fünfzig Euro für das alte Fahrrad bezahlt."

    (found,) = examine(german)

    assert "language" in found.review
    assert found.findings == ()
    assert found.evidence


def test_arithmetic_that_is_not_done_needs_review(monkeypatch):
    note = Finding("quantities", Severity.NOTE, (0, 3), None, "arithmetic: a sum of three figures")
    monkeypatch.setattr(examination, "findings_of", lambda inquiry: (note,))

    assert examine("Ben paid 70 euros.")[0].review == "arithmetic: a sum of three figures"


def test_arithmetic_that_another_finding_settles_needs_none(monkeypatch):
    note = Finding("quantities", Severity.NOTE, (0, 3), None, "arithmetic: a sum")
    settled = Finding("quantities", Severity.CONTRADICTION, (0, 3), None, "70 where 40 is said")
    monkeypatch.setattr(examination, "findings_of", lambda inquiry: (note, settled))

    assert examine("Ben paid 70 euros.")[0].review == ""


# Entailment


def test_an_entailment_model_reads_the_evidence_with_its_speakers():
    model = FakeEntailment()
    messages = [{"speaker": "Ada", "content": "I sold the boat."}, {"speaker": "Ben", "content": "Good."}]

    held, refuted = examine("Ada sold the boat. The boat was wrong.", messages, entailment=model)

    assert model.pairs[0] == ("Ada: I sold the boat.\nBen: Good.", "Ada sold the boat.")
    assert (held.measures.entailed, held.measures.refuted) == pytest.approx((0.9, 0.02))
    assert (refuted.measures.entailed, refuted.measures.refuted) == pytest.approx((0.05, 0.9))
    parts = frozenset({"alignment", "entailment", "guards"})
    features = features_of(held.similarity, held.measures, held.findings)
    assert held.support == support_model(parts)(features)


def test_the_claims_of_a_summary_are_scored_in_one_call():
    calls = []
    model = FakeEntailment()
    score = model.score
    model.score = lambda premises, hypotheses: calls.append(len(premises)) or score(premises, hypotheses)

    examine("Ada sold the boat. It rained in Lyon. Ben paid.", entailment=model)

    assert calls == [3]


def test_an_answer_that_cannot_be_read_needs_review():
    """Issue 3: a malformed answer means "needs review"."""
    read, unread = examine("Ada sold the boat. The boat is unreadable.", entailment=FakeEntailment())

    assert read.review == ""
    assert unread.review == "the verifier gave no answer that could be read"
    assert (unread.measures.entailed, unread.measures.refuted) == (None, None)
    assert 0.0 <= unread.support <= 1.0


def test_without_a_transcript_nothing_is_measured():
    """Neither guards nor a model are asked of nothing."""
    model = FakeEntailment()

    (found,) = examine("Ben paid.", [], entailment=model)

    assert (found.evidence, found.findings, found.support, found.similarity) == ((), (), None, 0.0)
    assert model.pairs == []
    assert examine("", TALK) == ()


def test_nothing_to_examine_runs_no_model():
    embedder = FakeEmbedder()
    settings = EliminationSettings()
    candidates = find_candidates(Conversation.from_messages(TALK), embedder, settings)
    embedder.calls.clear()

    assert Examiner(candidates, ("User",), embedder, settings).examine(()) == ()
    assert embedder.calls == []


def test_many_claims_are_measured_as_few():
    """They are compared in blocks."""
    summary = " ".join(f"Ben paid {n} euros." for n in range(140))

    together = examine(summary)

    assert len(together) == 140
    for found in (together[0], together[127], together[128], together[139]):
        (alone,) = examine(found.claim.text)
        assert (alone.evidence, alone.support) == (found.evidence, found.support)
