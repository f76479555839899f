"""``memguard bench retention``: references, systems, labels and tables, on values one can check by hand."""

from __future__ import annotations

import gzip
import json

import pytest

from memguard.bench.retention import run as bench
from memguard.bench.retention import systems
from memguard.bench.retention.labels import Labelled, by_hand, drawn, read_labels
from memguard.bench.retention.measure import budget_of, kinds_of, run_system, summed
from memguard.bench.retention.references import (
    PRIMOCK,
    QMSUM,
    SAMPLES,
    Reference,
    handed_references,
    items_of,
    sample_references,
)
from memguard.bench.retention.report import RetentionReport, Row
from memguard.compressor import joined
from memguard.errors import BenchmarkDataError
from memguard.facts import FactClass, Statement
from memguard.grounding.reading.words import content_keys
from memguard.guard import MemGuard
from memguard.messages import Conversation
from memguard.models.tokens import BartTokenCounter
from memguard.settings import Settings
from memguard.transcripts import Fact
from tests.fakes import FakeEmbedder, FakeSummarizer

COUNTER = BartTokenCounter()
TALK = Conversation.from_messages(
    [
        {"role": "user", "speaker": "Ada", "content": "Hello there. How are you all today?"},
        {"role": "user", "speaker": "Ben", "content": "The boat Marina costs 4,200 euros. It is blue."},
        {"role": "user", "speaker": "Ada", "content": "Then we sell it on 3 May 2026."},
    ]
)
FACTS = (Fact("The boat costs 4,200 euros.", ("1",)), Fact("It is sold on 3 May 2026.", ("2",)))
TOLD = Reference(SAMPLES, "boat", TALK, facts=FACTS)


def quiet(_label):
    return None


def handed(folder, dataset, *rows):
    path = folder / "bench" / "conversations" / f"{dataset}.jsonl.gz"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress("".join(json.dumps(row) + "\n" for row in rows).encode()))


def consultation(name="c1", note="Cough 3/7.\nNil fever.\nAllergic to latex gloves."):
    said = [
        ("doctor", "Any fever?"),
        ("patient", "No fever, just a cough, three days. 3/7 you write."),
    ]
    messages = [{"speaker": speaker, "content": text} for speaker, text in said]
    return {"id": name, "messages": messages, "reference_summaries": [note], "qa": []}


# References


def test_an_item_is_asked_for_by_the_words_that_the_transcript_says():
    said = content_keys("The boat costs 4,200 euros and it is blue.")
    (item,) = items_of(["The boat costs 4,200 euros.\nNobody swims here today"], said)
    assert item.text == "The boat costs 4,200 euros."
    assert item.units == content_keys(item.text)


def test_an_item_of_one_word_or_of_mostly_other_words_is_no_reference():
    said = content_keys("The boat is blue.")
    assert items_of(["Boat", "Blue boats sink slowly in every harbour of Norway"], said) == ()


def test_handed_references_are_read_with_speakers_and_limited_evenly(tmp_path):
    handed(tmp_path, PRIMOCK, *(consultation(f"c{i}") for i in range(4)))
    found = handed_references(PRIMOCK, folder=tmp_path, limit=2)
    assert [one.name for one in found] == ["c0", "c2"]
    assert [m.speaker for m in found[0].conversation] == ["Doctor", "Patient"]
    assert [item.text for item in found[0].items] == ["Cough 3/7."]


def test_answers_are_the_references_of_a_meeting(tmp_path):
    messages = [{"speaker": "PM", "content": "We agreed to paint the boat blue."}]
    qa = [{"question": "What colour?", "answer": "They agreed on a blue boat."}]
    handed(tmp_path, QMSUM, {"id": "q1", "messages": messages, "reference_summaries": ["No."], "qa": qa})
    (found,) = handed_references(QMSUM, folder=tmp_path)
    assert [item.text for item in found.items] == ["They agreed on a blue boat."]


@pytest.mark.parametrize("row", [{"id": "c1"}, {"id": "c1", "messages": [{"content": "x"}]}])
def test_a_row_of_another_form_names_file_and_line(tmp_path, row):
    handed(tmp_path, PRIMOCK, consultation(), row)
    with pytest.raises(BenchmarkDataError, match=r"primock57\.jsonl\.gz, line 2: not a conversation"):
        handed_references(PRIMOCK, folder=tmp_path)


