"""What each recognizer takes and what it leaves (issue 6, point 6).

Keys are put together here, not spelled out: no scanner of repositories shall fire on this file.
"""

import pytest

from memguard.privacy import Category, Kind, redact, scan

A = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
JWT = "eyJ" + "hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"
PEM = "-----BEGIN {}PRIVATE" + " KEY-----\n{}\n-----END {}PRIVATE" + " KEY-----"
AWS = "AKIA" + "IOSFODNN7EXAMPLF"
GITHUB = "ghp_" + A[:36]

TAKEN = [
    # headers, addresses, command lines
    ("authorization: bearer {}", "cGxlYXNl" + "MTIz+456/789=", Kind.AUTHORIZATION),
    ("Authorization: Bearer {}", "abc" + "def", Kind.AUTHORIZATION),
    ("-H 'Authorization: Basic {}'", "dXNlcjpw" + "YXNzd29yZDEyMw==", Kind.AUTHORIZATION),
    ('{{"Authorization": "Bearer {}"}}', "q1W2e3R4" + "t5Y6u7I8~x.y-z", Kind.AUTHORIZATION),
    ("Proxy-Authorization: Token {}", "0011aa" + "22bb33cc", Kind.AUTHORIZATION),
    ("BEARER {} was rejected", "Zm9vYmFy" + "OjEyMzQ=", Kind.AUTHORIZATION),
    ("postgres://svc:{}@db.example:5432/app", "s3cr3t", Kind.CONNECTION),
    ("redis://:{}@cache/0", "hunter2", Kind.CONNECTION),
    ("mongodb+srv://app:{}@cluster0.example.net/?w=majority", "p%40ss", Kind.CONNECTION),
    ("amqp://guest:{}@mq", "pa@ss", Kind.CONNECTION),
    ("Server=db;User Id=sa;Password={};Encrypt=yes", "Str0ng!Pass", Kind.PASSWORD),
    ("https://x.example/cb?access_token={}&state=1", "a1b2c3d4e5f6", Kind.LABELLED_SECRET),
    ("curl -u admin:{} https://x.example", "hunter2", Kind.PASSWORD),
    ("mysql -u root -p{} app", "hunter2", Kind.PASSWORD),
    ("deploy --token {} --dry-run", "abc123def", Kind.PASSWORD),
    # a provider's key
    ("use {} for the upload", AWS, Kind.PROVIDER_KEY),
    ("key={}", "AIza" + "SyD-9tSrke72PouQMnMX-a7eZSW0jkFMBWY", Kind.PROVIDER_KEY),
    ("export GH={}", GITHUB, Kind.PROVIDER_KEY),
    ("it is {}.", "github_pat_" + "11ABCDEFG0" + A[:40], Kind.PROVIDER_KEY),
    ("bot {}", "xoxb-" + "123456789012-1234567890123-abcdefABCDEF", Kind.PROVIDER_KEY),
    ("https://files.slack.com/plan.pdf?t={}", "xoxe" + "-123-456-abcdef", Kind.PROVIDER_KEY),
    ("OPENAI {}", "sk-proj-" + A[:44], Kind.PROVIDER_KEY),
    ("old one {}", "sk-" + A[:48], Kind.PROVIDER_KEY),
    ("and {}", "sk-ant-" + "api03-" + A[:50] + "-AA", Kind.PROVIDER_KEY),
    ("stripe {}", "sk_live_" + A[26:50], Kind.PROVIDER_KEY),
    ("hub {}", "hf_" + A[:34], Kind.PROVIDER_KEY),
    ("grok {}", "xai-" + A[:60], Kind.PROVIDER_KEY),
    ("ci {}", "glpat-" + A[:20], Kind.PROVIDER_KEY),
    ("vault {}", "hvs." + A[:40], Kind.PROVIDER_KEY),
    ("{} expired", JWT, Kind.JWT),
    ("sendgrid {}", "SG." + A[:22] + "." + A[:43], Kind.PROVIDER_KEY),
    # a label
    ("api_key = '{}'", "9f8e7d6c5b4a", Kind.LABELLED_SECRET),
    ("AWS_SECRET_ACCESS_KEY={}", "wJalrXUtnFEMI/K7MDENG" + "/bPxRfiCYEXAMPLEKEY", Kind.LABELLED_SECRET),
    ('"client_secret": "{}"', "Qx7-ppL2_zz91", Kind.LABELLED_SECRET),
    ("DB_PASSWORD: {}", "hunter2", Kind.PASSWORD),
    ("password: {}", "swordfish", Kind.PASSWORD),
    ("Passwort: {}", "Sommer2024!", Kind.PASSWORD),
    ("mot de passe : {}", "soleil42", Kind.PASSWORD),
    ("密码：{}", "abc12345", Kind.PASSWORD),
    ("token: {}", "9fceb02d0ae598e95dc970b74767f19372d61af8", Kind.LABELLED_SECRET),
    ("PIN: {}", "4711", Kind.PIN),
    ("My PIN code: {}", "4 7 1 1", Kind.PIN),
    ('{{\\"password\\": \\"{}\\"}}', "hunter2", Kind.PASSWORD),
    ('{{"password": "{}"}}', "it's m\\\"e", Kind.PASSWORD),
    ("user=admin pass={}", "hunter2", Kind.PASSWORD),
    ("login: admin / {}", "hunter2", Kind.PASSWORD),
    ("Cookie: theme=dark; session={}", "8f14e45fceea167a5a36dedd4bea2543", Kind.AUTHORIZATION),
    (
        "seed phrase: {}",
        "abandon ability able about above absent absorb abstract absurd abuse access " + "acid",
        Kind.PASSWORD,
    ),
    ("CVV: {}", "123", Kind.PIN),
    # a sentence
    ("my password is {}", "hunter2", Kind.PASSWORD),
    ("My password is {}, please remember it.", "swordfish", Kind.PASSWORD),
    ("The wifi password is now {}.", "Blue-Horse7", Kind.PASSWORD),
    ("the password for the router is '{}'", "open sesame", Kind.PASSWORD),
    ("The passphrase is {}.", "correct horse battery staple", Kind.PASSWORD),
    ("the pin for the door is {}", "4711", Kind.PIN),
    ("the code for the garage door is {}.", "90210", Kind.PIN),
    ("Your verification code is {}", "493021", Kind.PIN),
    ("my password changed to {}", "N3wOne", Kind.PASSWORD),
    ("log in with user admin and password {}", "hunter2", Kind.PASSWORD),
    ("use PIN {} at the gate", "8812", Kind.PIN),
    ("{} is my password", "hunter2", Kind.PASSWORD),
    ("Password - {}", "hunter2", Kind.PASSWORD),
    ("Your code is {}.", "482913", Kind.PIN),
    ("Use {} to verify your account", "483920", Kind.PIN),
    ("{} is the wifi password", "Blue-Horse7", Kind.PASSWORD),
    ("mein Passwort ist {}", "Sommer2024!", Kind.PASSWORD),
    ("Mật khẩu là {}", "hanoi1986", Kind.PASSWORD),
    ("my API key is {}", "9f8e7d6c5b4a", Kind.LABELLED_SECRET),
    # talk around a label
    ("The password? It's {}.", "hunter2", Kind.PASSWORD),
    ("The password? It's {}.", "swordfish", Kind.PASSWORD),
    ("User: What's the wifi password?\nAssistant: It's {}.", "Blue7Horse", Kind.PASSWORD),
    ("What's the password? {}", "hunter2", Kind.PASSWORD),
    ("PIN? {}.", "4711", Kind.PIN),
    ("It's {}, the PIN.", "4711", Kind.PIN),
    ("It was {}, my old password.", "hunter2", Kind.PASSWORD),
    ("{} That's the password.", "s3cure-Pass!", Kind.PASSWORD),
    ("{}. That's the PIN.", "4711", Kind.PIN),
    ("he told me the password, {}, in the hallway", "hunter22", Kind.PASSWORD),
    ("Your PIN ({}) works at the gate.", "4711", Kind.PIN),
    ("user: root / pass: {}", "toor1234", Kind.PASSWORD),
    ("password for the NAS: {}", "tulip9", Kind.PASSWORD),
    # a password of several words without quotes
    ("My password is {}.", "correct horse battery staple", Kind.PASSWORD),
    ("the wifi password is {}", "blue whale 42", Kind.PASSWORD),
    ("Password: {}", "correct horse battery staple", Kind.PASSWORD),
    ("The password for the printer: {}", "qwe rty 99", Kind.PASSWORD),
    ("AUTHORIZATION: BEARER {}", "abC12/+xyz==" + "TAIL=", Kind.AUTHORIZATION),
    # persons
    ("write to {} today", "jonas.lind@jonaslind.example", Kind.EMAIL),
    ("<{}>", "o'neil+news@mail.example.co.uk", Kind.EMAIL),
    ("ask {}", "jonas [at] jonaslind [dot] example", Kind.EMAIL),
    ("{} rings", "555.010.4477", Kind.PHONE),
    ("{} is the office", "+49 (0)30 123456", Kind.PHONE),
    ("số điện thoại {}", "0901 234 567", Kind.PHONE),
    ("call {} now", "+44 20 7946 0958", Kind.PHONE),
    ("or {}", "(555) 010-4477", Kind.PHONE),
    ("{} is hers", "212-555-0187", Kind.PHONE),
    ("my mobile: {}", "0171 2345678", Kind.PHONE),
    ("phone 5550104477 or {}", "+1 (212) 555-0187", Kind.PHONE),
    ("London office {}", "020 7946 0958", Kind.PHONE),
    ("pay with {} today", "4111 1111 1111 1111", Kind.CARD),
    ("card {}", "378282246310005", Kind.CARD),
    ("5105-1051-0510-5100 and {}", "5555555555554444", Kind.CARD),
    ("{} is the account", "DE89 3704 0044 0532 0130 00", Kind.IBAN),
    ("send to {} AND tell me", "GB82 WEST 1234 5698 7654 32", Kind.IBAN),
    ("iban: {}", "de89370400440532013000", Kind.IBAN),
    ("{}", "UA213223130000026007233566001", Kind.IBAN),
    ("my SSN is {}", "123-45-6789", Kind.NATIONAL_ID),
    ("social security number {}", "318204975", Kind.NATIONAL_ID),
    ("{} on the form", "078-05-1120", Kind.NATIONAL_ID),
    ("NI number {}", "QQ 12 34 56 C".replace("QQ", "AB"), Kind.NATIONAL_ID),
    ("passport number {}", "L01X00T47", Kind.NATIONAL_ID),
    ("CPF {}", "390.533.447-05", Kind.NATIONAL_ID),
    ("codice {}", "RSSMRA85T10A562S", Kind.NATIONAL_ID),
    ("the user's IP is {}", "84.17.32.9", Kind.IP_ADDRESS),
    ("client {} logged in", "203.0.113.7", Kind.IP_ADDRESS),
    ("visitor from {}", "2a02:8108:1640::9f", Kind.IP_ADDRESS),
]

