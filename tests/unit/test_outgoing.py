"""F24: redaction applies to what leaves a run; inside, spans point into the untouched text."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memguard import audit, reports, wire
from memguard.cli.output import tell
from memguard.compressor import Compression
from memguard.eliminator import Elimination
from memguard.errors import SettingsError
from memguard.grounding.overrides import Override
from memguard.integrations.frames import to_frame
from memguard.integrations.jupyter import trace_html
from memguard.messages import Conversation
from memguard.models.tokens import BartTokenCounter
from memguard.outgoing import shown_alone, shown_text, view
from memguard.payload import Form, payload_in, payload_messages
from memguard.privacy import Category, Kind
from memguard.privacy.leaving import leaving_of
from memguard.privacy.shown import ShownText
from memguard.privacy.speakers import parts_of, speakers_of
from memguard.reconstructor import Reconstruction
from memguard.server.http_work import HttpTools
from memguard.settings import PrivacySettings, Settings
from memguard.settings import privacy as privacy_settings
from memguard.trace import Trace, silent
from memguard.transcripts import read_file
from tests.fakes import FakeSummarizer
from tests.support import guard, summarised, with_values

ON = with_values(privacy__redact="on", compression__passthrough_words=0)
SAMPLES = Path(__file__).parents[2] / "sample_conversations"
CARD = "4111 1111 1111 1111"
MAIL = "noor.haddad@example.com"
PASSWORD = "Tr0ub4dor.and.More7"
TALK: list[dict[str, Any]] = [
    {"id": "a", "role": "user", "speaker": MAIL, "content": f"My card is {CARD}, my mail {MAIL}."},
    {"id": "b", "role": "assistant", "content": f"The wifi password is: {PASSWORD} for all guests."},
    {"id": "c", "role": "user", "content": "My pin is 4821. The train to Lyon leaves on 5 May."},
    {
        "id": "d",
        "role": "assistant",
        "content": "I used 4821 for the door.",
        "tool_calls": [
            {"id": "call_1", "function": {"name": "unlock", "arguments": f'{{"pin": 4821, "{MAIL}": 1}}'}}
        ],
    },
    {"id": "e", "role": "user", "content": f"Noor waits in Lyon with {PASSWORD} written down."},
]
SECRETS = (CARD, "4111", "1111", MAIL, "noor.haddad", PASSWORD, "Tr0ub4dor", "More7", "4821", "Noor")


def everything_of(trace: Trace) -> str:
    """Return all that leaves a run, in one text, without its digests: their digits are no value."""
    chain = audit.records(trace)
    report = reports.report_of(chain, title="run")
    frames = to_frame(trace)
    left = "\n".join(
        [
            trace[Reconstruction].text,
            *(piece.line + piece.text for piece in trace[Reconstruction].pieces),
            *(payload_in(trace, form) for form in Form),
            json.dumps(payload_messages(trace), ensure_ascii=False),
            json.dumps(wire.result(trace, audit_head=audit.head(chain)), ensure_ascii=False),
            audit.dumps(chain),
            *(write(report) for write in reports.FORMS.values()),
            *(frame.to_csv() for frame in frames),
            trace_html(trace),
        ]
    )
    return re.sub(r"\b[0-9a-f]{64}\b", "", left)


def said(lines: list[str]) -> str:
    """Summarise by every line without its speaker."""
    return " ".join(line.split(": ", 1)[1] for line in lines)


def run(settings: Settings = ON, messages: list[dict[str, Any]] | None = None, **models: Any) -> Trace:
    made = guard(settings, **{"summarizer": FakeSummarizer(said), **models})
    return made.run(TALK if messages is None else messages)


def test_nothing_that_leaves_holds_a_value_and_all_that_leaves_names_it_alike():
    """F24: payload in each form, wire form, audit, reports, frames; one placeholder a value."""
    trace = run(ON.with_value("compression.keep_last", 2))

    left = everything_of(trace)

    for secret in SECRETS:
        assert secret not in left
    assert "[CARD_1]" in left
    messages = payload_messages(trace)
    assert messages[-1]["content"] == "[PERSON_1] waits in Lyon with [SECRET_1] written down."
    assert json.loads(messages[-2]["tool_calls"][0]["function"]["arguments"]) == {
        "pin": "[SECRET_2]",
        "[EMAIL_1]": 1,
    }
    assert messages[-2]["content"] == "I used [SECRET_2] for the door."


def test_inside_the_run_everything_is_untouched():
    """F24: claims are checked against the untouched text, and spans point into it."""
    off, on = run(ON.with_value("privacy.redact", "off")), run()

    assert on.conversation == off.conversation
    assert on[Compression] == off[Compression]
    assert on[Elimination] == off[Elimination]
    assert CARD in on.conversation.message("a").content


def test_with_redaction_off_nothing_changes():
    """F24: the settings of privacy are not even in the record, so that digests stay as they were."""
    trace = run(ON.with_value("privacy.redact", "off"))

    assert view(trace) is trace
    assert "privacy" not in trace.settings.to_dict()
    assert "privacy" not in audit.records(trace)[-1].detail
    assert CARD in payload_in(trace, Form.TEXT)


def test_a_model_of_the_callers_own_sees_placeholders_and_no_claim_is_lost_by_them():
    """F24: prompts hold no value; what the model wrote is checked with the values put back."""
    seen: list[str] = []

    def write(lines: list[str]) -> str:
        seen.extend(lines)
        return said(lines)

    trace = run(summarizer=FakeSummarizer(write))

    assert not any(secret in line for secret in SECRETS for line in seen)
    assert seen[0].startswith("[EMAIL_1]: My card is [CARD_1]")
    assert f"My card is {CARD}" in trace[Compression].paragraph
    assert trace[Elimination] == run(ON.with_value("privacy.redact", "off"))[Elimination]
    assert any("[CARD_1]" in claim["text"] and claim["kept"] for claim in wire.claim_rows(trace))


def test_a_placeholder_that_the_model_made_up_is_no_value():
    trace = summarised("The mail is [EMAIL_9]. The card is CARD_1.", TALK, ON)

    assert trace[Compression].paragraph == f"The mail is [EMAIL_9]. The card is {CARD}."


def test_an_entailment_model_of_the_callers_own_sees_placeholders():
    """F24: premises and hypotheses hold the same placeholder for the same value."""

    class Spy:
        model_id = "spy@1"

        def __init__(self) -> None:
            self.texts: list[str] = []

        def score(self, premises: list[str], hypotheses: list[str]) -> Any:
            self.texts += [*premises, *hypotheses]
            return np.tile(np.float32([1, 0, 0]), (len(premises), 1))

    spy = Spy()
    run(entailment=spy)

    assert spy.texts
    assert not any(secret in text for secret in SECRETS for text in spy.texts)
    assert any("[CARD_1]" in text for text in spy.texts)


def test_a_value_that_is_cut_between_claims_leaves_no_part():
    """F24: a password with a full stop in it ends a sentence; both parts are replaced."""
    password = "Walnut77. Harbour99"
    talk = [
        {"content": f'The password is "{password}" and nothing else.'},
        {"content": "Harbour99 is written on the door. The train leaves on 5 May."},
    ]
    leaving = leaving_of(Conversation.from_messages(talk), PrivacySettings(redact="on"))
    assert leaving is not None
    leaving.learn_parts([(talk[0]["content"], [(0, 27), (27, 60)])])

    for text in ("Harbour99 is on the door", "say Walnut77."):
        assert "[SECRET_1]" in leaving.text(text)
    left = everything_of(run(messages=talk))
    assert "Walnut77" not in left
    assert "Harbour99" not in left


def test_notes_pins_ids_and_titles_leave_redacted():
    """F24: an override's note, a pinned pattern, an id and a speaker may hold a value too."""
    talk = [*TALK, {"id": "id-of-liam.okafor@example.org", "content": "Pay 300 euros by Friday."}]
    settings = ON.with_value("compression.pin_pattern", "4821").with_value("compression.pin_ids", MAIL)
    made = guard(settings, summarizer=FakeSummarizer(said))
    trace = made.run(talk)
    claim = trace[Elimination].kept[0].claim.id
    noted = made.override(trace, [Override(claim, kept=False, note=f"ask {MAIL}, token: abcDEF123456")])

    left = everything_of(noted)

    for secret in (*SECRETS, "liam.okafor", "abcDEF123456"):
        assert secret not in left
    assert audit.records(noted)[2].detail["overrides"][0]["note"].startswith("ask [EMAIL_1], token: [SECRET_")


