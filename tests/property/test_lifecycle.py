"""YAML that round-trips whatever the texts hold, and a lifecycle that loses and leaks nothing."""

from datetime import UTC, datetime, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from memguard.memory.lifecycle import Lifecycle
from memguard.memory.observations import Confidence, Observation, Staleness
from memguard.memory.strategies import Strategy
from memguard.memory.yaml_form import CompressedEntry, dumps, loads
from memguard.privacy import PrivacyStatus, Redactor
from memguard.text import is_blank

HOSTILE = [
    "yes", "null", "~", "- a", "a: b", "# c", "!!python/object:x", "&a", "*a", "|", ">", "%YAML 1.2",
    "---", "...", "{}",
    "'", '"', "\\", "a\n\nb\n", " lead", "trail ", "\t", "1e3", "0o7", "2026-11-30", "12:30:45", "\u2028",
    "\x85", "\x00x",
    "\ufeffa", "é🙂漢字", "a\r\nb", "@", "`", "=", "<<", "\u200bx",
]  # fmt: skip
texts = (st.sampled_from(HOSTILE) | st.text(st.characters(codec="utf-8"), min_size=1, max_size=40)).filter(
    lambda text: not is_blank(text) and bool(text.strip())
)
moments = st.datetimes(min_value=datetime(1970, 1, 2), max_value=datetime(2100, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001
entries = st.builds(
    CompressedEntry,
    texts,
    st.lists(texts, min_size=1, max_size=3).map(tuple),
    st.sampled_from(Confidence),
    st.sampled_from(Staleness),
    st.sampled_from(PrivacyStatus),
    st.sampled_from(Strategy),
    st.lists(texts, max_size=2).map(tuple),
    st.lists(texts, max_size=2).map(tuple),
    st.none() | moments,
    st.none() | moments,
)


@given(st.lists(entries, max_size=4))
@settings(deadline=None, max_examples=300)
def test_e11_yaml_round_trips_any_text(given_entries):
    """E11: hostile strings, several lines, any script."""
    assert list(loads(dumps(given_entries))) == given_entries


NOW = datetime(2026, 11, 30, tzinfo=UTC)
SAID = [
    "The port is 8080.", "The port is now 9090.", "I think we decided to use Postgres.",
    "We decided to use Postgres.",
    "Let me check.", "Maybe we could use Kafka.", "Run `make seed` first.", "my password is hunter2x",
    "Noor's mail is noor@haddad.example.", "thanks!",
    "Deploys must never run on Fridays. Noor owns ./bin/deploy.sh.",
    "", "好的设计要先写测试", "It seems like the build failed.",
]  # fmt: skip
observed = st.lists(
    st.tuples(
        st.sampled_from(SAID),
        st.sampled_from([None, *PrivacyStatus]),
        st.sampled_from(["user", "assistant", "tool"]),
        st.integers(0, 900),
    ),
    max_size=8,
)


@given(observed, st.sampled_from(["reject", "redact", "flag"]))
@settings(deadline=None, max_examples=40)
def test_every_observation_is_cited_or_accounted_for_and_no_secret_leaves(rows, choice):
    """E07, E12, E13, E15."""
    given_rows = [
        Observation(f"o{n}", text, f"m{n}", NOW - timedelta(days=days), actor, status)
        for n, (text, status, actor, days) in enumerate(rows)
    ]
    result = Lifecycle(on_unfiltered=choice).run(given_rows, now=NOW)

    cited = {source for entry in result.entries for source in entry.source_ids}
    left = {id for item in result.report.left_out for id in item.id.split(", ")}
    assert cited | left == {item.id for item in given_rows}
    assert "hunter2x" not in repr(result)
    assert "hunter2x" not in result.to_yaml()
    for entry in result.entries:
        found = Redactor().unresolved(entry.summary)
        assert entry.privacy_status is PrivacyStatus.SENSITIVE or not found
    assert loads(result.to_yaml()) == result.entries
    assert Lifecycle(on_unfiltered=choice).run(given_rows, now=NOW) == result
