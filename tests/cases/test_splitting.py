"""The handed cases of splitting, and OPS-004."""

import json
import socket

import pytest

from memguard import audit, cli, wire
from memguard.cli.codes import DONE
from memguard.eliminator import Elimination
from memguard.grounding.verdicts import Label
from memguard.models import loading
from memguard.reconstructor import Reconstruction
from memguard.segmentation import sentence_spans, sentences
from tests.support import FakeCounter, FakeEmbedder, guard

SPLIT = [f"SPL-{n:03}" for n in (2, 4, 5, 6, 8, 10, 12, 14, 15, 16)]


@pytest.mark.parametrize("case", SPLIT, indirect=True)
def test_splitting_gives_the_expected_sentences(case):
    text = case["input"]["text"]
    assert list(sentences(text)) == case["expected"]["sentences"]
    for start, end in sentence_spans(text):
        assert any(map(str.isalnum, text[start:end])), "no sentence consists of punctuation only (SPL-008)"


@pytest.mark.parametrize("case", ["SPL-022"], indirect=True)
@pytest.mark.parametrize(
    "said", [["Order 5521 shipped on 3 June."], ["It rained.", "Nobody came. It weighs 2 kg."], []]
)
def test_splitting_reports_only_what_the_summary_says(case, said):
    """A17, A20: one verdict a claim, whatever the transcript holds, and each stands in the summary."""
    summary = case["input"]["summary"]

    trace = guard().check(summary, [{"content": text} for text in said])

    claims = [verdict.claim for verdict in trace[Elimination].verdicts]
    assert [claim.text for claim in claims] == [summary[slice(*claim.span)] for claim in claims]
    assert "".join("".join(claim.text for claim in claims).split()) == "".join(summary.split())
    assert len({claim.id for claim in claims}) == len(claims) == 2
    rows = [row for row in wire.claim_rows(trace) if row["start"] is not None]
    assert [row["text"] for row in rows] == [claim.text for claim in claims]


@pytest.mark.parametrize("case", ["OPS-004"], indirect=True)
def test_splitting_needs_no_network_and_no_download(case, monkeypatch):
    def refuse(*args, **kwargs):
        raise AssertionError("the splitter opened a socket")

    monkeypatch.setattr(socket, "socket", refuse)
    assert list(sentences(case["input"]["text"])) == case["expected"]["sentences"]


@pytest.mark.parametrize("case", ["SPL-020"], indirect=True)
def test_splitting_judges_claims_with_their_subject(case):
    """F23: ``judged_as`` is self-contained; ``text`` stays verbatim and points into the summary."""
    summary = case["input"]["summary"]

    verdicts = guard().check(summary, [{"content": summary}])[Elimination].verdicts

    judged = [verdict.claim.judged_as.rstrip(".") for verdict in verdicts]
    assert judged == [claim["text"] for claim in case["expected"]["claims"]]
    assert all(v.claim.text == summary[slice(*v.claim.span)] for v in verdicts)


def checked(summary, said):
    """Check a summary whose every sentence is as near to what was said as can be."""
    alike = FakeEmbedder(table={text: [1.0] for text in (said, *sentences(summary))})
    return guard(embedder=alike).check(summary, [{"role": "user", "content": said}])


def assert_no_claims(trace, texts):
    """Assert that these are no claims: kept false, in no payload, and no drop."""
    elimination = trace[Elimination]
    rows = {row["text"]: row for row in wire.claim_rows(trace) if row["label"] == Label.NOT_A_CLAIM}
    assert list(rows) == texts
    assert not any(row["kept"] for row in rows.values())
    assert not {v.claim.text for v in elimination.dropped} & set(texts)
    assert not {piece.text for piece in trace[Reconstruction].pieces} & set(texts)


@pytest.mark.parametrize("case", ["SPL-021"], indirect=True)
def test_splitting_tells_claims_from_greetings_and_questions(case):
    expected = case["expected"]

    trace = checked(case["input"]["summary"], "I want a window seat.")

    elimination = trace[Elimination]
    assert_no_claims(trace, expected["non_claims"])
    claims = [v for v in elimination.verdicts if v.label is not Label.NOT_A_CLAIM]
    assert [v.claim.text for v in claims] == expected["claims"]
    counted = elimination.verdicts if expected["non_claims_counted_in_support_rate"] else claims
    assert elimination.support_rate == sum(v.kept for v in claims) / len(counted)


@pytest.mark.parametrize("case", ["SPL-023"], indirect=True)
def test_splitting_finds_no_claim_in_thanks(case, tmp_path, monkeypatch, capsys):
    summary, expected = case["input"]["summary"], case["expected"]
    said = "The parcel is at the post office."

    trace = checked(summary, said)

    verdicts = trace[Elimination].verdicts
    assert_no_claims(trace, [v.claim.text for v in verdicts])
    assert trace[Elimination].support_rate is expected["support_rate"]
    row = wire.result(trace, audit_head=audit.head(audit.records(trace)))
    assert ("NaN" in json.dumps([row, audit.dumps(audit.records(trace))])) is expected["nan_anywhere"]

    (tmp_path / "chat.json").write_text(json.dumps([{"content": said}]), encoding="utf-8")
    (tmp_path / "summary.txt").write_text(summary, encoding="utf-8")
    monkeypatch.setattr(loading, "load_embedder", lambda *_a, **_k: FakeEmbedder())
    monkeypatch.setattr(loading, "load_counter", FakeCounter)
    files = ["--transcript", str(tmp_path / "chat.json"), "--summary", str(tmp_path / "summary.txt")]
    assert cli.main(["check", *files, "--fail-on-drop"]) == DONE
    assert expected["display"] in capsys.readouterr().err
