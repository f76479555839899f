"""Sentences with exact offsets: ``text[start:end]`` is the sentence, and nothing visible is lost.

BlingFire finds the boundaries (docs/decisions.md says why this library) and a few rules correct the
kinds of boundary that it gets wrong. Both only place *cuts*; the text itself is never rewritten, so
offsets hold whatever the rules decide.

Line breaks. A blank line ends a sentence, and so does a line break before a list item, a heading, a
quotation, a table row or a ``Name:`` label, after a colon, and everywhere in a fenced code block,
where each line is a sentence of its own. Any other line break is white space where the text looks
hard-wrapped (the line is long and full, or stops at a comma or a word that cannot end a sentence,
or the next line goes on in lower case) and ends a sentence where it does not: people end a chat
line without a full stop.
"""

from memguard.segmentation.spans import sentence_spans as sentence_spans
from memguard.segmentation.spans import sentences as sentences
