"""The capture box and what the privacy gate makes of its text, as HTML. Pure functions.

What stands in the box is the person's own and is shown as typed; what leaves the gate holds
placeholders, and nothing here repeats a value beside its kind.
"""

from __future__ import annotations

from dataclasses import dataclass

from memguard.charts import counted
from memguard.privacy import Category, PrivacyStatus, Redacted
from pages._ui.memory.markup import figure_row, named
from pages._ui.render import Note, annotated, text

_WHY: dict[Category, str] = {
    Category.SECRET: "a secret: it opens something",
    Category.PERSONAL: "personal data: it points at a person",
    Category.PROJECT: "on the project's own list",
}
STATUS_WORDS: dict[PrivacyStatus, str] = {
    PrivacyStatus.PUBLIC: "declared public",
    PrivacyStatus.INTERNAL: "nothing private was found",
    PrivacyStatus.SENSITIVE: "it held personal data",
    PrivacyStatus.SECRET_REDACTED: "it held a secret, which was replaced",
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a capture did.

    Attributes:
        title: In a few words: "Stored", "Not stored: it is there already".
        advice: One or two sentences.
        good: Whether something is in the store now.
        entry_id: The entry that holds it, be it a new one or the one that held it before.
        tokens_in: Of the text as it left the gate.
        tokens_out: Of the entry.
        text: What is stored.
    """

    title: str
    advice: str
    good: bool
    entry_id: str = ""
    tokens_in: int | None = None
    tokens_out: int | None = None
    text: str = ""


def backdrop(typed: str, found: Redacted) -> str:
    """Return the typed text with what the gate would replace set off."""
    return annotated(
        typed,
        [Note(*f.span, "mg-private", f"{named(f.kind.value)}: {_WHY[f.category]}") for f in found.findings],
    )


def leaving(found: Redacted) -> str:
    """Return the text as it leaves the gate, its placeholders set off."""
    notes, shift = [], 0
    for finding, placeholder in zip(found.findings, found.placeholders, strict=True):
        start = finding.span[0] + shift
        notes.append(Note(start, start + len(placeholder), "mg-placeholder", named(finding.kind.value)))
        shift += len(placeholder) - (finding.span[1] - finding.span[0])
    return f'<p class="mg-leaving">{annotated(found.text, notes)}</p>'


def replaced(found: Redacted) -> str:
    """Return what was replaced, by what and why."""
    if not found.findings:
        return (
            '<p class="mg-quiet">The gate replaces nothing. It looks for secrets, personal data and what '
            "the project's own list names.</p>"
        )
    lines = "".join(
        f"<tr><td><code>{text(placeholder)}</code></td><td>{named(finding.kind.value)}</td>"
        f'<td>{_WHY[finding.category]}</td><td class="mg-figure">{finding.confidence:.2f}</td></tr>'
        for finding, placeholder in zip(found.findings, found.placeholders, strict=True)
    )
    return (
        '<table class="mg-measures mg-replaced"><thead><tr><th scope="col">Placeholder</th>'
        '<th scope="col">Kind</th><th scope="col">Why</th><th scope="col" title="How sure the recognizer is, '
        f'from 0 to 1">Confidence</th></tr></thead><tbody>{lines}</tbody></table>'
    )


def tokens(n_in: int, n_out: int, found: Redacted, notes: tuple[str, ...]) -> str:
    """Return the headline figures of a text at the gate."""
    status = named(found.status.value)
    row = figure_row(
        [
            ("Tokens in", f"{n_in:,}", "Of the text as typed, counted with cl100k"),
            ("Tokens after the gate", f"{n_out:,}", "Of the text with placeholders: what leaves"),
            ("Replaced", f"{len(found.findings):,}", "Places that a placeholder stands for"),
        ]
    )
    row += (
        f'<p class="mg-lead" title="The privacy status that the entry would have">Privacy: <b>{text(status)}'
        f"</b>, {STATUS_WORDS[found.status]}.</p>"
    )
    told = "".join(f"<li>{text(note)}</li>" for note in notes)
    return row + (f'<ul class="mg-notes" aria-label="Notes">{told}</ul>' if told else "")


def outcome(done: Outcome) -> str:
    """Return what a capture did, as a block."""
    figures = ""
    if done.tokens_in is not None and done.tokens_out is not None:
        saved = done.tokens_in - done.tokens_out
        how = f"{counted(saved, 'token')} fewer" if saved > 0 else "not compressed"
        figures = (
            f'<p class="mg-figure"><b>{done.tokens_in:,} → {done.tokens_out:,} tokens</b> '
            f"<small>{how}</small></p>"
        )
    said = f'<p class="mg-leaving">{text(done.text)}</p>' if done.text else ""
    css = " mg-kept" if done.good else ""
    return (
        f'<div class="mg-outcome{css}" role="status"><p><b>{text(done.title)}</b></p>'
        f"<p>{text(done.advice)}</p>{figures}{said}</div>"
    )
