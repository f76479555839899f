"""A ``Trace`` as HTML in a notebook: ``%load_ext memguard.integrations.jupyter``.

Everything that comes from a conversation is escaped, so that a message with markup or a script in it is
shown as the text that it is; two sums in dollars are no formula either.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memguard import audit, wire
from memguard.compressor import Compression
from memguard.eliminator import Elimination
from memguard.integrations.words import fate, tally
from memguard.reconstructor import Reconstruction
from memguard.reports.words import counted
from memguard.trace import Trace

if TYPE_CHECKING:
    from jinja2 import Template

_MOST_ROWS = 200
_MOST_CHARS = 2_000
_TEMPLATE = """\
<div class="memguard tex2jax_ignore mathjax_ignore">
<style>.memguard table{border-collapse:collapse}.memguard td,.memguard th{text-align:left;vertical-align:top;\
padding:.2em .6em;border-bottom:1px solid #8884;unicode-bidi:isolate}\
.memguard pre{white-space:pre-wrap}</style>
<p><strong>MemGuard</strong>: {{ summary }}</p>
{% if claims %}<table>
<thead><tr><th>claim</th><th>verdict</th><th>text</th><th>evidence</th><th>why</th></tr></thead>
<tbody>{% for row in claims %}
<tr><td>{{ row.id }}</td><td title="{{ row.title }}">{{ row.fate }}</td><td>{{ row.text }}</td>\
<td title="{{ row.source }}">{{ row.place }}</td><td>{{ row.why }}</td></tr>{% endfor %}
</tbody></table>{% endif %}
{% if left %}<p>{{ left }}</p>{% endif %}
{% for warning in warnings %}<p>warning: {{ warning }}</p>{% endfor %}
{% if payload %}<details open><summary>payload, {{ tokens }}</summary>\
<pre>{{ payload }}</pre></details>{% endif %}
</div>"""


def load_ipython_extension(shell: Any) -> None:
    """Show a ``Trace`` as HTML from now on; called by ``%load_ext``."""
    shell.display_formatter.formatters["text/html"].for_type(Trace, trace_html)


def unload_ipython_extension(shell: Any) -> None:
    """Show a ``Trace`` as before; called by ``%unload_ext``."""
    shell.display_formatter.formatters["text/html"].pop(Trace, None)


def trace_html(trace: Trace) -> str:
    """Return a run as a piece of HTML, as far as it has come; all text of it is escaped."""
    elimination, reconstruction = trace.get(Elimination), trace.get(Reconstruction)
    claims = wire.claim_rows(trace) if elimination is not None else []
    shown = claims[:_MOST_ROWS]
    hidden = len(claims) - len(shown)
    return _template().render(
        summary=_summary(trace),
        claims=[_row(claim) for claim in shown],
        left=f"{counted(hidden, 'more claim')}: see to_frame(trace).claims" if hidden else "",
        warnings=wire.warnings(trace),
        payload=reconstruction.text if reconstruction is not None else "",
        tokens=counted(reconstruction.tokens, "token") if reconstruction is not None else "",
    )


def _template() -> Template:
    from jinja2 import Environment

    return Environment(autoescape=True).from_string(_TEMPLATE)


def _summary(trace: Trace) -> str:
    messages = counted(len(trace.conversation), "message")
    if trace.get(Reconstruction) is not None:
        return f"{messages}; {tally(wire.result(trace, audit_head=audit.head(audit.records(trace))))}"
    if trace.get(Elimination) is not None:
        return f"{messages}; elimination has run, reconstruction has not"
    if trace.get(Compression) is not None:
        return f"{messages}; compression has run, elimination has not"
    return f"{messages}; no stage has run"


def _row(claim: wire.ClaimRow) -> dict[str, str]:
    best = claim["evidence"][0] if claim["evidence"] else None
    return {
        "id": claim["id"],
        "fate": fate(claim),
        "title": f"label {claim['label']}, reason {claim['reason']}, similarity {claim['similarity']:.2f}, "
        f"support {claim['support']:.2f}",
        "text": _short(claim["text"]),
        "place": "" if best is None else best["message_id"],
        "source": "" if best is None else _short(best["text"]),
        "why": _short(claim["detail"]),
    }


def _short(text: str) -> str:
    return text if len(text) <= _MOST_CHARS else f"{text[:_MOST_CHARS]}…"
