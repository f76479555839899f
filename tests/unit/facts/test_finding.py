"""Key facts: their classes, spans, weights and what they are not (facts/finding.py)."""

from __future__ import annotations

import time

import pytest

from memguard.facts import FactClass, KeyFact, find_facts
from memguard.messages import Conversation
from memguard.rescue.cover import MUST_KEEP
from tests.support import cpu_seconds


def _talk(*lines: str, date: str | None = None) -> Conversation:
    messages = []
    for line in lines:
        speaker, _, content = line.partition(": ")
        message = {"speaker": speaker, "content": content}
        messages.append(message if date is None else message | {"timestamp": date})
    return Conversation.from_messages(messages)


def _kinds(facts: tuple[KeyFact, ...], words: str) -> set[FactClass]:
    return {fact.kind for fact in facts if words in fact.text}


@pytest.mark.parametrize(
    ("line", "words", "kind"),
    [
        ("The load test reached 1,200 requests a second.", "1,200", FactClass.NUMBER),
        ("The review is on 16 March 2026.", "16 March 2026", FactClass.DATE),
        ("The worktop costs 650 euros more.", "650 euros", FactClass.PRICE),
        ("We decided to use Postgres because it has row locks.", "decided", FactClass.DECISION),
        ("I always want the window seat.", "window seat", FactClass.PREFERENCE),
        ("I will send the final files to the agency by Friday.", "final files", FactClass.COMMITMENT),
        ("Please ask Dr Okoye about the result.", "Okoye", FactClass.PERSON),
        ("We fly from Bergen to Porto in May.", "Porto", FactClass.PLACE),
        ("The order was a Brevetta Duo with a grinder.", "Brevetta Duo", FactClass.PRODUCT),
        (
            "The flag is in /srv/bay/config/flags.yaml by default.",
            "/srv/bay/config/flags.yaml",
            FactClass.PATH,
        ),
        ("The plan is at https://plans.example/q3 now.", "https://plans.example/q3", FactClass.PATH),
        ("The booking code is KX7TRB for both of us.", "KX7TRB", FactClass.IDENTIFIER),
        ("It reads visibility_timeout_s at start.", "visibility_timeout_s", FactClass.IDENTIFIER),
        ("To build it, run `pip install -e .[dev]` once.", "pip install", FactClass.COMMAND),
        ('She said "blood thinner comes first" twice to them.', "blood thinner", FactClass.QUOTE),
        ("She is severely allergic to penicillin.", "allergic to penicillin", FactClass.CONDITION),
        ("Never run the washing machine and the plate together.", "washing machine", FactClass.CONDITION),
    ],
)
def test_every_class_is_found(line: str, words: str, kind: FactClass) -> None:
    """Issue 5, 1: each class of must-keep span, at its place."""
    conversation = _talk(f"Ana: {line}")
    facts = find_facts(conversation)
    assert kind in _kinds(facts, words)
    assert all(conversation.text(fact.span) == fact.text for fact in facts)


@pytest.mark.parametrize(
    "lines",
    [
        ("Ana: Hi!", "Ben: hey :)", "Ana: How are you?", "Ben: lol ok", "Ana: Thanks a lot, bye!"),
        ("Ana: Good morning.", "Ben: Morning.", "Ana: perfect, thanks", "Ben: 👍", "Ana: See you!"),
        ("Ana: 你好", "Ben: 谢谢"),
        (),
        ("Ana:   ", "Ben: …"),
    ],
)
def test_small_talk_holds_no_fact(lines: tuple[str, ...]) -> None:
    """Issue 5: what is found must be worth its tokens."""
    assert find_facts(_talk(*lines)) == ()


def test_the_lone_allergy_weighs_most() -> None:
    """F2: the isolated critical line of a dialogue of small talk outweighs everything around it."""
    facts = find_facts(
        _talk(
            "Ana: Did you see the match on Saturday?",
            "Ben: lol ok, we lost 3 to 1",
            "Ana: The buses were late again.",
            "Ben: By the way, my daughter is severely allergic to penicillin.",
            "Ana: The coffee machine on floor 2 is fixed.",
        )
    )
    assert max(facts, key=lambda fact: fact.weight).kind is FactClass.CONDITION


