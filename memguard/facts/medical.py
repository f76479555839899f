"""Medical and safety words: how a unit is known to speak of a condition.

Stems of everyday medicine and the endings of the learned words (``-itis``, ``-pril``, ``-statin``), so
that a disease or a medicine that no list names is known by its form.
"""

from __future__ import annotations

import re
from functools import lru_cache

from memguard.grounding.reading.words import content_words

_ALLERGY = re.compile(
    r"\b(?:allerg\w+|anaphyla\w+|intoleran\w+|hives|epi-?pens?|coeliac|celiac)\b", re.IGNORECASE
)
_STEMS = (
    "ache aching pain hurt sore soreness throb headache migraine fever feverish temperature"
    " cough sneeze cold flu"
    " nausea nauseous vomit sick unwell ill illness dizzy dizziness faint fatigue tired weak weakness numb"
    " numbness tingling rash itch itchy hive swell swollen swelling bleed bleeding blood"
    " bruise wound infection"
    " infected virus viral bacteria diarrhoea diarrhea constipation stool urine breath breathless breathing"
    " wheeze wheezing asthma inhaler chest heart pulse pressure stroke angina palpitation"
    " cholesterol diabetes"
    " diabetic insulin cancer tumour tumor epilepsy seizure depression depressed anxiety"
    " anxious insomnia sleep"
    " appetite weight smoke smoking smoker cigarette alcohol drinking pregnant pregnancy period menstrual"
    " contraception contraceptive pill tablet capsule medication medicine drug dose dosage prescription"
    " prescribe antibiotic painkiller vaccine vaccination injection spray cream symptom diagnosis diagnose"
    " condition disorder disease syndrome surgery surgical operation operate hospital clinic ambulance"
    " emergency examination examine scan x-ray ecg mri ct ultrasound biopsy blood-test bloods referral refer"
    " gp specialist throat ear eye eyesight vision nose skin neck stomach tummy belly abdomen abdominal knee"
    " joint muscle bone fracture limb arthritis thyroid kidney liver lung allergy sensitive light-headed"
    " chill shiver sweat sweating discharge lump mole reflux heartburn indigestion"
    " problem trouble tightness tight tongue jaw arm leg back shoulder hip hand foot finger"
    " toe head face spine limp puff tingle"
    " ear-ache earache backache hydrated hydration dehydrated mosquito bite tick scar cramp spasm"
)
_MEDICINE = (
    r"\w{3,}(?:pril|statin|cillin|mycin|olol|prazole|azole|profen|cetamol|formin|sartan|dipine|oxetine|triptan"
    r"|caine|barbital|zepam|cycline|floxacin|parin|codone|morphine|steroids?|gynon)s?"
)
_ENDINGS = re.compile(
    r"\w{3,}(?:itis|algia|emia|aemia|osis|pathy|ectomy|oscopy|otomy|oma|plegia|uria|rrhea"
    rf"|rrhoea|pnoea|pnea|phobia)s?|{_MEDICINE}"
)
_NOT_TO_HAVE = re.compile(rf"\bno (?:{_MEDICINE}|aspirin|latex|peanuts?|shellfish)\b", re.IGNORECASE)
_REACTION = re.compile(
    r"\b(?:hives|swell\w*|swoll?en|rash|anaphyla\w+|came out in|couldn['’]t breathe)\b", re.IGNORECASE
)
_WORDS = frozenset(_STEMS.split())
_GENERAL = frozenset(
    "cold tired weight sleep eye ear nose skin neck light pressure condition spray cream operate operation"
    " problem trouble tight tongue jaw arm leg back shoulder hip hand foot finger toe head"
    " face spine puff weak drinking period temperature pill drug pain".split()
)
"""Words that speak of medicine only beside another: "light", "pressure"."""
_UNSAFE = re.compile(
    r"\b(?:not safe|isn['’]t safe|unsafe|danger(?:ous)?|hazard\w*|poison\w*|toxic|flammable"
    r"|fire|electrocut\w+|gas leak"
    r"|risk of|life-threatening|first aid|999|911|112|emergency|asbestos|overload\w*|fuse)\b",
    re.IGNORECASE,
)


CERTAIN = 1.0


def is_reaction_to(text: str, before: str) -> bool:
    """Tell whether a text tells a reaction to what the text before it names, such as hives."""
    return (
        _REACTION.search(text) is not None
        and _NOT_TO_HAVE.search(text) is None
        and medical_share(before) == CERTAIN
    )


@lru_cache(maxsize=32_768)
def medical_share(text: str) -> float:
    """Return how surely a text speaks of a condition, in [0, 1].

    1.0 for an allergy, or a medicine that somebody must not have ("no penicillin");
    0.85 for danger; 0.7 for two medical words or a learned one, 0.5 for one plain
    one; 0.0 for none.
    """
    if _ALLERGY.search(text) or _NOT_TO_HAVE.search(text):
        return CERTAIN
    if _UNSAFE.search(text):
        return 0.85
    found = content_words(text)
    plain = {w.lemma for w in found if w.lemma in _WORDS or w.lower in _WORDS}
    learned = any(_ENDINGS.fullmatch(w.lower) for w in found)
    telling = plain - _GENERAL
    if learned or len(plain) > 1:
        return 0.7
    return 0.5 if telling else 0.0
