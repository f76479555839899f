"""True claims about dialogues: what people wrote, what turns say, what was agreed, what was answered."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memguard.drift.stems import content_stems
from memguard.training.dialogues import Dialogue, listener_of, people, sentences
from memguard.training.evidence import pick_indexes
from memguard.training.restate import Person, restate, shift, strip_fillers

_SLOT_HEADS: tuple[tuple[str, str, str], ...] = (
    ("Restaurants", "restaurant_name", "wants to eat at"),
    ("Hotels", "hotel_name", "wants to stay at"),
    ("Hotels", "place_name", "wants to stay at"),
    ("Hotels", "where_to", "is looking for a place to stay in"),
    ("Hotels", "destination", "is looking for a hotel in"),
    ("Hotels", "location", "is looking for a hotel in"),
    ("Events", "event_name", "wants to go to"),
    ("Movies", "movie_name", "wants to watch"),
    ("Media", "title", "wants to watch"),
    ("Media", "movie_name", "wants to watch"),
    ("Music", "song_name", "wants to listen to"),
    ("Music", "track", "wants to listen to"),
    ("Flights", "destination", "is flying to"),
    ("Flights", "destination_city", "is flying to"),
    ("Buses", "to_location", "is taking a bus to"),
    ("Buses", "to_city", "is taking a bus to"),
    ("Buses", "destination", "is taking a bus to"),
    ("Trains", "to", "is taking a train to"),
    ("RideSharing", "destination", "needs a ride to"),
    ("Homes", "area", "is looking for an apartment in"),
    ("Homes", "property_name", "wants to visit"),
    ("Services", "stylist_name", "makes an appointment at"),
    ("Services", "dentist_name", "makes an appointment with"),
    ("Services", "doctor_name", "makes an appointment with"),
    ("Services", "therapist_name", "makes an appointment with"),
    ("RentalCars", "pickup_city", "wants to rent a car in"),
    ("Travel", "location", "is looking for attractions in"),
    ("Weather", "city", "asks about the weather in"),
    ("Banks", "recipient_account_name", "transfers money to"),
    ("Banks", "recipient_name", "transfers money to"),
    ("Payment", "receiver", "pays"),
    ("Calendar", "event_name", "adds to the calendar"),
    ("Messaging", "contact_name", "shares a location with"),
)
_SLOT_TAILS = {
    "city": "in {}",
    "origin": "from {}",
    "origin_city": "from {}",
    "from": "from {}",
    "from_location": "from {}",
    "from_city": "from {}",
    "artist": "by {}",
    "theater_name": "at {}",
    "date": "on {}",
    "departure_date": "on {}",
    "leaving_date": "on {}",
    "check_in_date": "from {}",
    "visit_date": "on {}",
    "appointment_date": "on {}",
    "pickup_date": "on {}",
    "show_date": "on {}",
    "journey_start_time": "at {}",
    "time": "at {}",
    "appointment_time": "at {}",
    "show_time": "at {}",
    "pickup_time": "at {}",
    "leaving_time": "at {}",
    "departure_time": "at {}",
    "party_size": "for {} people",
    "number_of_seats": "for {} people",
    "number_of_riders": "for {} people",
    "number_of_tickets": "with {} tickets",
    "number_of_adults": "with {} adults",
    "passengers": "for {} people",
    "travelers": "for {} people",
    "number_of_days": "for {} days",
    "amount": "with the amount of {}",
    "cuisine": "for {} food",
}
_BARE_DATE = re.compile(r"^(?:today|tomorrow|next|this|later|day|the day|monday next)\b", re.IGNORECASE)
_YES = re.compile(
    r"^(?:yes|yeah|yep|yup|sure|of course|absolutely|definitely|certainly)\b(?!.*\bbut\b)", re.IGNORECASE
)
_NO = re.compile(r"^(?:no|nope|nah)\b(?!.*\bbut\b)", re.IGNORECASE)
_OFFER = re.compile(r"^(?:would you like|do you want) (?:me )?(to .+?)\s*\?$", re.IGNORECASE)
_HABIT = re.compile(
    r"^(?:do you) (have|like|need|use|take|smoke|drink|feel|want|live|work) ?(.*?)\s*\?$", re.IGNORECASE
)
_FAVOUR = re.compile(
    r"^(?:can|could|would|will) you (?:please )?([a-z]+ .+?)(?: please)?\s*\?$", re.IGNORECASE
)
_HEADING = re.compile(r"^(?:[A-Z][A-Z /&]+$|[•\-*]\s*|[A-Z][A-Za-z /]+:\s*)")
_SUBJECT = re.compile(r"^(?:The|This) (?:patient|gentleman|lady|woman|man)\b|^(?:He|She)\b")


@dataclass(frozen=True, slots=True)
class TrueClaim:
    """A claim that its dialogue supports.

    Attributes:
        text: The claim.
        turns: Indexes of the turns that it is made from; empty where nobody noted them.
        kind: How it was made.
    """

    text: str
    turns: tuple[int, ...]
    kind: str


def restated(dialogue: Dialogue, rng: random.Random, only_own: bool) -> Iterator[TrueClaim]:
    """Tell every turn in the third person; with ``only_own`` only what speakers say of themselves."""
    who = people(dialogue)
    for index, turn in enumerate(dialogue.turns):
        other = listener_of(dialogue.turns, index)
        if not other:
            continue
        for sentence in sentences(turn.content):
            result = restate(sentence, who[turn.speaker], who[other], rng)
            if result is None or (only_own and result.kind == "said"):
                continue
            if len(content_stems(result.text)) >= 4:
                yield TrueClaim(result.text, (index,), f"restated_{result.kind}")


def answered(dialogue: Dialogue) -> Iterator[tuple[TrueClaim, str]]:
    """Join a yes-or-no question with its answer; yields the true claim and the false one."""
    who = people(dialogue)
    for index in range(len(dialogue.turns) - 1):
        asker, answer = dialogue.turns[index], dialogue.turns[index + 1]
        question = next((s for s in reversed(sentences(asker.content)) if s.endswith("?")), "")
        said_yes, said_no = bool(_YES.match(answer.content)), bool(_NO.match(answer.content))
        if asker.speaker == answer.speaker or not question or said_yes == said_no:
            continue
        pair = _yes_and_no(strip_fillers(question), who, asker.speaker, answer.speaker)
        if pair:
            true, false = pair if said_yes else pair[::-1]
            yield TrueClaim(_sentence(true), (index, index + 1), "answered"), _sentence(false)


def _yes_and_no(
    question: str,
    who: dict[str, Person],
    asker: str,
    answerer: str,
) -> tuple[str, str] | None:
    def told(text: str) -> str | None:
        # What "you" is in a question is who answers, and "I" is who asks.
        return shift(text, who[asker], who[answerer])

    if match := _OFFER.match(question):
        rest = told(match[1])
        helper = f"{asker} " if re.search(r"\bme to\b", question) else ""
        return (
            (f"{answerer} wants {helper}{rest}", f"{answerer} does not want {helper}{rest}") if rest else None
        )
    if match := _HABIT.match(question):
        rest, verb = told(match[2]), match[1].lower()
        if rest is None:
            return None
        rest = re.sub(r"\bany\b", "some" if verb in {"want", "need"} else "", rest)
        third = "has" if verb == "have" else verb + "s"
        return f"{answerer} {third} {rest}", f"{answerer} does not {verb} {rest}"
    if match := _FAVOUR.match(question):
        rest = told(match[1])
        return (f"{answerer} agrees to {rest}", f"{answerer} refuses to {rest}") if rest else None
    return None


def _sentence(text: str) -> str:
    return re.sub(r"\s+", " ", text).rstrip(" .?!,") + "."


def agreed(
    dialogue: Dialogue, rng: random.Random, pool: dict[str, list[str]]
) -> Iterator[tuple[TrueClaim, str]]:
    """State what was agreed in slots; yields the true claim and one with another value.

    ``pool`` collects the values of each slot over all dialogues so far.
    """
    if not dialogue.turns:
        return
    user = dialogue.turns[0].speaker
    services = sorted({service for service, _, _ in dialogue.slots})
    for service in services:
        values: dict[str, tuple[str, tuple[int, ...]]] = {}
        for name, slot, options in dialogue.slots:
            for value in options:
                where = tuple(i for i, t in enumerate(dialogue.turns) if value.lower() in t.content.lower())
                if name == service and where and len(value) > 1:
                    values[slot] = (value, where[-1:])
                    pool.setdefault(f"{service.split('_')[0]}.{slot}", []).append(value)
        yield from _slot_claims(service, values, user, rng, pool)


def _slot_claims(
    service: str,
    values: dict[str, tuple[str, tuple[int, ...]]],
    user: str,
    rng: random.Random,
    pool: dict[str, list[str]],
) -> Iterator[tuple[TrueClaim, str]]:
    for family, slot, verb in _SLOT_HEADS:
        if not service.startswith(family) or slot not in values:
            continue
        tails = [s for s in values if s in _SLOT_TAILS and s != slot]
        chosen = [slot, *rng.sample(tails, min(len(tails), rng.randint(0, 3)))]
        phrases = {s: _phrase(s, values[s][0], verb if s == slot else "") for s in chosen}
        true = f"{user} {' '.join(phrases.values())}."
        wrong_slot = rng.choice(chosen)
        seen = pool.get(f"{service.split('_')[0]}.{wrong_slot}", [])
        other = [v for v in rng.sample(seen, min(len(seen), 8)) if v.lower() != values[wrong_slot][0].lower()]
        if other:
            wrong = {**phrases, wrong_slot: _phrase(wrong_slot, other[0], verb if wrong_slot == slot else "")}
            turns = tuple(sorted({i for s in chosen for i in values[s][1]}))
            yield TrueClaim(true, turns, "agreed"), f"{user} {' '.join(wrong.values())}."
        return


def _phrase(slot: str, value: str, verb: str) -> str:
    if verb:
        return f"{verb} {value}"
    if _SLOT_TAILS[slot] == "on {}" and _BARE_DATE.match(value):
        return value
    return _SLOT_TAILS[slot].format(value)


def written(dialogue: Dialogue, rng: random.Random, least_shared: float) -> Iterator[TrueClaim]:
    """Yield the sentences that people wrote about the dialogue.

    A sentence counts as true if at least ``least_shared`` of its content stems stand in the dialogue
    (or in the part that an answer is about): a note also holds what was never said aloud.
    """
    parts = [(s, 0, len(dialogue.turns) - 1) for s in dialogue.summaries] + list(dialogue.answers)
    for text, first, last in parts:
        turns = dialogue.turns[first : last + 1]
        known = {stem for turn in turns for stem in content_stems(turn.line)}
        for line in text.splitlines():
            for sentence in sentences(_HEADING.sub("", line.strip())):
                claim = _named(sentence, dialogue.patient, rng)
                stems = set(content_stems(claim))
                if len(stems) < 2 or len(claim.split()) > 45 or not stems:
                    continue
                if len(stems & known) / len(stems) < least_shared:
                    continue
                picked = pick_indexes(turns, claim, 60)
                yield TrueClaim(claim, tuple(first + i for i in picked), "written")


def _named(sentence: str, patient: str, rng: random.Random) -> str:
    """Write the patient's name where a note says "the patient", so that names matter there too."""
    if patient and rng.random() < 0.8:
        return re.sub(r"\b[Tt]he patient\b", patient, _SUBJECT.sub(patient, sentence))
    return sentence


def entities(dialogues: Sequence[Dialogue], most: int = 3_000) -> tuple[str, ...]:
    """Return names of things that stand in the middle of sentences of these dialogues."""
    found: dict[str, None] = {}
    pattern = re.compile(r"(?<=[a-z] )[A-Z][a-z]{2,}(?: [A-Z][a-z]+){0,2}")
    for dialogue in dialogues:
        for turn in dialogue.turns:
            found.update(dict.fromkeys(pattern.findall(turn.content)))
        if len(found) >= most:
            break
    return tuple(found)
