"""Small word lists that restatements and rewordings are made with."""

from __future__ import annotations

FEMALE = (
    "Anna Mia Emma Olivia Lily Sara Kate Laura Hannah Julia Amy Betty Carol Diana Ella Fiona Grace Helen "
    "Irene Jane Karen Linda Maria Nora Paula Rachel Sophie Tina Ursula Vera Wendy Zoe Amanda Natalie Molly "
    "Martha Monica Jenny Jill Judy Lucy Megan Nicole Phoebe Rose Susan Tracy Victoria Alice Abby Kim Ellen "
    "Gina Holly Iris Joanna Kelly Lena Mary Nina Patty Rita Sandra Tamara Yvonne Beth Cathy Deborah Eva"
).split()
MALE = (
    "Ben Tom John Mike Peter Paul David Mark Adam Alex Bill Carl Daniel Eric Frank George Harry Ian Jack "
    "Kevin Luke Matt Nick Oscar Phil Robert Sam Tim Victor Will Andrew Brian Chris Dylan Edward Fred Greg "
    "Henry Jacob Ken Larry Martin Nathan Oliver Patrick Ryan Simon Theo Walter Zack Josh Jake James Joe "
    "Jeff Jim Hugo Gary Felix Dean Charlie Bob Arthur Allan Ted Steve Roger Ralph Noah Max Leo Jerry"
).split()

SYNONYMS: tuple[tuple[str, str], ...] = (
    ("wants to", "would like to"),
    ("is looking for", "is searching for"),
    ("says", "mentions"),
    ("asks if", "wants to know if"),
    ("asks whether", "would like to know if"),
    ("asks what", "wants to know what"),
    ("needs to", "has to"),
    ("phone number", "number"),
    ("buy", "purchase"),
    ("about", "approximately"),
    ("inexpensive", "cheap"),
    ("movie", "film"),
    ("purchase", "buy"),
    ("reserve", "book"),
    ("film", "movie"),
    ("begin", "start"),
    ("start", "begin"),
    ("likes", "enjoys"),
    ("suggests", "recommends"),
    ("reports", "states"),
    ("approximately", "about"),
    ("will", "is going to"),
    ("is going to", "will"),
    ("lives", "resides"),
)
