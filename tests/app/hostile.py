"""A pack of hostile transcripts: everything that a page could mistake for something else than text."""

from __future__ import annotations

HOSTILE = {
    "script": "<script>window.hacked = 'script'</script> The fee is 400 euros.",
    "image": "<img src=x onerror=\"window.hacked = 'image'\"> The rent is 700 euros.",
    "vector": "<svg onload=\"window.hacked = 'svg'\"><circle r=9 /></svg> The keys are in Leeds.",
    "frame": '<iframe src="https://evil.example/frame"></iframe> The lease ends in May.',
    "break out": "</div></li></ol></template><style>*{display:none}</style> The car is blue.",
    "attribute": "\" onmouseover=\"window.hacked = 'attribute'\" x=' ' onfocus=1 autofocus The bike is red.",
    "link": "[the form](javascript:window.hacked='link') is [here](https://evil.example/link). Sign it.",
    "picture": "![receipt](https://evil.example/pixel.png) The receipt was sent on Monday.",
    "addresses": "Write to mallory@evil.example or www.evil.example or https://evil.example/go today.",
    "mathematics": "It was $5 and then $10, or $$x^2$$ in all. The fee is $E = mc^2$ today.",
    "colour": ":red[The deposit was paid.] :blue-background[Not by me.] :small[hidden]",
    "icon": ":material/home: :tada: The house has :streamlit: two floors.",
    "markdown": "# Heading\n> quote\n- item **bold** _it_ `code` ~~gone~~ |a|b|\nThe desk is **not** mine.",
    "template": "{{constructor}} ${window.hacked=1} <%= 7*7 %> The lamp costs 20 euros.",
    "entities": "&lt;b&gt; &amp; &#x3C;script&#x3E; &nbsp; The table has four legs.",
    "right to left": "The invoice \u202e0001 si mus eht\u202c is open. \u2066hidden\u2069 It is due.",
    "terminal": "\x1b[31mThe alarm is red\x1b[0m and \x07 rings at noon.",
    "zero": "The code is 12\x0034 today.",
    "long": f"The {'w' * 3_000} word has no end.",
    "spaces": "two  spaces\n\n\n\ttab\u00a0and\u3000wide. The list\u2028goes\u2029on.",
}
"""By what each tries."""
SPEAKERS = ('Mallory <b onclick="window.hacked=1">', "**Eve** :red[x] $1$")
MESSAGES = [
    {
        "id": f'm{number}"><i>',
        "role": "user" if number % 2 else "assistant",
        "speaker": SPEAKERS[number % 2],
        "content": content,
    }
    for number, content in enumerate(HOSTILE.values())
]


def shown(content: str) -> str:
    """Return what a page shows of a content: NUL, which HTML cannot hold, is the replacement character."""
    return content.replace("\x00", "\ufffd")
