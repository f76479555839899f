"""The sample conversations, and that a file of another form is refused."""

import hashlib
import json
from collections import Counter

import pytest

from memguard.errors import TranscriptError
from memguard.transcripts import load_sample, read_file, sample_paths
from memguard.transcripts.samples import KINDS, LABELS

PATHS = sample_paths()
VALID = {
    "title": "T",
    "description": "D",
    "license": "Apache-2.0",
    "messages": [
        {
            "id": "m1",
            "role": "user",
            "speaker": "Ann",
            "timestamp": "2026-01-01T10:00:00Z",
            "content": "Hi, 3 of us.",
        }
    ],
    "facts": [{"text": "Three people.", "message_ids": ["m1"]}],
    "drift": [{"claim": "Four people.", "label": "unsupported", "kind": "number", "reason": "m1: 3"}],
}


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_sample_is_valid_and_an_ordinary_transcript(path):
    sample = load_sample(path)
    assert sample.name == path.stem
    assert read_file(path).conversation == sample.conversation


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_written_sample_has_its_facts_and_drift(path):
    sample = load_sample(path)
    if sample.license != "Apache-2.0":
        assert "CC BY" in sample.license
        return
    assert len(sample.facts) >= 12
    assert len(sample.drift) >= 24
    labels = Counter(claim.label for claim in sample.drift)
    assert labels["supported"] == labels["unsupported"]
    kinds = Counter((claim.kind, claim.label) for claim in sample.drift)
    for kind in KINDS:
        assert kinds[kind, "supported"] == kinds[kind, "unsupported"] > 0, kind
    assert all(message.timestamp for message in sample.conversation)
    assert len({claim.claim for claim in sample.drift}) == len(sample.drift)


def test_samples_are_as_many_as_promised():
    samples = [load_sample(path) for path in PATHS]
    written = [sample for sample in samples if sample.license == "Apache-2.0"]
    assert len(written) >= 6
    assert len(samples) - len(written) >= 2
    assert max(len(sample.conversation) for sample in written) >= 200


def _write(tmp_path, value):
    path = tmp_path / "sample.json"
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def test_sample_is_read(tmp_path):
    sample = load_sample(_write(tmp_path, VALID))
    assert sample.facts[0].message_ids == ("m1",)
    assert (sample.drift[0].label, sample.drift[0].kind) == ("unsupported", "number")
    canonical = json.dumps(
        {"drift": VALID["drift"], "facts": VALID["facts"]},
        sort_keys=True,
        ensure_ascii=False,
        separators=(",", ":"),
    )
    assert sample.digest == hashlib.sha256(canonical.encode()).hexdigest()


def test_digest_of_a_sample_is_that_of_its_facts_and_drift(tmp_path):
    """Any edit of what results are measured on shows; the rest of the file does not count."""
    message = {**VALID["messages"][0], "id": "m2"}
    valid = {**VALID, "messages": [*VALID["messages"], message]}
    changed = [
        valid,
        {**valid, **_facts(text="Three.")},
        {**valid, **_facts(message_ids=["m2"])},
        {**valid, **_facts(message_ids=["m1", "m2"])},
        {**valid, "facts": VALID["facts"] * 2},
        {**valid, "facts": []},
        {**valid, **_drift(claim="Five people.")},
        {**valid, **_drift(label="supported")},
        {**valid, **_drift(kind="date")},
        {**valid, **_drift(reason="m1: three")},
        {**valid, "drift": VALID["drift"] * 2},
        {**valid, "drift": []},
    ]
    digests = [load_sample(_write(tmp_path, value)).digest for value in changed]

    assert len(set(digests)) == len(changed)
    for rest in (VALID, {**VALID, "title": "Other"}):
        assert load_sample(_write(tmp_path, rest)).digest == digests[0]


def _facts(**change):
    return {"facts": [{**VALID["facts"][0], **change}]}


def _drift(**change):
    return {"drift": [{**VALID["drift"][0], **change}]}


def _with(section, **change):
    return {**VALID, section: [{**VALID[section][0], **change}]}


def _without(section, key):
    return {**VALID, section: [{k: v for k, v in VALID[section][0].items() if k != key}]}


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ([], "the sample must be an object"),
        ({k: v for k, v in VALID.items() if k != "license"}, "the sample lacks 'license'"),
        ({**VALID, "notes": ""}, "the sample has the unknown 'notes'"),
        ({**VALID, "title": " "}, "title must be a text"),
        ({**VALID, "messages": []}, "the list is empty"),
        ({**VALID, "messages": VALID["messages"] * 2}, "occurs before"),
        ({**VALID, "facts": {}}, "facts must be a list"),
        (_with("messages", text="x"), r"messages\[0\] has the unknown 'text'"),
        (_with("messages", role=5), r"messages\[0\].role must be a text"),
        (_with("messages", content=None), r"messages\[0\].content must be a string"),
        (_with("messages", timestamp="soon"), "cannot be read"),
        (_without("messages", "speaker"), r"messages\[0\] lacks 'speaker'"),
        (_with("facts", message_ids=["m9"]), r"facts\[0\].message_ids names 'm9'"),
        (_with("facts", message_ids=[]), "at least one id"),
        (_without("facts", "text"), r"facts\[0\] lacks 'text'"),
        (_with("drift", label="true"), r"drift\[0\].label must be one of supported, unsupported; got 'true'"),
        (_with("drift", kind="typo"), r"drift\[0\].kind must be one of number"),
        (_with("drift", kind=["number"]), r"drift\[0\].kind must be one of"),
        (_without("drift", "reason"), r"drift\[0\] lacks 'reason'"),
    ],
)
def test_sample_with_wrong_fields_is_refused(value, says, tmp_path):
    path = _write(tmp_path, value)
    with pytest.raises(TranscriptError, match=says) as caught:
        load_sample(path)
    assert str(path) in str(caught.value)


def test_sample_that_is_no_json_is_refused(tmp_path):
    path = tmp_path / "sample.json"
    path.write_text('{"title": 1,\n}', encoding="utf-8")
    with pytest.raises(TranscriptError, match="line 2, column 1"):
        load_sample(path)
    path.write_text('{"title": 1, "title": 2}', encoding="utf-8")
    with pytest.raises(TranscriptError, match="more than once"):
        load_sample(path)
    with pytest.raises(TranscriptError, match="cannot be read"):
        load_sample(tmp_path / "none.json")


def test_labels_and_kinds_are_those_of_the_schema():
    assert LABELS == ("supported", "unsupported")
    assert len(KINDS) == 9
