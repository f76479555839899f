"""``memguard memory …``: long-term memory, one function a command.

The docstrings are the help texts. The work is that of ``memory(action=…)``; what is not an action (verify,
stats) asks the store.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from memguard.cli.codes import BAD_INPUT, DONE
from memguard.cli.inputs import read_plain, read_transcript
from memguard.cli.memory_inputs import exclusions, store_of
from memguard.cli.memory_output import columns, counted, day, pairs, paragraphs, plain, size
from memguard.cli.output import print_json
from memguard.settings import Settings

_USUAL = {"type": {"long_term"}, "status": {"active"}, "cosine": set[str]()}
"""A column that holds nothing else is left out."""


def capture(arguments: argparse.Namespace) -> int:
    """Remember a text, or the turns of a transcript; secrets are replaced and duplicates not stored."""
    given: dict[str, Any] = {
        "memory_type": arguments.type,
        "importance": arguments.importance,
        "tags": arguments.tag,
        "expires_at": arguments.expires,
        "timestamp": arguments.at,
    }
    if (arguments.text is None) == (arguments.turns is None):
        arguments.parser.error("give a text (- for standard input) or --turns FILE")
    if arguments.turns is None and (arguments.conversation or arguments.columns):
        arguments.parser.error("--conversation and --columns go with --turns")
    if arguments.turns:
        conversation = read_transcript(arguments.turns, Settings(), arguments.conversation, arguments.columns)
        given["turns"] = [
            {"role": message.role, "content": message.content, "speaker": message.speaker or ""}
            for message in conversation
        ]
    else:
        given["text"] = read_plain("-").removesuffix("\n") if arguments.text == "-" else arguments.text
    return _told(arguments, _act(arguments, "capture", given))


def search(arguments: argparse.Namespace) -> int:
    """Find entries by meaning, and by their words."""
    query = read_plain("-").strip() if arguments.query == "-" else arguments.query
    given = {"query": query, "k": arguments.k, "give": arguments.give, **_wanted(arguments)}
    return _listed(arguments, _act(arguments, "search", given))


def list_entries(arguments: argparse.Namespace) -> int:
    """List entries, by default the newest fifty that may be given out."""
    given = {"limit": arguments.limit, "offset": arguments.offset, "order": arguments.order}
    return _listed(arguments, _act(arguments, "list", given | _wanted(arguments)))


def get(arguments: argparse.Namespace) -> int:
    """Show an entry in whatever state."""
    result = _act(arguments, "get", {"memory_id": arguments.id})
    if arguments.history:
        from memguard.memory import views

        with store_of(arguments) as store:
            result["history"] = [views.entry_view(item) for item in store.history(arguments.id)]
    if arguments.json:
        print_json(result, indent=2)
        return DONE
    _print_entry(result["entry"])
    for earlier in result.get("history", ()):
        print(f"\nversion {earlier['version']}, until it was changed:\n{paragraphs(earlier['text'])}")
    return DONE


def delete(arguments: argparse.Namespace) -> int:
    """Delete an entry so that restore brings it back, or with --purge erase it for good."""
    given = {"memory_id": arguments.id, "purge": arguments.purge or None}
    return _told(arguments, _act(arguments, "delete", given))


def restore(arguments: argparse.Namespace) -> int:
    """Make a deleted, archived or superseded entry active again."""
    return _told(arguments, _act(arguments, "restore", {"memory_id": arguments.id}))


def compress(arguments: argparse.Namespace) -> int:
    """Have a model shorten an entry that is stored as it was said; what it loses or adds is refused."""
    return _told(arguments, _act(arguments, "compress", {"memory_id": arguments.id}))


def summarize(arguments: argparse.Namespace) -> int:
    """Print the entries that fit a budget of tokens; no model writes."""
    given = {
        "max_tokens": arguments.max_tokens,
        "strategy": arguments.strategy,
        "query": arguments.query,
        "counter": arguments.counter,
        "give": arguments.give,
        **_wanted(arguments),
    }
    result = _act(arguments, "summarize", given)
    if arguments.json:
        print_json(result, indent=2)
        return DONE
    print(paragraphs(result["content"]))
    print(
        f"{counted(result['source_count'], 'entry', 'entries')}, {result['token_count']:,} tokens",
        file=sys.stderr,
    )
    return DONE


def export(arguments: argparse.Namespace) -> int:
    """Write entries as JSONL, by default all of them in whatever state."""
    given = _wanted(arguments)
    if arguments.file == "-":
        if arguments.json:
            arguments.parser.error("--json goes with a file: the lines themselves are JSON")
        result = _act(arguments, "export", given)
        print("".join(result["lines"]), end="")
        print(f"{counted(result['count'], 'entry', 'entries')} exported", file=sys.stderr)
        return DONE
    return _told(arguments, _act(arguments, "export", given | {"path": arguments.file}))


def import_entries(arguments: argparse.Namespace) -> int:
    """Read an export into this tenant, all of it or nothing."""
    given: dict[str, Any] = {
        "skip_existing": arguments.skip_existing,
        "on_unfiltered": arguments.on_unfiltered,
    }
    if arguments.file == "-":
        given["lines"] = read_plain("-").split("\n")
    else:
        given["path"] = arguments.file
    return _told(arguments, _act(arguments, "import", given))


def verify(arguments: argparse.Namespace) -> int:
    """Check the chain of records, and that every entry is what it says."""
    with store_of(arguments) as store:
        found = store.verify(expected_head=arguments.head)
    if arguments.json:
        print_json(asdict(found), indent=2)
    elif found.intact:
        print(f"{found.message}\nhead {found.head}")
    if not found.intact:
        print(f"memguard: {found.message}", file=sys.stderr)
    return DONE if found.intact else BAD_INPUT


def stats(arguments: argparse.Namespace) -> int:
    """Show what a tenant has stored."""
    with store_of(arguments) as store:
        found = store.stats()
        where, backend = store.location, store.backend
    if arguments.json:
        print_json({"location": where, "backend": backend, "tenant_id": arguments.tenant, **asdict(found)}, 2)
        return DONE
    rows: list[tuple[str, object]] = [
        ("store", where),
        ("backend", backend),
        ("tenant", arguments.tenant),
        ("entries", f"{found.n_entries:,}"),
        *((f"  {status}", f"{number:,}") for status, number in found.by_status.items()),
        ("with embedding", f"{found.n_embedded:,}"),
        *((f"  {kind.replace('_', ' ')}", f"{number:,}") for kind, number in found.by_type.items()),
        ("earlier versions", f"{found.n_versions:,}"),
        ("records", f"{found.n_records:,}"),
        ("head", found.head),
        ("size of the store", size(found.store_bytes)),
    ]
    print("\n".join(pairs(rows)))
    return DONE


def _act(arguments: argparse.Namespace, action: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Carry out an action with what was given; a flag that was left out takes the action's own default."""
    from memguard.memory.actions import follow_log_level
    from memguard.memory.desk import Memory
    from memguard.memory.gate import PrivacyGate

    follow_log_level()
    with store_of(arguments) as store:
        desk = Memory(store, gate=PrivacyGate(exclusions(arguments.exclusions)))
        told = {name: value for name, value in given.items() if value is not None}
        result: dict[str, Any] = desk(action, **told)
    return result


