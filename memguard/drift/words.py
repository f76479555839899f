"""Small word lists that mistakes are made with."""

from __future__ import annotations

BASE_VERBS = frozenset(
    "accept add agree search allow answer appreciate arrive ask attend avoid bake believe book borrow break "
    "bring build buy call cancel care carry change charge check choose clean close come complete confirm "
    "consider contact continue cook cost cut decide deliver depart depend describe discuss do drink drive "
    "eat end enjoy enter exercise expect explain feel fill find finish fix fly follow forget get give go "
    "guess happen hate have hear help hold hope hurt imagine include invite join keep know lead learn "
    "leave lend let lie like listen live look lose love make matter mean meet mention mind miss move need "
    "notice offer open order own pass pay pick plan play prefer promise provide purchase put read receive "
    "recommend refuse remember rent repair reserve return ride run save say schedule see seem sell send "
    "serve share show sing sit sleep smoke sound speak spend stand start stay stop study suggest suppose "
    "swim take talk teach tell thank think throw transfer travel try turn understand use visit wait wake "
    "walk want watch wear wish wonder work worry write".split()
)
PAST: dict[str, tuple[str, str]] = {
    "be": ("was", "been"),
    "break": ("broke", "broken"),
    "bring": ("brought", "brought"),
    "build": ("built", "built"),
    "buy": ("bought", "bought"),
    "choose": ("chose", "chosen"),
    "come": ("came", "come"),
    "cost": ("cost", "cost"),
    "cut": ("cut", "cut"),
    "do": ("did", "done"),
    "drink": ("drank", "drunk"),
    "drive": ("drove", "driven"),
    "eat": ("ate", "eaten"),
    "feel": ("felt", "felt"),
    "find": ("found", "found"),
    "fly": ("flew", "flown"),
    "forget": ("forgot", "forgotten"),
    "get": ("got", "got"),
    "give": ("gave", "given"),
    "go": ("went", "gone"),
    "have": ("had", "had"),
    "hear": ("heard", "heard"),
    "hold": ("held", "held"),
    "hurt": ("hurt", "hurt"),
    "keep": ("kept", "kept"),
    "know": ("knew", "known"),
    "lead": ("led", "led"),
    "leave": ("left", "left"),
    "lend": ("lent", "lent"),
    "let": ("let", "let"),
    "lose": ("lost", "lost"),
    "make": ("made", "made"),
    "mean": ("meant", "meant"),
    "meet": ("met", "met"),
    "pay": ("paid", "paid"),
    "put": ("put", "put"),
    "read": ("read", "read"),
    "ride": ("rode", "ridden"),
    "run": ("ran", "run"),
    "say": ("said", "said"),
    "see": ("saw", "seen"),
    "sell": ("sold", "sold"),
    "send": ("sent", "sent"),
    "show": ("showed", "shown"),
    "sing": ("sang", "sung"),
    "sit": ("sat", "sat"),
    "sleep": ("slept", "slept"),
    "speak": ("spoke", "spoken"),
    "spend": ("spent", "spent"),
    "stand": ("stood", "stood"),
    "swim": ("swam", "swum"),
    "take": ("took", "taken"),
    "teach": ("taught", "taught"),
    "tell": ("told", "told"),
    "think": ("thought", "thought"),
    "throw": ("threw", "thrown"),
    "understand": ("understood", "understood"),
    "wake": ("woke", "woken"),
    "wear": ("wore", "worn"),
    "write": ("wrote", "written"),
}
PAST_FORMS = frozenset(past for past, _ in PAST.values()) | {"were", "could", "used"}

OPPOSITES: tuple[tuple[str, str], ...] = (
    ("agrees", "refuses"),
    ("accepts", "declines"),
    ("likes", "dislikes"),
    ("loves", "hates"),
    ("remembers", "forgets"),
    ("buys", "sells"),
    ("buy", "sell"),
    ("bought", "sold"),
    ("starts", "stops"),
    ("start", "stop"),
    ("open", "closed"),
    ("before", "after"),
    ("more", "less"),
    ("cheap", "expensive"),
    ("early", "late"),
    ("earlier", "later"),
    ("left", "right"),
    ("good", "bad"),
    ("better", "worse"),
    ("happy", "sad"),
    ("hot", "cold"),
    ("big", "small"),
    ("large", "small"),
    ("new", "old"),
    ("high", "low"),
    ("increase", "decrease"),
    ("increased", "decreased"),
    ("first", "last"),
    ("always", "never"),
    ("mild", "severe"),
    ("normal", "abnormal"),
    ("positive", "negative"),
    ("acute", "chronic"),
    ("with", "without"),
    ("morning", "evening"),
    ("today", "tomorrow"),
    ("yesterday", "today"),
    ("mother", "father"),
    ("brother", "sister"),
    ("husband", "wife"),
    ("son", "daughter"),
    ("easy", "difficult"),
    ("possible", "impossible"),
    ("available", "unavailable"),
    ("denies", "reports"),
    ("arrives", "leaves"),
    ("indoor", "outdoor"),
    ("upstairs", "downstairs"),
    ("long", "short"),
    ("fast", "slow"),
    ("all", "none"),
    ("everyone", "nobody"),
    ("inside", "outside"),
    ("above", "below"),
    ("won", "lost"),
    ("successful", "unsuccessful"),
    ("free", "busy"),
    ("supports", "opposes"),
    ("include", "exclude"),
    ("improved", "worsened"),
    ("right", "wrong"),
)
DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
MONTHS = ("January February March April May June July August September October November December").split()
NUMBER_WORDS = (
    "one two three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty fifty"
).split()
INVENTED = (
    "because of the weather|with a friend|next week|for free|in the morning|on Friday|at work|by email|"
    "for the first time|with the family|at the hotel|because it is cheaper|last year|every day|"
    "over the phone|to save money|due to a previous injury|with the children|at the airport|"
    "after the meeting|by train|"
    "because the car broke down|for a birthday party|with a discount|in the kitchen|at school|twice a week|"
    "since last summer|before the holidays|to celebrate|as a surprise|on the second floor|by credit card|"
    "despite the delay|without telling anyone|in front of the station|for a colleague|at the last minute|"
    "because of an allergy|as soon as possible|during the lunch break|for two weeks|with the neighbours"
).split("|")
"""Details that are rarely in the evidence; used only where none of their content words are."""