LEFT = [
    "I forgot my password and the reset mail never came.",
    "The password is wrong.",
    "My password is not working, it was expired.",
    "the password must be at least 12 characters",
    "password: required",
    "password: the one that we agreed on",
    "Password reset requested; password field is missing.",
    "Never store a password in plain text.",
    "password=$DB_PASSWORD and token=${TOKEN} and secret: <your-secret>",
    "password = os.environ['DB_PASSWORD']",
    "password = get_password()",
    "api_key: str = None",
    "the token count is 4711, max_tokens=800, prompt tokens: 1200",
    "tokens: 4096",
    "the secret is out",
    "The secret to good bread is time.",
    "the bearer of this letter",
    "bearer bonds certificate",
    "Authorization: required",
    "the error code is 4711",
    "exit code 137, status code: 404, zip code is 90210",
    "set GPIO pin 18 high, pin 13 is low",
    "Pin this message.",
    "[SECRET_1] and [EMAIL_2] stay; my password is [SECRET_3]",
    "See public policy H2 and D7: a CONFIRMATION note, cell B52, model A9.",
    "fixed in 9fceb02d0ae598e95dc970b74767f19372d61af8 and e83c516",
    "revert commit 1234567 and 0155501 04477abcdef",
    "trace 7f3e12ab-c41d-4e0a-9020-5550104477ab and build 20261130-0467",
    "11/07 14:22:59 INFO load_table: slot 4 delta -1.83, row 7045128",
    "host 10.12.200.14 v2.14.0.1 pid 48213 at 1767603600",
    "server 93.184.216.34 answered",
    "my ip is 192.168.1.20",
    "order 4006381333931 total",
    "order 4111111111111111",
    "Order number 5550104477 shipped, tracking 212-555-0187",
    "ISBN 978-3-16-148410-0",
    "ISBN 0-306-40615-2 is out of print",
    "2026-11-30T10:22:31Z and 2026-11-30 10:22:31.123456",
    "Parcel 318204975 left the depot. Exit status 412776093 seen.",
    "SSN 000-12-3456",
    "row 123-45-6789",
    "card 4111 1111 1111 1112",
    "DE89 3704 0044 0532 0130 01",
    "git clone git@github.com:acme/site.git",
    "logo@2x.png and package@1.2.3",
    "Upgrade from 2.4.1 to 2.4.2-rc.1; python 3.11.9",
    'integrity="sha512-ip5WG6NCyu73royirosZ44YTb0WdLoGj/V+1LUMNali8mGhBPdzykYORIOyq0ImT" recalculateShippingRatesForYearlySubscriptions()',  # noqa: E501
    "https://docs.example.com:8080/a/b?page=2&sort=name#top",
    "call me at 10 and then at 11:30 on 2026-11-30",
    "call 5 people, 1200 EUR each, 2024 to 2026",
    "APARTMENTS are listed at 12 Main Street",
    "meet at 51.5074, -0.1278",
    "the account balance is 1,234,567.89 EUR",
    "12:34:56:78:9a:bc is the MAC",
    "my home server runs on ::1 and 127.0.0.1",
    "The passphrase is too short.",
    "The door code is changed every month.",
    "Is the combination good?",
    "session: 12 people came",
    "credentials: ask Noor",
    "Hash: sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "",
    "Noor prefers trains to planes.",
    "on 01-02-2026 at 10:11, due 30.11.2026",
    "00000000 7f45 4c46 0201 0100",
    "00 01 02 03 04 05 06 07",
    "0.123 0.456 0.789",
    "room 020 7946, seats 0958 to 1000",
    "eyJustAWord.txt",
    '{"text": "status?", "ts": "1767603600.000100"}',
    '"import lease\\n\\n@pytest.mark.parametrize"',
    "docker run -p 8080:80 -u 1000:1000 app",
    "tracking 1Z999AA10123456784, imei 490154203237518",
    "192.168.0.1-192.168.0.255",
    "The word password is eight letters.",
    "my password is 12 characters long",
    "password: 8 characters minimum",
    "The password? It's expired.",
    "The password? Ask Noor.",
    "What's the password? I forgot it.",
    "The PIN? It's on the card.",
    "It's 9:30, the PIN arrives at ten.",
    "It's Friday, the password policy changes.",
    "It's 4711 steps to the top.",
    "It's 42, the answer.",
    "I typed 4711 into the box, the PIN was refused twice.",
    "the password, OAuth2, and SSO",
    "In 2026. That's the code review.",
    "The PIN, 4 digits, is on the card",
    "The error code? It's 4711.",
    "password: see ticket 4411",
    "The password is unique per site account",
    "my password is really hard to remember",
    "Enter your password, then click OK.",
    "passwords: hashed with argon2id",
    "kubernetes secret my-app-secret, task-basic-authentication-flow",
    "Invoice INV-2026-00417, PO 4500012345, credit card ending 4242",
    "apiKey: process.env.API_KEY",
    "1 000 000 000 people in 2024 2025 2026",
    "https://example.com/reset?id=12345",
]


