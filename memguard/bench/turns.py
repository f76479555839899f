"""The fixture of capture compression (D13): turns as people say them, and the facts that a note must hold.

Written for MemGuard. A fact is a tuple of pieces; it is retained where every piece stands in the note,
letter case aside. Figures, names, paths and quotes are pieces, and so is what turns a sentence round.
"""

from __future__ import annotations

from dataclasses import dataclass

Fact = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FixtureTurn:
    """One turn with its facts."""

    text: str
    facts: tuple[Fact, ...]


TURNS: tuple[FixtureTurn, ...] = (
    FixtureTurn(
        "Hi there! Thanks a lot for getting back to me so quickly, I really appreciate it. So, um, "
        "basically, as I already said the other day, we have now decided to move the product launch "
        "from 3 March to 17 March 2026, and the reason is simply that the vendor, Acme Corp, can't "
        "deliver the 40 sensors before the 12th. Anyway, that is where we are. Thanks again and have "
        "a great day!",
        (("3 March", "17 March"), ("Acme",), ("40", "sensors"), ("12th",)),
    ),
    FixtureTurn(
        "Okay so, about the retries, I have been thinking about this for a while and, to be honest, "
        "I think that we should basically just go with exponential backoff, you know, with "
        "retry_count=3, and we should never retry on a 401. Does that make sense? I mean, it is what "
        "everybody does these days, so it should be fine for us as well.",
        (("exponential backoff",), ("retry_count=3",), ("never", "401")),
    ),
    FixtureTurn(
        "Just a quick heads-up, since you asked: my flight is on Friday at 14:30 from Lyon, with Air "
        "France, and the booking code is XK42PT. I would really prefer a window seat if at all "
        "possible, because, well, I like to look out of the window, and I am vegetarian, so please "
        "keep that in mind as well. Thank you so much for taking care of all of this!",
        (("Friday", "14:30"), ("Lyon",), ("XK42PT",), ("window seat",), ("vegetarian",)),
    ),
    FixtureTurn(
        "Right, well, I talked to Noor about the apartment yesterday evening, and it turns out that "
        "the rent is 1,250 euros a month and not 1,150 as we had thought at first. The deposit is "
        'two months. She said, and I quote, "no pets without written consent". So that is that, I '
        "suppose. Let us see what happens.",
        (("Noor",), ("1,250 euros",), ("deposit", "two months"), ("no pets without written consent",)),
    ),
    FixtureTurn(
        "Good morning! I hope you had a nice weekend. So, I looked into the bug that we discussed, "
        "the one with the exports, and it seems that the function parse_rows() in "
        "src/export/csv_writer.py drops the last row whenever the file has no newline at the end. I "
        "have fixed it in commit 4f2a91c and added a test. Please have a look whenever you have a "
        "minute, no rush at all.",
        (("parse_rows()",), ("src/export/csv_writer.py",), ("last row",), ("4f2a91c",)),
    ),
    FixtureTurn(
        "Hello again, it's me. I wanted to let you know that my daughter Maya is allergic to "
        "peanuts, which is quite serious, as she had a bad reaction in 2023 and had to go to "
        "hospital. So whenever you suggest recipes, please never include peanuts. She does love "
        "pasta, by the way. Thanks, you are very kind!",
        (("Maya",), ("allergic", "peanuts"), ("2023",), ("never", "peanuts"), ("pasta",)),
    ),
    FixtureTurn(
        "So, to sum up what we talked about in the meeting today, which was a long one, I know: "
        "Priya takes over the billing service from Tomás on 1 June, the budget stays at 18,500 "
        "euros, and we do not hire anybody before September. Everything else is more or less as it "
        "was before, so nothing new there.",
        (("Priya", "Tomás", "1 June"), ("18,500 euros",), ("not hire", "September")),
    ),
    FixtureTurn(
        "Um, yeah, so the server. The thing is, the staging server listens on port 8443 and not on "
        "8080 any more, and the certificate expires on 30 April. You can find the configuration in "
        "/etc/nginx/sites/staging.conf, as always. Only restart it if the health check fails twice "
        "in a row, okay? Great, thanks.",
        (("8443",), ("30 April",), ("/etc/nginx/sites/staging.conf",), ("only", "health check", "twice")),
    ),
    FixtureTurn(
        "I was wondering if you could remember a few things about me, that would be really great. I "
        "am a nurse and I work nights at St Mary's in Leeds, from Tuesday to Friday, which is why I "
        "usually answer late. Also, I prefer short answers without bullet points. That's about it, I "
        "think. Cheers!",
        (
            ("nurse",),
            ("St Mary's", "Leeds"),
            ("Tuesday", "Friday"),
            ("short answers",),
            ("without bullet points",),
        ),
    ),
    FixtureTurn(
        "Thanks for the offer. After some back and forth, and after having slept on it for a night "
        "or two, we chose PostgreSQL over MongoDB, mainly because of transactions, and we will use "
        "version 17.2. The data lives at https://db.example.org/main, and backups run every night at "
        "02:00. I hope that this is clear.",
        (("PostgreSQL", "MongoDB"), ("17.2",), ("https://db.example.org/main",), ("02:00",)),
    ),
    FixtureTurn(
        "Well, you know, the doctor told me today that I have to take 5 mg of ramipril in the "
        "morning and not 10 mg, as it was before, and that I should not take ibuprofen with it under "
        "any circumstances. The next appointment is on 9 December at 10:15 with Dr. Okafor. I am a "
        "bit relieved, to tell you the truth.",
        (("5 mg", "ramipril"), ("not", "ibuprofen"), ("9 December", "10:15"), ("Okafor",)),
    ),
    FixtureTurn(
        "Hey! So glad you're here. Listen, for the party on Saturday we need 24 chairs, 3 tables "
        "and, of course, a cake; Jonas brings the drinks and the music, unless it rains, because "
        "then we move everything to the following Saturday. It is going to be so much fun, I can "
        "hardly wait for it to start!",
        (("24 chairs",), ("3 tables",), ("Jonas", "drinks"), ("unless", "rains")),
    ),
)
