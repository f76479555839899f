"""The compression lifecycle: requirements E01 to E17 with the rulings F15 to F18."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
import yaml

from memguard.audit import digest
from memguard.errors import InvalidParameterError
from memguard.memory import gates
from memguard.memory.analysis import analyze
from memguard.memory.drafting import Draft, Statement, draft
from memguard.memory.framing import is_chatter, unframed
from memguard.memory.gates import Action, Candidate, Failure, Gate
from memguard.memory.lifecycle import Lifecycle
from memguard.memory.lineage import Why
from memguard.memory.observations import (
    Confidence,
    Durability,
    FactKind,
    Observation,
    Staleness,
    durability_of,
    final_confidence,
    kind_of_fact,
    provisional_confidence,
    staleness_of,
)
from memguard.memory.outcome import PHASES
from memguard.memory.strategies import Strategy, Traits, choose
from memguard.memory.yaml_form import FIELDS, OPTIONAL, TOP, CompressedEntry, dumps, loads
from memguard.privacy import Exclusions, PrivacyStatus, Redactor

NOW = datetime(2026, 11, 30, tzinfo=UTC)


def seen(id, text, *, days=0, actor="user", status=PrivacyStatus.INTERNAL, source=None):
    return Observation(id, text, source or f"m-{id}", NOW - timedelta(days=days), actor, status)


def run(*observations, **rules):
    existing = rules.pop("existing", ())
    return Lifecycle(**rules).run(observations, existing=existing, now=NOW)


def summaries(result):
    return [entry.summary for entry in result.entries]


POSTGRES = seen(
    "o1", "I think we decided to use Postgres, because Redis lost jobs. Maybe we could try Kafka.", days=9
)
AGAIN = seen("o2", "We decided to use Postgres because Redis lost jobs.", days=3, actor="tool")
CHATTER = seen("o3", "Let me check the logs.", actor="assistant")
DEPLOY = seen(
    "o4", "It seems like the deploy script is ./scripts/deploy.sh and must never run on Fridays.", days=2
)
GUESS = seen("o5", "Maybe we should rewrite it in Rust.", days=1)


def test_e01_four_phases_run_in_order_and_are_recorded():
    """E01."""
    result = run(POSTGRES, AGAIN, CHATTER, DEPLOY, GUESS)

    assert (
        tuple(record.phase for record in result.phases)
        == PHASES
        == ("analyze", "compress", "score", "output")
    )
    for record in result.phases:
        assert record.timing.duration_s >= 0
        assert record.output_digest == digest(record.detail)
    starts = [record.timing.started_at for record in result.phases]
    assert starts == sorted(starts)
    assert {"signal_density", "duplication", "confidence", "privacy_risk"} <= set(result.phases[0].detail)
    assert [record.n_in for record in result.phases] == [5, 5, 2, 2]


def test_e01_two_equal_runs_compare_equal():
    """E01: clocks stand outside the compared values."""
    first, second = run(POSTGRES, AGAIN, CHATTER), run(POSTGRES, AGAIN, CHATTER)

    assert first == second
    assert first.phases[0].timing != second.phases[0].timing


def test_e01_analysis_measures_signal_copies_confidence_and_risk():
    """E01."""
    copies = [seen(f"c{n}", "The port is 8080.") for n in range(3)]
    analysis = analyze([*copies, CHATTER, GUESS])

    assert analysis.signal_density == pytest.approx(1 / 5)
    assert analysis.duplication == pytest.approx(2 / 5)
    assert sum(analysis.confidence.values()) == sum(analysis.durability.values()) == 5
    assert analysis.privacy_risk == "none"
    assert analyze([replace(AGAIN, privacy_status=PrivacyStatus.SENSITIVE)]).privacy_risk == "some"
    assert run(replace(AGAIN, privacy_status=None)).analysis.privacy_risk == "high"
    empty = analyze([])
    assert (empty.signal_density, empty.duplication) == (0.0, 0.0)


@pytest.mark.parametrize(
    ("text", "durability"),
    [
        ("We decided to use Postgres.", Durability.DURABLE),
        ("Noor prefers trains to planes.", Durability.DURABLE),
        ("Deploys must never run on Fridays.", Durability.DURABLE),
        ("The config is in ./etc/app.toml.", Durability.DURABLE),
        ("The build could not reach the registry.", Durability.DURABLE),
        ("The lease starts in May 2026.", Durability.DURABLE),
        ("The build is running right now.", Durability.TRANSIENT),
        ("I am currently out of the office.", Durability.TRANSIENT),
        ("The review is due on Tuesday.", Durability.TRANSIENT),
        ("Maybe we could use Kafka.", Durability.SPECULATIVE),
        ("It might be a race condition.", Durability.SPECULATIVE),
        ("What if we cached it?", Durability.SPECULATIVE),
        ("Should we move to Rust?", Durability.SPECULATIVE),
        ("Not sure whether the key is valid.", Durability.SPECULATIVE),
        ("Maybe it is slow. We decided to cache it.", Durability.DURABLE),
        ("We agreed that we could use Kafka.", Durability.DURABLE),
    ],
)
def test_e02_every_observation_is_durable_transient_or_speculative(text, durability):
    """E02."""
    assert durability_of(text) is durability


def test_e03_strategy_follows_from_the_input():
    """E03: noise first; verbose facts are summarised; related ones keep their citations; combinations."""
    noise, semantic, citation = Strategy
    plain = Traits(0.0, 6.0, 0, related=False)

    assert choose(replace(plain, noise_share=0.6)) == (noise,)
    assert choose(replace(plain, mean_words=45.0)) == (semantic,)
    assert choose(replace(plain, related=True)) == (citation,)
    assert choose(plain) == (citation,)
    assert choose(Traits(0.6, 45.0, 2, related=True)) == (noise, semantic, citation)


def test_e03_choice_is_made_from_observations():
    """E03."""
    chatter = [
        seen(f"n{n}", text) for n, text in enumerate(["ok thanks", "Let me check.", "Sounds good!", "On it."])
    ]
    assert run(*chatter, seen("f", "The port is 8080.")).report.strategies[0] is Strategy.NOISE_REDUCTION
    assert Strategy.SEMANTIC_SUMMARIZATION in run(DEPLOY).report.strategies
    assert Strategy.CITATION_PRESERVATION in run(POSTGRES, AGAIN).report.strategies


def test_e04_tag_is_one_of_three_and_combinations_give_the_primary():
    """E04, F18."""
    result = run(POSTGRES, AGAIN, CHATTER, DEPLOY)

    assert len(result.report.strategies) > 1
    tags = [row["compression"] for row in yaml.safe_load(result.to_yaml())[TOP]]
    assert set(tags) <= {"noise-reduction", "semantic-summarization", "citation-preservation"}
    assert tags == ["citation-preservation", "semantic-summarization"]


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("I think the port is 8080.", "The port is 8080."),
        ("It seems like the build failed.", "The build failed."),
        ("So, FYI: I believe that we use Postgres.", "We use Postgres."),
        ("As far as I know, Noor lives in Delft.", "Noor lives in Delft."),
        ("Just a quick update: deploy.sh moved to ./bin.", "deploy.sh moved to ./bin."),
        ("I think `make test` must pass first.", "`make test` must pass first."),
        ("I don't think the port is 8080.", "I don't think the port is 8080."),
        ("I think so.", "I think so."),
        ("Noor thinks the port is 8080.", "Noor thinks the port is 8080."),
        ("The port is 8080.", "The port is 8080."),
    ],
)
def test_e05_framing_goes_and_the_statement_stays(said, left):
    """E05."""
    assert unframed(said) == left


def test_e05_semantic_summary_merges_equal_facts_and_keeps_what_counts():
    """E05: decisions, constraints, paths, commands, outcomes stay; a guess beside them goes."""
    result = run(POSTGRES, AGAIN, DEPLOY, strategies=["semantic-summarization"])

    assert summaries(result) == [
        "We decided to use Postgres because Redis lost jobs.",
        "The deploy script is ./scripts/deploy.sh and must never run on Fridays.",
    ]
    assert result.entries[0].source_ids == ("o1", "o2")


def test_e05_summaries_have_one_or_two_sentences_and_lose_none():
    """E05."""
    said = (
        "The port is 8080. The host is db-2. Run `make seed` first. Backups are kept 30 days. Noor owns it."
    )
    result = run(seen("o", said), strategies=["semantic-summarization"])

    assert summaries(result) == [
        "The port is 8080. The host is db-2.",
        "Run `make seed` first. Backups are kept 30 days.",
        "Noor owns it.",
    ]
    assert {entry.source_ids for entry in result.entries} == {("o",)}


def test_e05_facts_that_differ_in_a_figure_never_merge():
    """E05."""
    result = run(seen("a", "The lease review is on 3 May."), seen("b", "The lease review is on 4 May."))
    assert len(result.entries) == 2


@pytest.mark.parametrize(
    ("sentence", "chatter"),
    [
        ("Let me check the logs.", True),
        ("Sounds good, thanks!", True),
        ("I'll take a look at it.", True),
        ("On it.", True),
        ("I'll start it on port 8443.", False),
        ("Let me check `deploy.sh` again.", False),
        ("The build failed.", False),
        ("Thanks, but use port 8443 from now on", False),
    ],
)
def test_e06_coordination_chatter_is_noise(sentence, chatter):
    """E06."""
    assert is_chatter(sentence) is chatter


def test_e06_noise_and_copies_go_and_the_source_of_a_copy_stays_cited():
    """E06."""
    copy = seen("o6", "we decided to use Postgres because Redis lost jobs", actor="user")
    result = run(AGAIN, copy, CHATTER, strategies=["noise-reduction"])

    assert summaries(result) == [AGAIN.text]
    assert result.entries[0].source_ids == ("o2", "o6")
    assert [left.id for left in result.report.left_out] == ["o3"]


def test_e06_f15_below_the_threshold_means_a_lower_rank():
    """E06, F15: the default ``low`` leaves none out; a guess goes by its durability, not by confidence."""
    low = seen("low", "The port is 8080.", actor="assistant")
    assert summaries(run(low)) == ["The port is 8080."]
    result = run(low, GUESS, min_confidence="medium")
    assert summaries(result) == []
    assert "below medium" in result.report.left_out[0].reason
    assert "speculative" in result.report.left_out[1].reason


def test_e07_every_fact_cites_its_sources_and_their_earliest_and_latest_time():
    """E07, F18."""
    entry = run(POSTGRES, AGAIN).entries[0]

    assert entry.source_ids == ("o1", "o2")
    assert entry.earliest_source_at == POSTGRES.timestamp
    assert entry.latest_source_at == AGAIN.timestamp


def test_e07_a_later_fact_supersedes_the_one_it_contradicts():
    """E07: both stay, with links in both directions."""
    old, new = run(seen("a", "The port is 8080.", days=9), seen("b", "The port is now 9090.", days=1)).entries

    assert old.superseded_by == (new.id,)
    assert new.supersedes == (old.id,)
    assert (old.supersedes, new.superseded_by) == ((), ())


def test_e08_confidence_comes_from_reliability_and_corroboration():
    """E08, F15: provisional before, final after."""
    said = "The port is 8080."
    user, tool = seen("u", said), seen("t", said, actor="tool")
    assistant, again = seen("a", said, actor="assistant"), seen("b", said, actor="assistant")

    assert [provisional_confidence(item) for item in (assistant, user, tool)] == list(Confidence)
    assert final_confidence([user]) is Confidence.MEDIUM
    assert final_confidence([user, seen("u2", said)]) is Confidence.HIGH
    assert final_confidence([user, seen("u2", said, source="m-u")]) is Confidence.MEDIUM, (
        "one source is no second"
    )
    assert final_confidence([assistant, again]) is Confidence.LOW, "an assistant that repeats itself"
    assert final_confidence([user, assistant]) is Confidence.MEDIUM
    assert provisional_confidence(replace(user, text="I think the port is 8080.")) is Confidence.LOW
    assert provisional_confidence(replace(user, reliability=Confidence.HIGH)) is Confidence.HIGH
    assert provisional_confidence(replace(user, actor="stranger")) is Confidence.LOW


def test_e08_framing_that_was_dropped_still_lowers_the_score():
    """E08: "I think" is gone from the text, not from the judgement."""
    assert (
        run(seen("o", "I think the port is 8080."), strategies=["semantic-summarization"])
        .entries[0]
        .confidence
        == "low"
    )
    assert (
        run(seen("o", "The port is 8080."), strategies=["semantic-summarization"]).entries[0].confidence
        == "medium"
    )


@pytest.mark.parametrize(
    ("text", "kind", "moderate", "stale"),
    [
        ("The build is failing right now.", FactKind.STATUS, 1, 7),
        ("The review is due on Tuesday.", FactKind.PLAN, 7, 30),
        ("The config is in ./etc/app.toml.", FactKind.SETUP, 30, 180),
        ("We decided to use Postgres.", FactKind.DECISION, 90, 365),
        ("Deploys must not run on Fridays.", FactKind.CONSTRAINT, 180, 730),
        ("Noor prefers trains.", FactKind.PREFERENCE, 180, 730),
        ("Noor is allergic to nuts.", FactKind.IDENTITY, 365, 1825),
        ("The sky was grey.", FactKind.OTHER, 30, 180),
    ],
)
def test_e09_staleness_depends_on_the_kind_of_fact(text, kind, moderate, stale):
    """E09: at each boundary the next step begins."""
    assert kind_of_fact(text) is kind
    ages = [moderate - 0.5, moderate, stale - 0.5, stale]
    assert [staleness_of(text, [NOW - timedelta(days=age)], NOW) for age in ages] == [
        Staleness.FRESH, Staleness.MODERATE, Staleness.MODERATE, Staleness.STALE,
    ]  # fmt: skip


def test_e09_the_oldest_source_decides():
    """E09: a fact that was only repeated today is as old as its first telling."""
    text = "The config is in ./etc/app.toml."
    result = run(seen("old", text, days=200), seen("new", text, days=0))

    assert result.entries[0].staleness_risk is Staleness.STALE
    assert staleness_of(text, [None], NOW) is Staleness.MODERATE, "nothing shows that it is fresh"


def test_e10_the_most_private_source_decides():
    """E10."""
    said = "Noor is allergic to nuts."
    private = [seen("a", said, status=PrivacyStatus.PUBLIC), seen("b", said, status=PrivacyStatus.SENSITIVE)]
    assert run(*private).entries[0].privacy_status is PrivacyStatus.SENSITIVE
    for status in PrivacyStatus:
        assert run(seen("o", said, status=status)).entries[0].privacy_status is status


def test_e11_yaml_has_the_top_key_and_exactly_the_fields():
    """E11, F18: two more where times are known."""
    timed, untimed = run(AGAIN), run(replace(AGAIN, timestamp=None))

    assert list(yaml.safe_load(timed.to_yaml())) == [TOP] == ["compressed_entries"]
    assert list(yaml.safe_load(untimed.to_yaml())[TOP][0]) == list(FIELDS)
    assert list(yaml.safe_load(timed.to_yaml())[TOP][0]) == [*FIELDS, *OPTIONAL]
    assert FIELDS == (
        "summary", "source_ids", "confidence", "staleness_risk", "privacy_status", "compression",
        "supersedes", "superseded_by",
    )  # fmt: skip


def test_e11_yaml_round_trip():
    """E11."""
    result = run(
        POSTGRES, AGAIN, DEPLOY, seen("a", "The port is 8080.", days=9), seen("b", "The port is now 9090.")
    )
    assert loads(result.to_yaml()) == result.entries
    assert loads(dumps([])) == ()


def entry_row(**changes):
    row = {
        "summary": "The port is 8080.", "source_ids": ["o1"], "confidence": "low", "staleness_risk": "fresh",
        "privacy_status": "internal", "compression": "noise-reduction", "supersedes": [], "superseded_by": [],
    }  # fmt: skip
    return {key: value for key, value in {**row, **changes}.items() if value is not ...}


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (entry_row(privacy_status=...), "it lacks privacy_status"),
        (entry_row(extra=1), "it has extra"),
        (entry_row(confidence="certain"), r"confidence must be one of low, medium, high; got 'certain'"),
        (entry_row(compression=["noise-reduction"]), "compression must be one of"),
        (entry_row(source_ids=[]), "must name one source"),
        (entry_row(source_ids="o1"), "must be a list of ids"),
        (entry_row(supersedes=[3]), "must be a list of ids"),
        (entry_row(summary=" "), "not blank"),
        (entry_row(summary=3), "must be a text"),
        (entry_row(earliest_source_at="yesterday"), "ISO 8601"),
        (entry_row(earliest_source_at="2026-11-30"), "time zone"),
        ("text", "must be a table"),
    ],
)
def test_e11_what_is_not_in_the_form_is_refused(row, message):
    """E11."""
    with pytest.raises(InvalidParameterError, match=message) as caught:
        loads(yaml.safe_dump({TOP: [row]}))
    assert f"{TOP}[0]" in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "entries: []",
        "compressed_entries: 3",
        "a: [",
        "compressed_entries: !!python/object/apply:os.getcwd []",
        "&a [*a]",
    ],
)
def test_e11_a_document_of_another_form_is_refused(text):
    """E11: only the safe loader reads it."""
    with pytest.raises(InvalidParameterError, match="compressed entries"):
        loads(text)


SECRET = "my password is hunter2x"


def test_e12_gate_before_flags_what_bypassed_the_filter():
    """E12, F16: the default rejects; what says that it was filtered is scanned all the same."""
    unfiltered, lying = seen("u", "The port is 8080.", status=None), seen("l", f"Note: {SECRET}")
    result = run(unfiltered, lying, AGAIN)

    assert summaries(result) == [AGAIN.text]
    assert [(a.gate, a.action, a.subject) for a in result.report.privacy_actions] == [
        (Gate.BEFORE, Action.REJECTED, "u"),
        (Gate.BEFORE, Action.REJECTED, "l"),
    ]
    assert "hunter2x" not in repr(result)
    assert [left.id for left in result.report.left_out] == ["u", "l"]


def test_e12_f16_redact_filters_now():
    """F16."""
    result = run(seen("u", f"The port is 8080 and {SECRET}.", status=None), on_unfiltered="redact")

    assert summaries(result) == ["The port is 8080 and my password is [SECRET_1]."]
    assert result.entries[0].privacy_status is PrivacyStatus.SECRET_REDACTED
    assert result.report.privacy_actions[0].action is Action.REDACTED


def test_e12_f16_flag_lets_through_to_the_last_gate():
    """F16, E12: flagged input is compressed, and without a status it is still not stored."""
    result = run(
        seen("u", f"Note: {SECRET}"), seen("n", "The port is 8080.", status=None), on_unfiltered="flag"
    )

    assert result.entries == ()
    assert [a.action for a in result.report.privacy_actions] == [Action.FLAGGED] * 2 + [Action.REJECTED] * 2
    assert {left.failure for left in result.report.left_out} == {Failure.UNRESOLVED, Failure.NOT_FILTERED}
    assert "hunter2x" not in repr(result), "no record and no report holds the text that was not filtered"


def test_e12_gate_during_redacts_by_the_projects_list():
    """E12."""
    rules = Exclusions(terms=("Project Borealis",), paths=("secret/**",))
    result = run(
        seen("a", "Project Borealis ships in March."),
        seen("b", "The port is 8080.", source="secret/notes.md"),
        exclusions=rules,
    )

    assert summaries(result) == ["[REDACTED_1] ships in March."]
    assert [(a.gate, a.action, a.subject) for a in result.report.privacy_actions] == [
        (Gate.DURING, Action.REDACTED, "a"),
        (Gate.DURING, Action.REJECTED, "b"),
    ]


def test_e12_f17_sensitive_is_known_and_labelled_not_unresolved():
    """F17: an address is allowed where it is labelled; a secret never is."""
    mail = "Noor's address is noor@haddad.example."
    assert summaries(run(seen("a", mail, status=PrivacyStatus.SENSITIVE))) == [mail]
    assert summaries(run(seen("a", mail, status=PrivacyStatus.INTERNAL))) == []
    assert summaries(run(seen("a", SECRET, status=PrivacyStatus.SENSITIVE))) == []
    assert summaries(run(seen("a", SECRET, status=PrivacyStatus.SECRET_REDACTED))) == []


def test_e13_only_entries_that_pass_are_stored():
    """E13."""
    result = run(AGAIN, seen("l", SECRET), GUESS, CHATTER)

    assert [source for entry in result.entries for source in entry.source_ids] == ["o2"]
    assert loads(result.to_yaml()) == result.entries
    assert result.report.n_output == len(result.entries) == 1


def test_e14_supersession_map_records_merges_and_replacements():
    """E14."""
    result = run(
        POSTGRES, AGAIN, seen("a", "The port is 8080.", days=9), seen("b", "The port is now 9090.", days=1)
    )

    merged, old, new = result.entries
    assert [(link.old, link.new, link.reason) for link in result.supersession] == [
        ("o1", merged.id, Why.MERGED),
        ("o2", merged.id, Why.MERGED),
        (old.id, new.id, Why.REPLACED),
    ]


def test_e14_entries_of_earlier_runs_are_superseded_or_restated():
    """E14, E09: a restated fact keeps the sources and the age of its first telling."""
    first = run(
        seen("a", "The port is 8080.", days=400), seen("p", "Noor prefers trains to planes.", days=400)
    )
    second = run(
        seen("b", "The port is now 9090."),
        seen("q", "Noor prefers trains to planes."),
        existing=first.entries,
    )

    port, trains = second.entries
    assert port.supersedes == (first.entries[0].id,)
    assert trains.source_ids == ("p", "q")
    assert trains.earliest_source_at == first.entries[1].earliest_source_at
    assert trains.staleness_risk is Staleness.MODERATE
    assert [(entry.id, entry.superseded_by) for entry in second.replaced] == [
        (first.entries[0].id, (port.id,)),
        (first.entries[1].id, (trains.id,)),
    ]
    assert {link.reason for link in second.supersession} == {Why.REPLACED, Why.RESTATED}


def test_e15_report_counts_and_names_what_was_done():
    """E15."""
    report = run(POSTGRES, AGAIN, CHATTER, GUESS, seen("l", SECRET)).report

    assert (report.n_input, report.n_output) == (5, 1)
    assert report.strategies[0] in set(Strategy)
    assert [action.subject for action in report.privacy_actions] == ["l"]
    assert sorted(left.id for left in report.left_out) == ["l", "o3", "o5"]


def candidate(summary="The port is 8080.", said="The port is 8080.", **changes):
    source = seen("o1", said)
    made_from = Draft(summary, (Statement(said, source),), (Strategy.CITATION_PRESERVATION,))
    entry = CompressedEntry(
        summary,
        ("o1",),
        Confidence.LOW,
        Staleness.FRESH,
        PrivacyStatus.INTERNAL,
        Strategy.CITATION_PRESERVATION,
    )
    rechecked = changes.pop("rechecked", summary)
    return Candidate(replace(entry, **changes), made_from, rechecked)


def failed(given):
    return [failure for failure, _reason in gates.failures(given, {"o1"})]


def test_e16_a_sound_candidate_passes():
    """E16: the control of the failures below."""
    assert failed(candidate()) == []


@pytest.mark.parametrize(
    ("summary", "said", "lost"),
    [
        ("The port is set.", "The port is 8080.", "8080"),
        ("Run it first.", "Run `make seed` first.", "`make seed`"),
        ("The script moved.", "The script moved to ./bin/deploy.sh.", "./bin/deploy.sh"),
        ("She prefers trains.", "We know that Noor prefers trains.", "noor"),
    ],
)
def test_e16_over_compression_loses_a_detail_and_is_not_stored(summary, said, lost):
    """E16."""
    given = candidate(summary, said)
    assert failed(given) == [Failure.OVER_COMPRESSED]
    assert lost in gates.failures(given, {"o1"})[0][1]


def test_e16_under_compression_is_reported():
    """E16: copies that stay apart, and framing that stays, are no compression."""
    framed = [seen(f"f{n}", f"I think that the port of host {n} is 80{n}0.") for n in range(3)]
    assert any(
        "under-compressed" in text for text in run(*framed, strategies=["noise-reduction"]).report.warnings
    )
    assert run(*framed).report.warnings == ()


@pytest.mark.parametrize("ids", [("o9",), (), ("o1", "o9")])
def test_e16_a_broken_citation_chain_is_not_stored(ids):
    """E16."""
    assert failed(candidate(source_ids=ids)) == [Failure.BROKEN_CITATION]


@pytest.mark.parametrize("rechecked", [None, "The port was 8080."])
def test_e16_a_skipped_recheck_is_not_stored(rechecked):
    """E16, E12: the very text that goes out must have been scanned after compression."""
    assert failed(candidate(rechecked=rechecked)) == [Failure.NOT_RECHECKED]


def test_e16_a_missing_status_is_not_stored():
    """E12, E16."""
    assert failed(replace(candidate(), entry=None)) == [Failure.NOT_FILTERED]


@pytest.mark.parametrize("confidence", [Confidence.MEDIUM, Confidence.HIGH])
def test_e16_a_guess_that_is_scored_high_is_not_stored(confidence):
    """E16."""
    guess = "Maybe the port is 8080."
    assert failed(candidate(guess, guess, confidence=confidence)) == [Failure.SPECULATION]
    assert failed(candidate(guess, guess)) == []


def test_e16_a_guess_stays_low_however_often_it_is_said():
    """E16, E08."""
    said = [seen(f"g{n}", "Maybe the port is 8080.", actor="tool") for n in range(5)]
    assert final_confidence(said) is Confidence.LOW
    assert run(*said).entries == ()


def test_e16_a_guess_is_never_turned_into_a_fact():
    """E16, E05: dropping framing must not assert what was only weighed up."""
    said = "I think maybe we could use Kafka. I think the port might be 8080. The host is db-2."
    assert summaries(run(seen("o", said), strategies=["semantic-summarization"])) == ["The host is db-2."]


def test_e16_a_wrong_strategy_is_reported():
    """E16."""
    chatter = [seen(f"n{n}", "Let me check that.") for n in range(4)]
    result = run(*chatter, seen("f", "The port is 8080."), strategies=["citation-preservation"])

    assert any(
        "wrong strategy: the input calls for noise-reduction" in text for text in result.report.warnings
    )


def test_e17_input_that_did_not_pass_the_filter_is_never_compressed():
    """E17: neither by rule nor by a model."""

    class Spy:
        def __init__(self):
            self.prompts = []

        def generate(self, prompt, max_tokens=256):
            self.prompts.append(prompt)
            return ""

    spy = Spy()
    pair = [
        seen("a", "The port is 8080 on db-2.", status=None),
        seen("b", "On db-2 the port is 8080.", status=None),
    ]
    for choice in ("reject", "flag"):
        result = run(*pair, llm=spy, on_unfiltered=choice)
        assert result.entries == ()
    assert spy.prompts == []


class Writer:
    """A model that answers with a set text."""

    def __init__(self, answer):
        self.answer = answer
        self.prompts = []

    def generate(self, prompt, max_tokens=256):
        self.prompts.append(prompt)
        return self.answer


PAIR = (
    seen("a", "The port of the queue is 8080."),
    seen("b", "The queue's port is 8080.", actor="tool"),
)


def test_a_model_words_a_merged_fact_anew():
    writer = Writer("The queue has port 8080.")
    result = run(*PAIR, llm=writer)

    assert summaries(result) == ["The queue has port 8080."]
    assert result.entries[0].source_ids == ("a", "b")
    assert len(writer.prompts) == 1
    assert "- The port of the queue is 8080." in writer.prompts[0]


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ("", "blank"),
        ("The queue has a port.", "lost"),
        ("The queue has port 8080 since 3 May.", "added"),
        ("It has port 8080. It is a queue. It is fine.", "more than 2 sentences"),
        ("Maybe the queue has port 8080.", "states less"),
    ],
)
def test_a_models_text_that_fails_a_check_is_not_used(answer, why):
    result = run(*PAIR, llm=Writer(answer))

    assert summaries(result) == ["The port of the queue is 8080."]
    assert any(why in text for text in result.report.warnings)


def test_empty_input_gives_nothing():
    result = run()
    assert (result.entries, result.supersession, result.report.n_input) == ((), (), 0)
    assert len(result.phases) == 4


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Lifecycle(on_unfiltered="ask"), "on_unfiltered must be one of reject, redact, flag"),
        (lambda: Lifecycle(strategies=[]), "strategies must be a list"),
        (lambda: Lifecycle(strategies="noise-reduction"), "strategies must be a list"),
        (lambda: Lifecycle(strategies=["zip"]), "no strategy 'zip'"),
        (lambda: Lifecycle(min_confidence="some"), "min_confidence must be one of"),
        (lambda: run(AGAIN, AGAIN), "'o2' is there more than once"),
        (lambda: Lifecycle().run([], now=datetime(2026, 1, 1)), "now must have a time zone"),  # noqa: DTZ001
        (lambda: Observation("", "x", "m"), "id of an observation"),
        (lambda: Observation("o", "x", "m", datetime(2026, 1, 1)), "must have a time zone"),  # noqa: DTZ001
    ],
)
def test_wrong_arguments_are_refused(make, message):
    with pytest.raises(InvalidParameterError, match=message):
        make()


def test_without_semantic_summarization_texts_stay_as_they_were_said():
    said = (AGAIN, DEPLOY)
    assert [fact.summary for fact in draft(said, [Strategy.CITATION_PRESERVATION])] == [
        item.text for item in said
    ]


def test_a_summary_is_scanned_for_what_the_run_has_hidden():
    """E12: a secret that one observation gave away is found in another that nothing labels."""
    redactor = Redactor()
    redactor.redact(SECRET)
    assert gates.recheck("Type hunter2x twice.", PrivacyStatus.INTERNAL, redactor) != ()


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("The cap is 4 MB, and perhaps we could raise it later.", ["The cap is 4 MB"]),
        ("Maybe we could use Kafka, but the retention must be 30 days.", ["The retention must be 30 days."]),
        ("Perhaps Kafka; we decided on Postgres.", ["We decided on Postgres."]),
        ("Do not touch prod, maybe ask Mei.", ["Do not touch prod"]),
        ("If the build fails, maybe we could roll back.", []),
        ("Maybe we use Kafka, but it must be fast.", []),
        ("For more speed, perhaps we could use Rust.", []),
        ("Should we move, but does the port stay 8443?", []),
    ],
)
def test_e05_a_guess_beside_a_statement_does_not_take_it_along(said, kept):
    """E02, E05: a constraint is kept, the guess is not, and it is less sure than one said without."""
    result = run(seen("o1", said, actor="tool"))

    assert summaries(result) == kept
    assert all(entry.confidence is not Confidence.HIGH for entry in result.entries)


def test_e08_a_question_after_a_statement_takes_nothing_from_its_confidence():
    """E08."""
    result = run(seen("o1", "The port is 8443. Is that the right one?", actor="tool"))

    assert [entry.confidence for entry in result.entries] == [Confidence.HIGH]


@pytest.mark.parametrize(
    "changes",
    [
        {"text": None},
        {"id": 1},
        {"source": None},
        {"timestamp": "2026-01-01"},
        {"privacy_status": "secret"},
        {"reliability": 3},
    ],
)
def test_an_observation_of_wrong_types_is_refused(changes):
    fields = {"id": "o1", "text": "The cap is 4 MB.", "source": "m1"} | changes

    with pytest.raises(InvalidParameterError, match=next(iter(changes))):
        Observation(**fields)


def test_e10_a_status_may_be_given_as_its_word():
    """E10."""
    [entry] = run(Observation("o1", "The cap is 4 MB.", "m1", privacy_status="sensitive")).entries

    assert entry.privacy_status is PrivacyStatus.SENSITIVE


@pytest.mark.parametrize("observations", [None, "text", [1], 5])
def test_a_run_over_something_else_is_refused(observations):
    with pytest.raises(InvalidParameterError, match="observations"):
        Lifecycle().run(observations)


def test_e11_reading_something_that_is_no_text_is_refused():
    """E11."""
    with pytest.raises(InvalidParameterError, match="text"):
        loads(None)