def test_a_set_that_is_not_at_hand_is_named_and_left_out(tmp_path):
    options = bench.Options(Settings(), datasets=(SAMPLES, PRIMOCK), folder=tmp_path)
    sets, missing = bench.references_of(options)
    assert list(sets) == [SAMPLES]
    assert missing == ["primock57: the handed data is not here, so it was left out"]


def test_a_damaged_file_is_not_called_absent(tmp_path):
    handed(tmp_path, PRIMOCK, consultation())
    path = tmp_path / "bench" / "conversations" / "primock57.jsonl.gz"
    path.write_bytes(path.read_bytes()[:40])
    options = bench.Options(Settings(), datasets=(PRIMOCK,), folder=tmp_path)
    with pytest.raises(BenchmarkDataError, match="cannot be read"):
        bench.references_of(options)


def test_the_samples_come_with_their_facts():
    found = sample_references()
    assert len(found) == 8
    assert all(one.facts and not one.items for one in found)


# Systems


@pytest.mark.parametrize("ratio", [1.5, 3.0])
@pytest.mark.parametrize("make", [systems.last_messages, systems.truncation, systems.lexrank])
def test_every_baseline_stays_within_its_budget(make, ratio):
    reference = sample_references()[0]
    budget = budget_of(reference.conversation, ratio, COUNTER)
    output = make(COUNTER)(reference.conversation, budget)
    assert 0.8 * budget <= COUNTER.count(output.text) <= budget
    assert output.statements


def test_the_last_messages_are_whole_and_the_last():
    budget = COUNTER.count(TALK.messages[2].line) + 1
    output = systems.last_messages(COUNTER)(TALK, budget)
    assert output.text == "Ada: Then we sell it on 3 May 2026."
    assert output.statements == (Statement("Then we sell it on 3 May 2026.", ("2",), "Ada"),)


def test_truncation_is_the_beginning():
    output = systems.truncation(COUNTER)(TALK, 12)
    assert joined(TALK).startswith(output.text)
    assert output.text.startswith("Ada: Hello there.")


def test_lexrank_quotes_whole_sentences_once_in_their_order():
    twice = Conversation.from_messages(
        [{"role": "user", "content": "The boat is blue. The blue boat is old. The boat is blue."}] * 2
    )
    output = systems.lexrank(COUNTER)(twice, 200)
    assert [s.text for s in output.statements] == ["The boat is blue.", "The blue boat is old."]


def test_a_summarizer_alone_is_checked_by_nothing():
    output = systems.summarizer_system(FakeSummarizer("Ada bought a car. It is red."))(TALK, 50)
    assert [s.text for s in output.statements] == ["Ada bought a car.", "It is red."]


# Measures


def test_recall_counts_the_facts_that_are_stated_and_their_classes():
    def quoting(conversation, _budget):
        text = conversation.messages[1].content
        return systems.Output(text, (Statement(text, ("1",), "Ben"),))

    runs = run_system("quoting", quoting, [TOLD], ratio=2.0, counter=COUNTER, progress=quiet)
    measured = summed("quoting", runs)
    assert runs[0].recalled == (1.0, 0.0)
    assert measured.recall == 0.5
    assert measured.by_class["price"] == (1.0, 1)
    assert measured.by_class["date"] == (0.0, 1)
    expected = COUNTER.count(joined(TALK)) / COUNTER.count(TALK.messages[1].content)
    assert measured.ratio == pytest.approx(expected)


def test_the_share_of_an_item_that_is_found_counts(tmp_path):
    handed(tmp_path, PRIMOCK, consultation(note="Cough and fever denied, three days"))
    (reference,) = handed_references(PRIMOCK, folder=tmp_path)

    def saying(_conversation, _budget):
        return systems.Output("A cough.", (Statement("A cough.", ()),))

    (run,) = run_system("s", saying, [reference], ratio=2.0, counter=COUNTER, progress=quiet)
    assert 0 < run.recalled[0] < 1


def test_the_kinds_of_a_fact_are_those_of_its_own_sentence():
    assert {FactClass.PRICE, FactClass.DATE} <= kinds_of("The boat was sold for 4,200 euros on 3 May 2026.")


# By hand


def label(statement, supported=True, system="s", conversation="boat"):
    return Labelled(system, SAMPLES, conversation, "Ben", statement, supported)