def test_a_redacted_audit_verifies_and_says_that_it_is_redacted():
    """F24: the chain holds; the record says by which rules, and what its digests are of."""
    settings = ON.with_value("privacy.let_through", "phone").with_value("privacy.terms", "Lyon")
    chain = audit.records(run(settings))

    assert audit.verify_text(audit.dumps(chain), expected_head=audit.head(chain)).intact
    told = chain[-1].detail["privacy"]
    assert told["redacted"] is True
    assert told["rules"] == {"let_through": ["phone"], "n_allow": 0, "n_terms": 1, "n_names": 0}
    assert told["found"] == {"card": 1, "email": 1, "password": 1, "person": 1, "pin": 1, "term": 1}
    assert told["digests"] == "of the redacted text"
    assert chain[0].settings["privacy"]["terms"] == "[REDACTED_1]"
    assert any("redacted" in warning for warning in chain[-1].detail["warnings"])


def test_no_digest_lets_anybody_try_out_a_short_value():
    """F24: another pin gives the same digests, so that none of them tells which it was."""
    other = [{**m, "content": m["content"].replace("4821", "7350")} for m in TALK[:3]]
    first, second = (audit.records(run(messages=talk)) for talk in (TALK[:3], other))

    assert [r.input_digest for r in first] == [r.input_digest for r in second]
    assert [r.output_digest for r in first] == [r.output_digest for r in second]
    plain = replace(ON, privacy=PrivacySettings())
    assert first[0].input_digest != audit.records(run(plain, TALK[:3]))[0].input_digest