def _wanted(arguments: argparse.Namespace) -> dict[str, Any]:
    given = {
        "types": arguments.type,
        "tags": arguments.tag,
        "status": None if arguments.status is None else [s for s in arguments.status if s != "any"],
        "min_importance": arguments.min_importance,
        "since": arguments.since,
        "until": arguments.until,
        "text": arguments.text,
    }
    return {name: value for name, value in given.items() if value is not None}


def _told(arguments: argparse.Namespace, result: Mapping[str, Any]) -> int:
    """Print what an action did."""
    from memguard.server.memory_words import worded

    if arguments.json:
        print_json(result, indent=2)
        return DONE
    print(paragraphs(worded({**result, "warnings": []})))
    for warning in result.get("warnings", ()):
        print(f"warning: {plain(warning)}", file=sys.stderr)
    return DONE


def _listed(arguments: argparse.Namespace, result: Mapping[str, Any]) -> int:
    if arguments.json:
        print_json(result, indent=2)
        return DONE
    entries = result["entries"]
    searched = result["action"] == "search"
    cells = {
        "cosine": [_similarity(entry) for entry in entries] if searched else [],
        "id": [entry["id"] for entry in entries],
        "made": [day(entry["timestamp"]) for entry in entries],
        "type": [entry["memory_type"] for entry in entries],
        "status": [entry["status"] for entry in entries],
        "text": [entry["text"] for entry in entries],
    }
    shown = {head: column for head, column in cells.items() if set(column) - _USUAL.get(head, set())}
    print("\n".join(columns(list(zip(*shown.values(), strict=True)), list(shown))) or "No entry was found.")
    if not searched and result["total"] > len(entries):
        print(
            f"{len(entries):,} of {counted(result['total'], 'entry', 'entries')}; more with --offset",
            file=sys.stderr,
        )
    for warning in result["warnings"]:
        print(f"warning: {plain(warning)}", file=sys.stderr)
    return DONE


def _print_entry(entry: Mapping[str, Any]) -> None:
    print(paragraphs(entry["text"]))
    print()
    named = ["id", "status", "version", "memory_type", "importance", "tags", "timestamp", "updated_at"]
    named += ["expires_at", "privacy_status", "origin", "compression_provider", "tokens_in", "tokens_out"]
    named += ["supersedes", "superseded_by", "metadata"]
    rows = [(name.replace("_", " "), _shown(entry[name])) for name in named]
    print("\n".join(pairs(rows)))
    if entry["text_raw"] is not None:
        print(f"\nas it was said:\n{paragraphs(entry['text_raw'])}")


def _shown(value: object) -> object:
    return (
        ", ".join(value)
        if isinstance(value, list)
        else value or ("" if not isinstance(value, int) else value)
    )


def _similarity(entry: Mapping[str, Any]) -> str:
    return "words" if entry["similarity"] is None else f"{entry['similarity']:.2f}"
