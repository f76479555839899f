"""``MemGuard``: run, check, extend, update."""

from __future__ import annotations

import copy
import json
import random
import time
import tracemalloc
from types import SimpleNamespace

import pytest

from memguard.compressor import Compression
from memguard.eliminator import Elimination
from memguard.errors import TranscriptError
from memguard.guard import MemGuard
from memguard.messages import Conversation
from memguard.models.cache import CachedEmbedder
from memguard.models.tokens import BartTokenCounter
from memguard.reconstructor import Reconstruction, Status
from memguard.settings import Settings
from tests.support import FakeCounter, FakeEmbedder, FakeSummarizer, guard, user, with_values

TALK = [
    {"id": "m1", "role": "user", "content": "My order 5521 is late."},
    {"id": "m2", "role": "assistant", "speaker": "Lena", "content": "It left Lyon on 2 June."},
]
NEW = [{"id": "m3", "role": "user", "content": "Then I will wait until Friday."}]
SUMMARY = "My order 5521 is late. Nobody lives in Rio."
CONTRACT = with_values(elimination__preset="contract")
SHORT = CONTRACT.with_value("compression.passthrough_words", 0)


def test_run_takes_messages_through_all_three_stages():
    """A32."""
    trace = guard().run(TALK)

    assert [type(r) for r in trace.results] == [Compression, Elimination, Reconstruction]
    assert trace[Compression].paragraph == "My order 5521 is late.\n\nIt left Lyon on 2 June."
    assert trace[Reconstruction].status is Status.OK
    assert len(trace[Reconstruction].pieces) == 2


def test_run_of_nothing_is_empty_and_asks_no_summarizer():
    """A34."""
    summarizer = FakeSummarizer()

    trace = guard(SHORT, summarizer=summarizer).run([])

    assert trace[Compression].paragraph == trace[Reconstruction].text == ""
    assert trace[Reconstruction].status is Status.EMPTY
    assert summarizer.calls == []


def test_run_changes_no_message():
    """A16."""
    messages = [*copy.deepcopy(TALK), {"role": "tool", "content": [{"type": "text", "text": "Fine."}]}]
    before, text = copy.deepcopy(messages), json.dumps(messages)

    guard(SHORT).run(messages)

    assert messages == before
    assert json.dumps(messages) == text


def test_a_conversation_is_taken_as_it_is():
    conversation = Conversation.from_messages(TALK, title="Order")

    assert guard().run(conversation).conversation is conversation
    assert guard().check(SUMMARY, conversation).conversation is conversation


@pytest.mark.parametrize("bad", ["Hello.", b"Hello.", {"role": "user"}])
def test_what_is_no_list_of_messages_is_refused(bad):
    with pytest.raises(TranscriptError, match="messages must be a list"):
        guard().run(bad)
    with pytest.raises(TranscriptError, match="messages must be a list"):
        guard().check("x", bad)


@pytest.mark.parametrize("bad", [None, 3, ["x"]])
def test_a_summary_must_be_a_string(bad):
    with pytest.raises(TranscriptError, match="the summary must be a string"):
        guard().check(bad, TALK)


def test_check_judges_a_summary_from_anywhere_and_writes_none():
    """A16, REC-012."""
    summarizer = FakeSummarizer()

    trace = guard(SHORT.with_value("retention.rescue", "off"), summarizer=summarizer).check(SUMMARY, TALK)

    assert [v.kept for v in trace[Elimination].verdicts] == [True, False]
    assert trace[Compression].given
    assert summarizer.calls == []
    assert [p.text for p in trace[Reconstruction].pieces] == ["My order 5521 is late."]


def test_check_survives_half_a_character():
    assert guard().check("Order \udc00.", TALK)[Compression].paragraph == "Order \ufffd."


def test_no_text_is_embedded_twice():
    """A18: turns, sentences and claims go through one cache, whoever wrote the embedder."""
    embedder = FakeEmbedder()

    guard(SHORT, embedder=embedder).run([*TALK, *TALK])

    assert sorted(embedder.texts) == sorted(set(embedder.texts))
    tokens = [text for call in embedder.token_calls for text in call]
    assert sorted(tokens) == sorted(set(tokens))