@pytest.mark.parametrize(("frame", "value", "kind"), TAKEN, ids=lambda part: str(part)[:30])
def test_recognizer_takes(frame, value, kind):
    text = frame.format(value)

    found = [(text[slice(*finding.span)], finding.kind) for finding in scan(text)]

    assert (value, kind) in found
    redacted = redact(text).text
    assert value not in redacted
    before, after = (part.format() for part in frame.split("{}")) if frame.count("{}") == 1 else ("", "")
    if len(found) == 1:
        assert redacted == f"{before}[{kind.label}_1]{after}"


@pytest.mark.parametrize("text", LEFT)
def test_recognizer_leaves(text):
    assert [(text[slice(*finding.span)], finding.kind, finding.detector) for finding in scan(text)] == []
    assert redact(text).text is text


@pytest.mark.parametrize(
    "text",
    [
        "use " + AWS[:11] + "\n" + AWS[11:] + "\nand go on",
        "use " + AWS[:11] + "\\\n    " + AWS[11:] + "\nand go on",
        '"' + AWS[:11] + '" + "' + AWS[11:] + '" end',
        "     1\tkey\n     2\t" + GITHUB[:20] + "\n     3\t" + GITHUB[20:] + "\n     4\tend",
        "> " + GITHUB[:20] + "\r\n> " + GITHUB[20:] + "\r\n> end",
        "sk-proj-" + A[:30] + "\n" + A[30:] + "\nend of it",
        "Authorization: Bearer " + A[:30] + "\n  " + A[30:] + "==\nAccept: */*",
    ],
)
def test_keys_split_over_lines_are_taken_whole(text):
    redacted = redact(text).text

    for at in range(0, 24, 6):
        assert A[at : at + 12] not in redacted
    assert AWS[4:11] not in redacted
    assert AWS[11:] not in redacted
    assert redacted[-4:] == text[-4:], "what follows the key stays"


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (PEM.format("RSA ", "MIIE" + A, "RSA "), ""),
        ("before\n" + PEM.format("", "MIIE" + A, "") + "\nafter", "before\n[SECRET_1]\nafter"),
        ("cut: " + PEM.format("EC ", "MIIE" + A, "").split("-----END")[0], "cut: [SECRET_1]"),
        ('{"key": "' + PEM.format("", "MIIE" + A, "").replace("\n", "\\n") + '"}', '{"key": "[SECRET_1]"}'),
    ],
)
def test_private_keys_go_to_their_end_or_that_of_the_text(text, left):
    """RED-003."""
    redacted = redact(text).text

    assert A[:20] not in redacted
    assert redacted == (left or "[SECRET_1]")


