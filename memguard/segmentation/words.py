"""Words that say whether a sentence may end, or begin, beside them."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


TITLES = _words("Mr Mrs Ms Mx Dr Prof Rev Hon Gen Sen Rep Gov Capt Lt Col Sgt Maj Cmdr Messrs Mme Hr Fr ")
"""A name follows: never an end."""
NEVER_LAST = _words("e.g i.e eg ie vs cf viz ca approx incl excl esp resp z.B d.h bzw c.f aka a.k.a ")
REFERS = _words(
    "no nos nr fig figs tab tabs eq eqs sec sect ch chap vol vols p pp par para ver rev ref refs art "
    "ext tel inv max min avg est op apt rm qty temp wt ht "
)
"""A number or an identifier follows."""
AMBIGUOUS = _words("no art rev min max avg est op")
"""Also words or units of their own, so that a number may as well begin the next sentence."""
CALENDAR = _words(
    "Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec Mon Tue Tues Wed Thu Thur Thurs Fri Sat Sun "
)
MAY_BE_LAST = _words(
    "al etc Inc Ltd Co Corp Bros Jr Sr Dept dept St Ave Blvd Rd Mt Ft Ph.D M.D B.A M.A M.Sc B.Sc a.m "
    "p.m A.M P.M "
)
ABBREVIATIONS = frozenset(
    word.lower() for word in TITLES | NEVER_LAST | (REFERS - AMBIGUOUS) | CALENDAR | MAY_BE_LAST
)
COUNTRIES = _words("U.S.A U.S.S.R U.A.E D.C ")
AFTER_TIME = _words(
    "EST EDT CST CDT MST MDT PST PDT ET CT PT GMT UTC BST CET CEST EET IST JST SGT AEST AEDT Monday "
    "Tuesday Wednesday Thursday Friday Saturday Sunday "
)
NO_PLACE = _words(
    "Next Last First Same Any Free Spare Play Bed Dinner Lunch Meal Tea Travel Driving Flight Arrival "
    "Departure Opening Closing Start Delivery Waiting Response Screen Prime Real Run "
)
"""Words that, before "time", name no place by whose clocks a time is told."""
STARTERS = _words(
    "A All Also An And Any Are As Ask At Because Before But By Can Could Did Do Does Each Even Every "
    "Everyone For From He Her Here His How However I I'd I'll I'm I've If In Is It It's Its Just Let "
    "Let's Many May Maybe Most My No Nobody None Not Nothing Now Of On Once One Only Or Our Please She "
    "Should Since So Some Someone Thanks That That's The Their Then There There's These They They're "
    "This Those To Today Tomorrow Two Until Was We We'll We're Were What When Where Which While Who Why "
    "Will With Would Yes Yesterday Yet You You're Your After "
)
"""Words that begin sentences and no names: where one follows an abbreviation, that one ended a sentence."""
CHAT_STARTERS = _words(
    "i i'm i'll it it's he she we they you that that's this so then but ok yes no thanks please what how"
)
"""The same where a writer does not bother with capitals."""
NOT_LAST = _words(
    "a an the and or but nor of to in on at by for from with into onto over under about as than that "
    "which who whose is are was were be been has have had will would can could should may might must my "
    "our your his her their its if when while because so not no between per via "
)
"""A line that ends with one of these goes on in the next line."""