def test_claims_and_whole_messages_take_one_pass_where_that_gives_both():
    """A18, with an embedder that gives vectors and tokens at once, as the real one does."""
    passes = []

    class Joint(FakeEmbedder):
        def embed(self, texts, **options):
            passes.extend(texts)
            return super().embed(texts, **options)

        def embed_with_tokens(self, texts, **options):
            return self.embed(texts, **options), self.embed_tokens(texts)

    said = "The parcel is lost. It left Lyon on 2 June."
    summarizer = FakeSummarizer("The parcel is late. Nobody lives in Rio.")
    guard(SHORT, embedder=Joint(), summarizer=summarizer).run(user(said))

    assert sorted(passes) == sorted(
        [
            said,
            "The parcel is lost.",
            "It left Lyon on 2 June.",
            "The parcel is late.",
            "Nobody lives in Rio.",
        ]
    )


def test_a_cached_embedder_is_not_cached_again():
    cached = CachedEmbedder(FakeEmbedder())
    made = guard(embedder=cached)

    made.run(TALK)
    misses, calls = cached.misses, len(cached.inner.calls)
    made.run(TALK)

    assert (cached.misses, len(cached.inner.calls)) == (misses, calls)
    assert len(cached.inner.texts) == len(set(cached.inner.texts))


def test_extend_equals_a_run_of_the_same_growth_and_embeds_only_what_is_new():
    """A31."""
    embedder = FakeEmbedder()
    made = guard(SHORT, embedder=embedder)
    trace = made.run(TALK)
    known = set(embedder.texts)
    embedder.calls.clear()

    extended = made.extend(trace, NEW)

    assert extended == guard(SHORT).run(Conversation.from_messages(TALK).extended(NEW))
    assert set(embedder.texts) == {"Then I will wait until Friday."}
    assert known.isdisjoint(embedder.texts)
    assert len(trace.conversation) == 2


def test_extend_with_rolling_off_equals_a_fresh_run():
    """A31."""
    whole = SHORT.with_value("compression.rolling", "whole")
    made = guard(whole)

    assert made.extend(made.run(TALK), NEW) == guard(whole).run([*TALK, *NEW])


@pytest.mark.parametrize(("rolling", "moves"), [("new", False), ("whole", True)])
def test_extend_leaves_in_place_what_was_placed_before(rolling, moves):
    """A31: vectors stay; a new turn changes the relevance of its neighbours alone, where they are new."""
    made = guard(with_values(compression__passthrough_words=0, compression__rolling=rolling))
    turns = user(*(f"word{i} and word{i + 1}" for i in range(6)))
    trace = made.run(turns)

    extended = made.extend(trace, user("word6 and word7"))

    before, after = ([m.relevance for m in t[Compression].messages] for t in (trace, extended))
    assert after[:4] == before[:4]
    assert (after[4:6] != before[4:6]) == moves
    assert after[6] > 0  # its neighbours of the round before count for it


# Rolling: a history that grows

ROUNDS = [
    user("The visibility timeout is 45 seconds.", "The tests run against port 6390."),
    user("Tobias tags version 1.8.3 on Thursday.", "Make the visibility timeout 60 seconds, not 45 seconds."),
    user("The invoice export is written to exports/may.csv.", "Ilse opens an issue on Monday."),
]


def quoting():
    """A summarizer that says what it was given, and the calls it got."""
    return FakeSummarizer(lambda lines: " ".join(line.partition(": ")[2] for line in lines))


def grown(made, rounds=ROUNDS):
    trace = made.run(rounds[0])
    traces = [trace]
    for new in rounds[1:]:
        trace = made.extend(trace, new)
        traces.append(trace)
    return traces