def test_offsets_of_evidence_are_those_of_the_untouched_text_and_claims_are_cut_from_the_shown_one():
    row = wire.result(run(), audit_head=None)
    paragraph = row["compression"]["paragraph"]
    contents = {message["id"]: message["content"] for message in TALK}

    for claim in row["claims"]:
        if claim["start"] is not None:
            assert paragraph[claim["start"] : claim["end"]] == claim["text"]
        for start, end in claim["unsupported"]:
            assert 0 <= start <= end <= len(claim["text"])
        for place in claim["evidence"]:
            untouched = contents[place["message_id"]][place["start"] : place["end"]]
            assert (place["text"] == untouched) or "[" in place["text"]


def test_a_summary_from_outside_keeps_its_offsets_and_its_own_values_go_as_well():
    summary = "The mail is zoe.lind@example.net. The train to Lyon leaves on 5 May."
    trace = guard(ON).check(summary, TALK)
    row = wire.result(trace, audit_head=None)

    assert "zoe.lind" not in everything_of(trace)
    second = next(claim for claim in row["claims"] if "train" in claim["text"])
    assert summary[second["start"] : second["end"]] == second["text"]


def test_the_payload_fits_its_budget_with_its_placeholders():
    """A27: placeholders may be longer than what they stand for."""
    talk = [{"content": f"Gate {n} in Lyon opens at noon on day {n}."} for n in range(12)]
    settings = ON.with_value("reconstruction.payload_tokens", 90).with_value("privacy.terms", "Lyon")
    counter = BartTokenCounter()
    result = run(settings, talk, counter=counter)[Reconstruction]

    assert "in [REDACTED_1] opens" in result.text
    assert result.tokens == counter.count(result.text) <= 90
    assert result.warnings == ()


def test_a_history_that_grows_keeps_its_placeholders():
    """F24: `extend` gives the values of earlier turns the placeholders that they had."""
    made = guard(ON, summarizer=FakeSummarizer(said))
    trace = made.run(TALK)
    grown = made.extend(trace, [{"id": "f", "content": f"{MAIL} and ben.ito@example.org pay 40 euros."}])

    left = everything_of(grown)
    assert "[EMAIL_1] and [EMAIL_2] pay 40 euros." in left
    assert not any(secret in left for secret in (*SECRETS, "ben.ito"))


def test_moving_the_switch_runs_no_model():
    """The payload follows at once; with models of one's own their prompts change, so they run again."""
    made = guard(ON.with_value("privacy.redact", "off"), summarizer=None)
    base = made.settings.with_value("compression.passthrough_words", 1000)
    trace = made.pipeline.run(Conversation.from_messages(TALK), base)
    updated = made.update(trace, base.with_value("privacy.redact", "on"))

    assert updated[Elimination] is trace[Elimination]
    assert CARD in trace[Reconstruction].text
    assert CARD not in updated[Reconstruction].text


def test_lists_let_values_and_kinds_through_and_name_more():
    """The words are those of memory's list: let_through, allow, terms, names."""
    talk = [{"content": f"Zora of Project Borealis: {MAIL}, desk@example.org, card {CARD}."}]
    settings = replace(
        ON,
        privacy=PrivacySettings(
            "on", let_through="card", allow="desk@example.org", terms="project borealis", names="Zora"
        ),
    )

    shown = view(run(settings, talk)).conversation.messages[0].content

    assert shown == f"[PERSON_1] of [REDACTED_1]: [EMAIL_1], desk@example.org, card {CARD}."


def test_a_kind_that_does_not_exist_fails_when_it_is_given():
    """The settings know the words of `memguard.privacy`, though they stand below it."""
    with pytest.raises(SettingsError, match=r"let_through must name kinds.* card.*; got 'cards'"):
        PrivacySettings(let_through="card, cards")
    assert set(privacy_settings.KINDS) == {kind.value for kind in Kind}
    assert set(privacy_settings.CATEGORIES) == {category.value for category in Category}


def test_what_the_command_line_tells_is_redacted(capsys: pytest.CaptureFixture[str]):
    tell(view(run()), "0" * 64)

    told = capsys.readouterr().err
    assert "redacted: placeholders stand for" in told
    assert not any(secret in told for secret in SECRETS)