def test_weights_lie_in_their_range_and_ids_count_up() -> None:
    facts = find_facts(_talk("Ana: The price is 40 euros, due on 3 May.", "Ben: Noted: 40 euros, by 3 May."))
    assert [fact.id for fact in facts] == [f"f{n}" for n in range(1, len(facts) + 1)]
    assert all(0.0 < fact.weight <= 1.0 for fact in facts)


def test_a_fact_said_twice_is_found_once() -> None:
    facts = find_facts(_talk("Ana: The deposit is 4,080 euros.", "Ben: Noted, the deposit is 4,080 euros."))
    assert sum(fact.kind is FactClass.PRICE for fact in facts) == 1


def test_one_number_of_two_things_is_two_facts() -> None:
    facts = find_facts(_talk("Ana: The tent weighs 5 kg.", "Ben: Our dog gained 5 kg last winter."))
    assert sum(fact.kind is FactClass.NUMBER for fact in facts) == 2


def test_what_is_only_proposed_weighs_less() -> None:
    told = find_facts(_talk("Ana: The hall costs 400 euros."))
    asked = find_facts(_talk("Ana: Could the hall cost 400 euros?"))
    price = [next(f.weight for f in facts if f.kind is FactClass.PRICE) for facts in (told, asked)]
    assert price[1] < price[0]


def test_equal_values_share_a_canonical_form() -> None:
    facts = find_facts(_talk("Ana: It took 21 days.", "Ben: The harvest takes three weeks in Spain."))
    values = [fact.value for fact in facts if fact.kind is FactClass.NUMBER]
    assert len(set(values)) == 1


def test_a_relative_date_has_the_value_of_its_day() -> None:
    facts = find_facts(_talk("Ana: It went into my arm last Thursday.", date="2026-03-02T09:00:00+00:00"))
    assert "02-26" in {fact.value for fact in facts if fact.kind is FactClass.DATE}


def test_injected_text_holds_no_fact() -> None:
    """Recalled memory and system text are no evidence, so they hold no facts to keep."""
    conversation = Conversation.from_messages([{"role": "system", "content": "The budget is 400 euros."}])
    assert find_facts(conversation) == ()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("会议在 2026-05-15 举行，费用 1,200 €。", "1,200"),
        ("الملف في /srv/data/report.csv والسعر 450 دولار", "/srv/data/report.csv"),
        ("Встреча 15.05.2026 на https://meet.example/a1", "https://meet.example/a1"),
    ],
)
def test_figures_paths_and_links_are_found_in_any_script(text: str, words: str) -> None:
    facts = find_facts(_talk(f"Ana: {text}"))
    assert any(words in fact.text for fact in facts)


def test_a_log_gives_its_outcome_not_the_blob() -> None:
    """Tool output: the value with its line."""
    log = (
        ".......... [ 33%]\n.......... [100%]\n"
        "FAILED tests/test_lease.py::test_renew - gone\n3 failed, 211 passed in 18.42s"
    )
    conversation = Conversation.from_messages([{"role": "tool", "content": log}])
    facts = find_facts(conversation)
    carriers = {conversation.text(fact.carrier) for fact in facts}
    assert "3 failed, 211 passed in 18.42s" in carriers
    assert all("\n" not in carrier and len(carrier) <= 200 for carrier in carriers)


def test_prose_weighs_more_than_a_log() -> None:
    log = Conversation.from_messages([{"role": "tool", "content": "retry 12 of pool 7"}])
    prose = _talk("Ana: The pool has 12 workers.")
    assert max(f.weight for f in find_facts(log)) < max(f.weight for f in find_facts(prose))