def test_only_what_is_new_is_selected_and_summarised():
    """Issue 5, 7: neither what was summarised before nor the summary itself is summarised again."""
    summarizer = quoting()

    *_, last = grown(guard(SHORT, summarizer=summarizer))

    assert [lines for lines, _ in summarizer.calls] == [
        [f"User: {message['content']}" for message in new] for new in ROUNDS
    ]
    assert [m.round for m in last[Compression].messages] == [1, 1, 2, 2, 3, 3]
    assert [(r.first, r.last, r.n_messages) for r in last[Compression].rounds] == [
        ("0", "1", 2),
        ("2", "3", 2),
        ("4", "5", 2),
    ]
    assert last[Compression].paragraph == "\n\n".join(r.paragraph for r in last[Compression].rounds)


def test_a_correction_in_a_new_turn_drops_the_old_line_and_enters():
    """Issue 5, 7: the old paragraph is judged against the whole transcript again."""
    balanced = with_values(compression__passthrough_words=0)
    first, second, third = grown(guard(balanced, summarizer=quoting()))

    assert "45 seconds" in first[Reconstruction].text
    for trace in (second, third):
        old = next(v for v in trace[Elimination].verdicts if "is 45 seconds" in v.claim.text)
        assert not old.kept
        assert "The visibility timeout is 45 seconds" not in trace[Reconstruction].text
        assert "60 seconds" in trace[Reconstruction].text


def test_each_carried_claim_keeps_its_place_in_the_raw_messages():
    """Issue 5, 7."""
    *_, last = grown(guard(SHORT, summarizer=quoting()))

    contents = {m.id: m.content for m in last.conversation}
    assert [m["content"] for new in ROUNDS for m in new] == [m.content for m in last.conversation]
    for verdict in last[Elimination].kept:
        assert verdict.evidence
        for evidence in verdict.evidence:
            assert contents[evidence.span.message_id][evidence.span.start : evidence.span.end]


def test_a_summary_that_drifted_is_carried_no_further_than_its_elimination():
    """Issue 5, 7: a false line of an earlier round is dropped in every later one."""
    made = guard(SHORT, summarizer=FakeSummarizer("Nobody lives in Rio."))

    for trace in grown(made):
        assert "Rio" not in trace[Reconstruction].text
        assert not trace[Elimination].kept


def test_the_paragraph_and_the_payload_stay_inside_their_budgets_round_after_round():
    """Issue 5, 7; A27."""
    settings = SHORT.with_value("compression.summary_tokens", 32)
    settings = settings.with_value("reconstruction.payload_tokens", 60)
    made = guard(settings, summarizer=quoting(), counter=BartTokenCounter())
    trace = made.run([])

    for number in range(12):
        trace = made.extend(trace, user(f"Guest {number} has table {number + 20} and room {number + 300}."))
        compression, payload = trace[Compression], trace[Reconstruction]
        assert compression.tokens_out <= 32
        assert payload.tokens <= payload.budget == 60
        assert f"Guest {number} " in compression.paragraph, "the newest round is carried"
    assert len(trace.conversation) == len(trace[Compression].rounds) == 12
    assert "Guest 3 has table 23" in trace[Compression].rounds[3].paragraph


def test_of_two_sentences_that_are_alike_the_older_is_left_out_first():
    """Issue 5, 7: the later word on a matter stays, and what was said but once."""
    rounds = [
        user("The allergy is penicillin."),
        user("The table is for four guests."),
        user("The table is for six guests."),
    ]
    settings = SHORT.with_value("compression.summary_tokens", 16)

    *_, last = grown(guard(settings, summarizer=quoting(), counter=WordsFive()), rounds)

    assert last[Compression].paragraph == "The allergy is penicillin.\n\nThe table is for six guests."


class WordsFive(FakeCounter):
    """Counts words and a half each, so that two of three sentences fit in 16."""

    def count(self, text):
        return len(text.split()) * 3 // 2