@pytest.mark.parametrize(
    "secret", [AWS, GITHUB, JWT, "+44 20 7946 0958", "noor@haddad.example", "4111 1111 1111 1111"]
)
def test_line_ends_of_json_part_words_like_any_other(secret):
    for escape in ("\\n", "\\\\n", "\\t", "\\r\\n"):
        text = '{"content": "first' + escape + secret + escape + 'second"}'
        redacted = redact(text).text
        assert secret not in redacted
        assert redacted.startswith('{"content": "first' + escape + "[")
        assert redacted.endswith("]" + escape + 'second"}')


def test_public_key_is_no_secret():
    text = "-----BEGIN PUBLIC" + " KEY-----\nMIIBIjANBg\n-----END PUBLIC" + " KEY-----"
    assert scan(text) == ()


def test_names_follow_from_an_address_in_the_same_text():
    """RED-016; roles and ordinary words are no names."""
    assert (
        redact("Write to jonas@jonaslind.example or ask Jonas.").text
        == "Write to [EMAIL_1] or ask [PERSON_1]."
    )
    assert (
        redact("Write to support@acme.example. Support answers.").text
        == "Write to [EMAIL_1]. Support answers."
    )
    assert (
        redact("Write to market@acme.example. Market is closed.").text
        == "Write to [EMAIL_1]. Market is closed."
    )
    assert redact("Ask Jonas.").text == "Ask Jonas."
    assert (
        redact("Ask Jonas Lind, not jonas.", names=["Jonas Lind"]).text
        == "Ask [PERSON_1] [PERSON_2], not jonas."
    )


def test_finding_shows_no_value():
    text = "my password is hunter2 and jonas@jonaslind.example"

    assert {finding.category for finding in scan(text)} == {Category.SECRET, Category.PERSONAL}
    assert "hunter2" not in repr(scan(text))
    assert "jonas" not in repr(scan(text))