def test_what_a_server_answers_is_redacted():
    """F24: HTTP and MCP, with the texts for a reader and the result for a program."""
    tools = HttpTools(ON, guard=lambda settings: guard(settings, summarizer=FakeSummarizer(said)))

    answer = tools.compress_context(TALK, {}, silent)
    summary = f"My card is {CARD}. Noor waits in Lyon."
    checked = tools.check_summary(summary, TALK, {"compression.pin_ids": MAIL}, silent)
    told = [json.dumps(tools.compress(TALK, {}, silent), ensure_ascii=False)]
    told += [*answer.texts, *checked.texts, *(json.dumps(a.result) for a in (answer, checked))]

    assert not any(secret in text for secret in SECRETS for text in told)
    assert any("[CARD_1]" in text for text in told)


def test_a_view_is_made_once_and_is_its_own_view():
    trace = run()

    assert view(trace) is view(trace)
    assert view(view(trace)) is view(trace)


@pytest.mark.parametrize(
    ("cut", "expected"),
    [
        ((0, 3), "My "),
        ((0, 5), "My [X_1]"),
        ((4, 6), "[X_1]"),
        ((6, 9), "[X_1] i"),
        ((7, 10), " is"),
        ((5, 5), ""),
    ],
)
def test_a_span_takes_a_placeholder_whole(cut, expected):
    shown = ShownText("My card is").replaced([(3, 7, "[X_1]")])

    assert shown.text == "My [X_1] is"
    assert shown.cut(cut) == expected


@pytest.mark.parametrize(
    "written",
    [
        "the id 'zed.orlow@example.org'",
        "zed.orlow\uff20example.org",
        "card 4111\u00a01111\u00a01111\u00a01111",
        "card 4111\u20111111\u20111111\u20111111",
    ],
)
def test_a_value_in_quotes_or_with_characters_that_look_alike_is_found(written: str):
    """F24: word processors and error messages write values so."""
    left = everything_of(run(messages=[{"content": f"Note {written} for Lyon."}]))

    assert "zed.orlow" not in left
    assert "4111" not in left


def test_a_value_leaves_no_trace_in_the_escapes_of_json():
    """F24: the arguments of a call are JSON, in which a letter may be an escape."""
    arguments = json.dumps({"to": "Zoë Müller"})
    calls = [{"id": "1", "function": {"name": "send", "arguments": arguments}}]
    talk = [{"content": "Zoë Müller waits."}, {"role": "assistant", "content": "", "tool_calls": calls}]

    shown = view(run(ON.with_value("privacy.terms", "Zoë Müller"), talk)).conversation

    assert "u00eb" not in shown.messages[1].content + shown.messages[1].tool_calls[0].arguments


def test_what_stands_beside_a_run_is_redacted_with_it():
    """F24: the name of a row or of a report, and why there is no run."""
    assert shown_text("4821.json", run()) == "[SECRET_2].json"
    assert shown_alone(f"no message '{MAIL}'", ON) == "no message '[EMAIL_1]'"
    assert shown_alone(MAIL, Settings()) == MAIL


def test_what_a_finding_says_of_a_part_of_a_value_is_redacted():
    """F24: "4111 is nowhere in the nearest messages" tells four digits of a card."""
    talk = [{"content": "The train leaves at five tomorrow."}]

    left = everything_of(guard(ON).check(f"The card for the train is {CARD}.", talk))

    assert "is nowhere" in left
    assert "4111" not in left


@pytest.mark.parametrize("path", sorted(SAMPLES.glob("*.json")), ids=lambda path: path.stem)
def test_no_speaker_of_a_sample_is_named_in_what_leaves(path):
    """F24: whoever speaks is known as a person, in full and by each part of the name."""
    conversation = read_file(path).conversation
    made = guard(ON, summarizer=FakeSummarizer(said))

    left = everything_of(made.run(conversation))

    for label in speakers_of(conversation):
        for name in (label, *parts_of(label)):
            assert re.search(rf"(?<!\w){name}(?!\w)", left) is None


def test_role_words_are_nobody_and_short_or_small_names_are_somebody():
    """F24: "Agent" is left alone; a name without capitals, or of two letters, is not."""
    messages = [
        {
            "id": "a",
            "role": "user",
            "speaker": "devon",
            "content": "Jo and 李明 said devon will call Doctor.",
        },
        {"id": "b", "role": "user", "speaker": "Jo", "content": "Will that do?"},
        {"id": "c", "role": "user", "speaker": "李明", "content": "我是李明。"},
        {"id": "d", "role": "assistant", "speaker": "Doctor", "content": "Devon is right."},
    ]
    shown = view(run(messages=messages)).conversation

    assert [message.speaker for message in shown][-1] == "Doctor"
    whole = " ".join(message.line for message in shown)
    assert not any(name in whole for name in ("evon", "Jo", "李明"))
    assert "will call Doctor" in whole