def test_what_was_only_passed_through_is_summarised_with_what_is_new():
    """F8: a history of short turns does not stay verbatim for ever."""
    summarizer = quoting()
    made = guard(CONTRACT.with_value("compression.passthrough_words", 6), summarizer=summarizer)

    one = made.extend(made.run(user("The boat leaves.")), user("It is blue."))
    two = made.extend(one, user("It carries forty people."))

    assert one[Compression].paragraph == "The boat leaves.\n\nIt is blue."
    assert len(one[Compression].rounds) == 1
    assert [lines for lines, _ in summarizer.calls] == [
        ["User: The boat leaves.", "User: It is blue.", "User: It carries forty people."]
    ]
    assert len(two[Compression].rounds) == 1


def test_the_recent_tail_waits_for_a_later_round():
    """Issue 5, 4 and 7."""
    summarizer = quoting()
    made = guard(SHORT.with_value("compression.keep_last", 1), summarizer=summarizer)

    traces = grown(made)

    assert [t[Compression].tail for t in traces] == [("1",), ("3",), ("5",)]
    assert [[line[6:] for line in lines] for lines, _ in summarizer.calls] == [
        [ROUNDS[0][0]["content"]],
        [ROUNDS[0][1]["content"], ROUNDS[1][0]["content"]],
        [ROUNDS[1][1]["content"], ROUNDS[2][0]["content"]],
    ]


def test_an_acknowledgement_answers_a_question_of_the_round_before():
    made = guard(SHORT)

    trace = made.extend(made.run(user("The boat leaves at nine.", "Shall I book it?")), user("yes"))
    other = made.extend(made.run(user("The boat leaves at nine.", "I booked it.")), user("yes"))

    assert trace[Compression].picked == (0, 1, 2)
    assert other[Compression].picked == (0, 1)


def test_changed_settings_compress_every_round_anew():
    made = guard(SHORT)
    trace = grown(made)[-1]
    changed = SHORT.with_value("compression.lambda_mmr", 0.9)

    assert made.update(trace, changed) == guard(changed).run(trace.conversation)


def test_messages_that_come_late_by_their_timestamps_are_new_all_the_same():
    made, summarizer = guard(SHORT), quoting()
    made = guard(SHORT, summarizer=summarizer)
    day = "2026-03-0{}T10:00:00Z"
    old = [{"id": f"a{i}", "timestamp": day.format(i), "content": f"Order {i} came."} for i in (1, 3, 5)]
    new = [{"id": "b", "timestamp": day.format(2), "content": "Order 2 is late."}]

    trace = made.extend(made.run(old), new)

    assert [m.id for m in trace.conversation] == ["a1", "b", "a3", "a5"]
    assert summarizer.calls[1][0] == ["User: Order 2 is late."]
    assert [m.round for m in trace[Compression].messages] == [1, 2, 1, 1]


def test_extend_keeps_the_settings_of_the_trace():
    made = guard()
    trace = made.update(made.run(TALK), with_values(elimination__min_similarity=0.9))

    assert made.extend(trace, NEW).settings.elimination.min_similarity == 0.9


def test_extend_of_a_check_keeps_its_summary():
    summarizer = FakeSummarizer()
    made = guard(SHORT, summarizer=summarizer)
    trace = made.check("Then I will wait until Friday.", TALK)
    assert not trace[Elimination].kept

    extended = made.extend(trace, NEW)

    assert extended == made.check("Then I will wait until Friday.", [*TALK, *NEW])
    assert [v.evidence[0].span.message_id for v in extended[Elimination].kept] == ["m3"]
    assert summarizer.calls == []


def test_extend_by_nothing_changes_nothing():
    made = guard(SHORT)
    trace = made.run(TALK)

    assert made.extend(trace, []) == trace


def test_extend_refuses_what_is_no_message():
    made = guard()
    with pytest.raises(TranscriptError, match="message 2 must be an object"):
        made.extend(made.run(TALK), ["Hello."])


def test_models_are_loaded_at_first_use_and_once(monkeypatch):
    """A15, F5: making a guard loads nothing."""
    asked = []

    def load(name, value):
        return lambda *args, **kwargs: asked.append((name, *args)) or value

    loading = SimpleNamespace(
        load_embedder=load("embedder", CachedEmbedder(FakeEmbedder())),
        load_counter=load("counter", FakeCounter()),
        load_summarizer=load("summarizer", FakeSummarizer("Short.")),
    )
    monkeypatch.setattr("memguard.guard.loading", loading)

    made = MemGuard(SHORT.with_value("compression.summarizer", "extractive"))
    assert asked == []
    made.run(TALK)
    made.run(TALK)

    assert asked == [("embedder",), ("counter",), *[("summarizer", "extractive")] * 2]