def run_saying(*texts):
    def saying(_conversation, _budget):
        return systems.Output("\n".join(texts), tuple(Statement(text, ("1",), "Ben") for text in texts))

    return run_system("s", saying, [TOLD], ratio=2.0, counter=COUNTER, progress=quiet)


def test_labels_tell_their_share_and_how_many_statements_are_still_made():
    labels = [label("It is blue."), label("It is red.", supported=False), label("x", system="other")]
    told = by_hand("s", SAMPLES, labels, run_saying("It is blue.", "It is old."))
    assert (told.supported, told.n, told.current) == (0.5, 2, 1)


def test_a_system_without_labels_has_no_share_by_hand():
    assert by_hand("s", SAMPLES, [label("x", system="other")], run_saying("It is blue.")) is None


def test_statements_are_drawn_evenly_without_a_label_and_the_same_each_time():
    runs = {"a": run_saying("One.", "Two.", "Three."), "b": run_saying("Four.")}
    rows = drawn(runs, 2)
    assert rows == drawn(runs, 2)
    assert sorted(row["system"] for row in rows) == ["a", "a", "b"]
    assert {row["supported"] for row in rows} == {None}


def test_a_drawn_row_with_a_label_is_read_back(tmp_path):
    (row,) = drawn({"s": run_saying("It is blue.")}, 1)
    path = tmp_path / "labels.jsonl"
    path.write_text(json.dumps({**row, "supported": False}) + "\n", "utf-8")
    assert read_labels(path) == (label("It is blue.", supported=False),)


@pytest.mark.parametrize("supported", [None, "yes", 1])
def test_a_row_that_is_not_labelled_names_its_line(tmp_path, supported):
    (row,) = drawn({"s": run_saying("It is blue.")}, 1)
    path = tmp_path / "labels.jsonl"
    path.write_text("\n" + json.dumps({**row, "supported": supported}) + "\n", "utf-8")
    with pytest.raises(BenchmarkDataError, match="line 2: supported must be true or false"):
        read_labels(path)


def test_the_labels_that_ship_are_labelled_statements_of_our_systems():
    assert {one.system for one in read_labels()} <= set(bench.SYSTEMS)


# The run


def test_a_run_measures_every_system_and_says_what_is_missing(tmp_path, monkeypatch):
    monkeypatch.setattr(bench, "sample_references", lambda: (TOLD,))
    monkeypatch.setattr(bench, "models_of", lambda _settings: {"embedder": "fake"})
    settings = Settings().with_value("compression.summarizer", "extractive")
    guard = MemGuard(settings, embedder=FakeEmbedder(), summarizer=FakeSummarizer(), counter=COUNTER)
    chosen = tuple(name for name in bench.SYSTEMS if name not in bench.ALONE)
    options = bench.Options(
        settings,
        ratio=1.2,
        datasets=(SAMPLES, QMSUM),
        systems=chosen,
        folder=tmp_path,
        statements=tmp_path / "statements.jsonl",
    )
    report = bench.measure(guard, options, progress=quiet)
    assert [row.measured.system for row in report.rows] == list(chosen)
    assert report.command == (
        "memguard bench retention --ratio 1.2 --sets samples,qmsum_val "
        '--systems "memguard,memguard without rescue,last messages,truncation,lexrank"'
    )
    assert all(row.measured.supported == 1.0 for row in report.rows if "memguard" not in row.measured.system)
    assert "Not measured: qmsum_val" in report.to_markdown()
    assert json.loads(json.dumps(report.to_dict()))["rows"][0]["measured"]["system"] == "memguard"
    drawn_rows = [
        json.loads(line) for line in (tmp_path / "statements.jsonl").read_text("utf-8").splitlines()
    ]
    assert {row["system"] for row in drawn_rows} <= set(chosen)


def test_statements_that_are_not_the_transcripts_words_go_to_elimination():
    guard = MemGuard(embedder=FakeEmbedder(), summarizer=FakeSummarizer(), counter=COUNTER)
    judge = bench.judge_of(guard, Settings())
    said = [Statement(t, ()) for t in ("It is blue.", "The boat Marina costs 9,900 euros.", "Quarks decay.")]
    assert judge(TALK, said) == [True, False, False]


def test_the_targets_are_those_of_the_samples():
    runs = run_saying("It is blue.")
    report = RetentionReport("c", "m", {}, 3.0, (Row(summed("memguard", runs), None),), ())
    assert not report.reached
    assert "| memguard |" in report.to_markdown()