def test_five_thousand_messages_take_seconds() -> None:
    """Linear time: twenty times the messages take about twenty times as long."""

    def talk(n: int) -> Conversation:
        lines = (
            f"{'Ana' if i % 2 else 'Ben'}: Order {i} of item-{i % 97} costs {i % 400} euros, "
            f"due on {i % 28 + 1} May."
            for i in range(n)
        )
        return _talk(*lines)

    short, long = talk(250), talk(5_000)
    small = cpu_seconds(lambda: find_facts(short), runs=1)
    assert cpu_seconds(lambda: find_facts(long), runs=1) < 60.0 * max(small, 0.2)


@pytest.mark.parametrize(
    "blob", ["a" * 20_000, "ab/" * 8_000, "f" * 9_000 + "0" * 9_000, "no, " * 5_000, '{"k": [' * 3_000]
)
def test_hard_input_takes_no_time(blob: str) -> None:
    """No pattern may run away on long words, paths, digits or nesting."""
    started = time.process_time()
    find_facts(
        Conversation.from_messages([{"role": "user", "content": blob}, {"role": "tool", "content": blob}])
    )
    assert time.process_time() - started < 10.0


@pytest.mark.parametrize("warning", ["Oh, and no penicillin.", "Nut allergy, by the way.", "No latex."])
def test_an_allergy_in_two_words_weighs_as_much_as_in_many(warning: str) -> None:
    """Issue 5, 1: medical conditions; above the weight from which on a fact must be kept."""
    facts = find_facts(_talk(f"Ana: {warning}", "Ben: Thanks, I will note it."))
    assert max(f.weight for f in facts if f.kind is FactClass.CONDITION) >= MUST_KEEP


def test_a_reaction_needs_what_it_is_a_reaction_to() -> None:
    conversation = _talk("Ana: Oh, and no penicillin. I was nineteen, came up in hives.")
    reaction = next(f for f in find_facts(conversation) if "hives" in f.text)
    assert reaction.context is not None
    assert conversation.text(reaction.context) == "no penicillin"


@pytest.mark.parametrize("line", ["Assistant: You're welcome, Dana.", "Assistant: What shall we do today?"])
def test_a_courtesy_to_a_speaker_and_a_plain_question_hold_no_fact(line: str) -> None:
    assert find_facts(_talk("Dana: Hello there.", line, "Dana: Hm.")) == ()


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (
            "Each of you may take a bag. There is no hold luggage in this fare.",
            "There is no hold luggage in this fare",
        ),
        ("A script would help. I haven't written the script.", "I haven't written the script"),
    ],
)
def test_a_plain_denial_is_told(line: str, said: str) -> None:
    conversation = _talk(f"Ana: {line}")
    assert any(said in conversation.text(f.carrier) for f in find_facts(conversation))


def test_what_was_announced_for_a_day_that_has_passed_weighs_less() -> None:
    """Also without a word such as "will"; what was done on the day itself is no announcement."""

    def weight(said: str, *, ended: str) -> float:
        conversation = Conversation.from_messages(
            [
                {"speaker": "Ana", "timestamp": "2026-04-14T09:00:00+00:00", "content": said},
                {"speaker": "Ben", "timestamp": ended, "content": "Good morning."},
            ]
        )
        return max(f.weight for f in find_facts(conversation) if f.kind is FactClass.DATE)

    slot = "Quist can look at the car on Thursday 16 April."
    later, sooner = "2026-05-02T09:00:00+00:00", "2026-04-15T09:00:00+00:00"
    assert weight(slot, ended=later) < weight(slot, ended=sooner)
    paid = "We paid the deposit on 14 April."
    assert weight(paid, ended=later) == weight(paid, ended=sooner)


def test_a_bare_name_is_shown_with_the_question_for_it() -> None:
    conversation = _talk("Doctor: Could you confirm your name for me please?", "Patient: Yep, John Doe.")
    fact = next(f for f in find_facts(conversation) if f.text == "John Doe")
    assert fact.context is not None
    assert "your name" in conversation.text(fact.context)