def test_the_settings_are_the_defaults_unless_given():
    assert MemGuard().settings == Settings()
    assert guard(SHORT).run(TALK).settings == SHORT


def test_progress_is_told_by_every_stage():
    told = []

    guard(SHORT).run(TALK, progress=lambda stage, done, total, label: told.append((stage, done, total)))

    assert list(dict.fromkeys(stage for stage, *_ in told)) == [
        "compression",
        "elimination",
        "reconstruction",
    ]
    assert all(0 <= done <= total for _, done, total in told)


# Size

NAMES = ("Ben", "Ada", "Noor", "Lena", "Rosa", "Mike")
VERBS = ("saw", "sold", "found", "painted", "carried", "moved", "liked", "closed")
STEMS = "paint garden travel market build report train record hunt bank farm print ship cook walk".split()
ENDINGS = ("", "s", "er", "ers", "ing")


@pytest.fixture(scope="module")
def large():
    """A check of 1,000 claims against 5,000 sentences."""
    rng = random.Random(0)
    words = [kind + ending for kind in STEMS for ending in ENDINGS]

    def sentence():
        first, second, third = rng.choices(words, k=3)
        return f"{rng.choice(NAMES)} {rng.choice(VERBS)} the {first} of the {second} near the {third}."

    said = [sentence() for _ in range(5_000)]
    claims = [*rng.sample(said, 500), *(sentence() for _ in range(500))]
    made = guard(CONTRACT, embedder=FakeEmbedder(dimension=768), counter=BartTokenCounter())
    tracemalloc.start()
    trace = made.check(" ".join(claims), user(*(" ".join(said[i : i + 2]) for i in range(0, 5_000, 2))))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return made, trace, peak


def test_a_thousand_claims_against_five_thousand_sentences_fit_in_memory(large):
    _, trace, peak = large

    assert len(trace[Elimination].verdicts) == 1_000
    assert len(trace[Elimination].kept) >= 500
    # Sentences, windows of two and three of them, messages, windows of two and three of those.
    assert trace[Elimination].n_candidates == 5_000 + 4_999 + 4_998 + 2_500 + 2_499 + 2_498
    assert peak < 1e9


@pytest.mark.parametrize("budget", [None, 1_000_000])
def test_a_moved_threshold_follows_within_a_tenth_of_a_second(large, budget):
    """F1: verdicts and payload, whether nothing is kept or everything, in time of the processor."""
    made, trace, _ = large
    trace = made.update(trace, trace.settings.with_value("reconstruction.payload_tokens", budget))

    for minimum in (-1.0, 0.9, 1.0):
        settings = trace.settings.with_value("elimination.min_similarity", minimum)
        seconds = []
        for _ in range(5):
            clock = time.process_time()
            made.update(trace, settings)
            seconds.append(time.process_time() - clock)
        assert min(seconds) <= 0.1


def test_ten_thousand_messages():
    messages = user(*(f"Message {i} says number {i % 977}." for i in range(10_000)))

    trace = guard(SHORT, counter=BartTokenCounter()).run(messages)

    assert len(trace[Compression].messages) == 10_000
    assert 0 < trace[Compression].tokens_selected <= 800
    assert trace[Reconstruction].status is Status.OK


def test_a_message_of_five_thousand_words():
    """F7."""
    long = " ".join(f"Sentence {i} has five words." for i in range(1_000))

    trace = guard(SHORT, counter=BartTokenCounter()).run(user(long, "Please check."))

    first, second = trace[Compression].messages
    assert trace[Compression].picked == (0, 1)
    assert long[: first.used_chars].endswith("words.")
    assert first.n_tokens <= 400
    assert second.used_chars is None
