"""Secrets are taken out, everything else stays as it is: hashes, uuids, data and plain code above all."""

from __future__ import annotations

import base64
import hashlib
import sysconfig
import time
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

import ragforge_memory
from ragforge_memory.models.text import DEEPEST
from ragforge_memory.redaction import redact, redact_value


def _made(length: int, letters: str = "aB3dE5fG7hJ9kL2mN4pQ6rS8tU1vW0xYz") -> str:
    """So many characters that look like a key; made here, so that no file holds anything that looks like one."""
    return (letters * (length // len(letters) + 1))[:length]


HEX, UPPER = "0123456789abcdef", "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
KEYS = {
    "aws key id": ["AKIA" + _made(16, UPPER), "ASIA" + _made(16, UPPER)],
    "google api key": ["AIza" + _made(35), "AQ.Ab" + _made(40)],
    "google oauth token": ["ya29." + _made(60)],
    "google client secret": ["GOCSPX-" + _made(28)],
    "github token": [f"gh{kind}_{_made(36)}" for kind in "pousr"] + ["github_pat_" + _made(82)],
    "gitlab token": ["glpat-" + _made(20), "glrt-" + _made(26)],
    "anthropic key": ["sk-ant-api03-" + _made(93)],
    "openai key": ["sk-" + _made(48), "sk-proj-" + _made(60), "sk-or-v1-" + _made(64, HEX), "sk-" + _made(32, HEX)],
    "api key": [
        "gsk_" + _made(52),
        "xai-" + _made(80),
        "pplx-" + _made(48),
        "r8_" + _made(37),
        "csk-" + _made(48, HEX),
        "tvly-" + _made(32),
        "nvapi-" + _made(64),
        "rnd_" + _made(28),
        "pnu_" + _made(36),
        "NRAK-" + _made(27, UPPER),
        "PMAK-" + _made(24, HEX) + "-" + _made(34, HEX),
        "lsv2_pt_" + _made(32, HEX) + "_" + _made(10, HEX),
        "xkeysib-" + _made(64, HEX) + "-" + _made(16),
    ],
    "hugging face token": ["hf_" + _made(34, "aBcDeFgH")],
    "slack token": ["xoxb-" + "123456789012-" + _made(24), "xoxp-" + "1234567890-" + _made(20)],
    "slack app token": ["xapp-1-" + _made(40, UPPER)],
    "slack webhook": ["https://hooks.slack.com/services/" + "T00000000/B00000000/" + _made(24)],
    "discord webhook": ["https://discord.com/api/webhooks/" + "123456789012345678/" + _made(68)],
    "stripe key": ["sk_live_" + _made(24), "rk_test_" + _made(99), "whsec_" + _made(32)],
    "twilio key": ["SK" + _made(32, HEX)],
    "sendgrid key": ["SG." + _made(22) + "." + _made(43)],
    "npm token": ["npm_" + _made(36)],
    "pypi token": ["pypi-AgE" + _made(120)],
    "docker token": ["dckr_pat_" + _made(27)],
    "digitalocean token": ["dop_v1_" + _made(64, HEX)],
    "databricks token": ["dapi" + _made(32, HEX), "dapi" + _made(32, HEX) + "-2"],
    "telegram token": ["123456789:AA" + _made(33)],
    "json web token": [
        "eyJ" + _made(33) + ".eyJ" + _made(60) + "." + _made(43),
        "eyJ" + _made(33) + ".." + _made(16) + "." + _made(60) + "." + _made(22),
        ".".join(["eyJ" + _made(33), _made(80), _made(16), _made(60), _made(22)]),
    ],
    "vault token": ["hvs." + _made(90)],
    "atlassian token": ["ATATT3" + _made(180)],
    "bitbucket password": ["ATBB" + _made(32)],
    "shopify token": ["shpat_" + _made(32, HEX)],
    "linear key": ["lin_api_" + _made(40)],
    "notion token": ["ntn_" + _made(46), "secret_" + _made(43)],
    "figma token": ["figd_" + _made(40)],
    "tailscale key": ["tskey-auth-" + _made(11) + "-" + _made(32)],
    "doppler token": ["dp.pt." + _made(43), "dp.st.prd." + _made(43)],
    "sentry token": ["sntrys_" + _made(60)],
    "fly token": ["fo1_" + _made(43), "fm2_" + _made(120)],
    "square token": ["sq0atp-" + _made(22)],
    "facebook token": ["EAA" + _made(120)],
    "grafana token": ["glsa_" + _made(32) + "_" + _made(8, HEX), "glc_eyJ" + _made(60)],
    "dynatrace token": ["dt0c01." + _made(24, UPPER) + "." + _made(64, UPPER)],
    "pulumi token": ["pul-" + _made(40, HEX)],
    "planetscale token": ["pscale_tkn_" + _made(43)],
    "supabase key": ["sbp_" + _made(40, HEX), "sb_secret_" + _made(31)],
    "netlify token": ["nfp_" + _made(36)],
    "terraform token": [_made(14) + ".atlasv1." + _made(67)],
    "airtable token": ["pat" + _made(14) + "." + _made(64, HEX)],
    "azure client secret": [_made(3) + "8Q~" + _made(34)],
    "age key": ["AGE-SECRET-KEY-1" + _made(58, UPPER)],
    "rubygems key": ["rubygems_" + _made(48, HEX)],
    "mailgun key": ["key-" + _made(32, HEX)],
    "mailchimp key": [_made(32, HEX) + "-us12"],
    "teams webhook": ["https://ada.webhook.office.com/webhookb2/" + _made(36) + "@" + _made(36) + "/x/" + _made(32)],
}
# What nothing else begins with is one behind other letters too.
DISTINCT = (
    *(
        "AKIA",
        "ASIA",
        "AIza",
        "ya29.",
        "GOCSPX-",
        "ghp_",
        "gho_",
        "ghu_",
        "ghs_",
        "ghr_",
        "github_pat_",
        "glpat-",
        "glrt-",
    ),
    *(
        "sk-ant-",
        "nvapi-",
        "PMAK-",
        "hf_",
        "xoxb-",
        "xoxp-",
        "xapp-",
        "sk_live_",
        "rk_test_",
        "whsec_",
        "npm_",
        "pypi-",
    ),
    *(
        "dckr_pat_",
        "dop_v1_",
        "rubygems_",
        "ATATT3",
        "shpat_",
        "lin_api_",
        "figd_",
        "tskey-",
        "dp.",
        "sntrys_",
        "sq0atp-",
    ),
    *("glsa_", "glc_", "dt0c01.", "pscale_", "AGE-", "NRAK-", "lsv2_", "xkeysib-"),
)
AROUND = ["{}", "key: {}", "export KEY='{}'", '{{"value": "{}"}}', "({}),", "see {} there", "a={}&b=1", "\n{}\n"]


@pytest.mark.parametrize(("kind", "key"), [(kind, key) for kind, keys in KEYS.items() for key in keys])
def test_keys_of_vendors_go(kind: str, key: str) -> None:
    for around in AROUND:
        text = around.format(key)
        assert redact(text) == around.format(f"[redacted {kind}]"), text


@pytest.mark.parametrize(("kind", "key"), [(kind, key) for kind, keys in KEYS.items() for key in keys])
def test_what_only_begins_like_a_key_stays(kind: str, key: str) -> None:
    """Inside a longer word, or too short."""
    if key.startswith(DISTINCT):
        for before in ("x", "my_", "TOKEN"):
            assert redact(before + key) == f"{before}[redacted {kind}]"
    elif "://" not in key and ".atlasv1." not in key:
        assert redact(f"x{key}") == f"x{key}"
        assert redact(f"my_{key}") == f"my_{key}"
    short = key[:12]
    assert redact(f"see {short} there") == f"see {short} there"


PEM_BODY = "\n".join(_made(64, "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC") for _ in range(12)) + "\nabc=="


@pytest.mark.parametrize("name", ["", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED "])
def test_private_keys_go(name: str) -> None:
    key = f"-----BEGIN {name}PRIVATE KEY-----\n{PEM_BODY}\n-----END {name}PRIVATE KEY-----"
    assert redact(f"before\n{key}\nafter") == "before\n[redacted private key]\nafter"
    escaped = key.replace("\n", "\\n")
    assert redact(f'{{"private_key": "{escaped}", "b": 1}}') == '{"private_key": "[redacted private key]", "b": 1}'
    cut_off = key.rpartition("\n-----END")[0]
    assert redact(f"before\n{cut_off}") == "before\n[redacted private key]"
    assert PEM_BODY[:64] not in redact(
        key.replace("KEY-----\n", "KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: A,B\n\n", 1)
    )
    literals = "\n".join(f'    "{line}\\n"' for line in key.splitlines())
    assert PEM_BODY[:64] not in redact(literals)


def test_private_keys_in_pgp_blocks_go() -> None:
    block = (
        "-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: X 1\n\n" + PEM_BODY + "\n-----END PGP PRIVATE KEY BLOCK-----"
    )
    assert redact(f"a\n{block}\nb") == "a\n[redacted private key]\nb"


PEM = f"-----BEGIN RSA PRIVATE KEY-----\n{PEM_BODY}\n-----END RSA PRIVATE KEY-----"


@pytest.mark.parametrize(
    "line",
    [
        "{line}", "    {line}", "{number:4}: {line}", "{number:6}\t{line}", "{number} | {line}", "+{line}", "-{line}",
        "> {line}", "> > {line}", "# {line}", "// {line}", "//{line}", " * {line}", "-- {line}", "; {line}",
        "REM {line}",
        "certs/production/key.pem:{number}:{line}", "key.pem-{number}-{line}", "key.pem:{line}",
        "   {number}  {number} -{line}",
        '    "{line}\\n"', '    "{line}\\n",', "    '{line}' +", "    '{line}' .", '    "{line}",',
        'b"{line}\\n"', "{line}\r",
        "| {number} | {line} |", "\x1b[31m-{line}\x1b[m", "{line}\n",
    ],
)  # fmt: skip
def test_private_keys_go_however_their_lines_come(line: str) -> None:
    lines = PEM.split("\n")
    shown = "\n".join(line.format(number=number, line=each) for number, each in enumerate(lines, 1))
    for part in (shown, shown[shown.index("MIIE") :], shown[: shown.index("abc==")]):
        clean = redact(f"some words before\n{part}\nand words behind it")
        assert clean.count("[redacted private key]") == 1
        assert "MIIE" not in clean
        assert "words before\n" in clean
        assert "and words behind it" in clean
        if part == shown:
            assert "abc==" not in clean
            assert "PRIVATE" not in clean


@pytest.mark.parametrize("between", ["\\n", "\\r\\n", "\\\\n", "<br>", '", "', "', '", '\\", \\"'])
def test_private_keys_go_in_one_line(between: str) -> None:
    clean = redact(f'{{"a": ["{PEM.replace(chr(10), between)}"], "b": 1}}')
    assert clean == '{"a": ["[redacted private key]"], "b": 1}'


def test_private_keys_go_from_lists_of_lines() -> None:
    lines = ["x", *PEM.split("\n"), "y", 1]
    clean = redact_value({"lines": lines})["lines"]
    assert clean == ["x", *["[redacted private key]"] * (len(lines) - 3), "y", 1]


def test_keys_of_other_programs_go() -> None:
    ssh2 = PEM.replace("-----BEGIN", "---- BEGIN").replace("-----END", "---- END").replace("KEY-----", "KEY ----")
    putty = f"PuTTY-User-Key-File-2: ssh-rsa\nPrivate-Lines: 12\n{PEM_BODY}\nPrivate-MAC: 1a"
    assert redact(ssh2) == "[redacted private key]"
    assert redact(putty) == "PuTTY-User-Key-File-2: ssh-rsa\n[redacted private key]\nPrivate-MAC: 1a"


@pytest.mark.parametrize(
    "text",
    [
        'if "-----BEGIN PRIVATE KEY-----" in text:\n    raise ValueError("a key was found in the text here")\n' * 3,
        'begin = "-----BEGIN PRIVATE KEY-----"\nend = "-----END PRIVATE KEY-----"\nALongNameWithADigit2 = 1',
        '"-----BEGIN PRIVATE KEY-----\\n" + base64_of_the_key2 + "\\n-----END PRIVATE KEY-----"',
        'if "-----BEGIN PRIVATE KEY-----" in text:\n    raise UnsupportedAlgorithm2()\n',
        "it begins with -----BEGIN PRIVATE KEY-----\nUnsupportedAlgorithm\n",
        "-----BEGIN PUBLIC KEY-----\n" + PEM_BODY + "\n-----END PUBLIC KEY-----",
        "-----BEGIN CERTIFICATE-----\n" + PEM_BODY + "\n-----END CERTIFICATE-----",
    ],
)
def test_code_about_keys_and_public_keys_stay(text: str) -> None:
    assert redact(text) == text


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("postgres://app:hunter2@db:5432/x", "postgres://app:[redacted password]@db:5432/x"),
        ("url = 'redis://:s3cr3t!@127.0.0.1'", "url = 'redis://:[redacted password]@127.0.0.1'"),
        ("https://joe:a:b@[::1]/", "https://joe:[redacted password]@[::1]/"),
        ("AccountName=a;AccountKey=" + _made(86) + "==;B", "AccountName=a;AccountKey=[redacted azure account key];B"),
        ("Authorization: Bearer " + _made(40), "Authorization: Bearer [redacted bearer token]"),
        ("-H 'authorization: bearer abc.def-123_456~789+x=='", "-H 'authorization: bearer [redacted bearer token]'"),
        ("AUTHORIZATION: BEARER " + _made(40), "AUTHORIZATION: BEARER [redacted bearer token]"),
        ("Authorization: Bearer  " + _made(13), "Authorization: Bearer  [redacted bearer token]"),
        ("Authorization: Bearer\n " + _made(30), "Authorization: Bearer\n [redacted bearer token]"),
        ("Authorization: Bearer AbCqDxRtYuzOpAsDfGHjKlz", "Authorization: Bearer [redacted bearer token]"),
        ("Authorization: Basic YWRhOmh1bnRlcjI=", "Authorization: Basic [redacted credential]"),
        ("Proxy-Authorization: Basic YWRhOmxvdmVsYWNl", "Proxy-Authorization: Basic [redacted credential]"),
        ("{'Authorization': 'token " + _made(40) + "'}", "{'Authorization': 'token [redacted credential]'}"),
        (
            '{\\"Authorization\\": \\"ApiKey ' + _made(40) + '\\"}',
            '{\\"Authorization\\": \\"ApiKey [redacted credential]\\"}',
        ),
        ("Authorization: SomeWay " + _made(30), "Authorization: SomeWay [redacted credential]"),
        ("authorization: " + _made(30), "authorization: [redacted credential]"),
        ("Cookie: theme=dark; session=" + _made(32), "Cookie: theme=dark; session=[redacted cookie]"),
        (
            "Set-Cookie: sid=" + _made(32) + "; Path=/; Expires=Wed, 09 Jun 2027 10:18:14 GMT",
            "Set-Cookie: sid=[redacted cookie]; Path=/; Expires=Wed, 09 Jun 2027 10:18:14 GMT",
        ),
        ("postgres://ada:ab/cd3fgh@db/x", "postgres://ada:[redacted password]@db/x"),
        ("postgres://ada:ab@cd3fgh@db/x", "postgres://ada:[redacted password]@db/x"),
        ("mysql://me@corp.com:hunter2@db/x", "mysql://me@corp.com:[redacted password]@db/x"),
        (f"https://{'u' * 150}:hunter2@db/x", f"https://{'u' * 150}:[redacted password]@db/x"),
        ("git clone https://" + _made(24) + "@github.com/a/b", "git clone https://[redacted token]@github.com/a/b"),
        ("machine h login ada password hunter2\n", "machine h login ada password [redacted password]\n"),
        ("machine h\n  login ada\n  password lovelace\n", "machine h\n  login ada\n  password [redacted password]\n"),
        ("curl -s -u ada:lovelace https://x", "curl -s -u ada:[redacted password] https://x"),
        ("curl --user 'ada:hunter2' https://x", "curl --user 'ada:[redacted password]' https://x"),
        ("sshpass -p hunter2 ssh h", "sshpass -p [redacted password] ssh h"),
        ("mysqldump -uroot -phunter2 db", "mysqldump -uroot -p[redacted password] db"),
        ('{"auths":{"r":{"auth":"YWRhOmh1bnRlcjI="}}}', '{"auths":{"r":{"auth":"[redacted secret]"}}}'),
        ("//registry.npmjs.org/:_auth=YWRhOmh1bnRlcjI=", "//registry.npmjs.org/:_auth=[redacted secret]"),
        ("https://x/c?sv=2020&sig=" + _made(43) + "%3D", "https://x/c?sv=2020&sig=[redacted azure signature]"),
    ],
)
def test_secrets_in_frames_go(text: str, clean: str) -> None:
    assert redact(text) == clean


@pytest.mark.parametrize(
    "text",
    [
        "https://user:password@example.com/",
        "http://user:pass@host:80/",
        "https://u:***@host",
        "f'bolt://{user}:{password}@{host}'",
        "'http://%s:%s@%s' % (a, b, c)",
        "postgres://$USER:$PASSWORD@db",
        "https://example.com:8080/@scope/package",
        "git@github.com:owner/name.git and ssh://git@host:22/x",
        "Bearer authentication-is-described-in-the-standard",
        "Authorization: Bearer <token>, or Authorization: Bearer $TOKEN",
        "Authorization: Bearer YOUR_ACCESS_TOKEN_1",
        "Authorization: see RFC7235, and authorization: required for all",
        "Authorization: Bearer AuthenticationTokenOfTheUser",
        "headers = {'Authorization': f'Bearer {token1}'}",
        'headers["Authorization"] = "Bearer " + token1',
        "authorization = parsed2authorization",
        "'Authorization': 'Basic ' + base64.b64encode(login2)",
        '"Authorization" => "Basic #{Base64.strict_encode64(name1)}"',
        "Cookie: a=b; theme=dark_and_large; lang=en-GB",
        "cookie: Cookie2Value",
        "https://medium.com/@somebody2/a-title-with-9-words",
        "https://unpkg.com/package@1.2.3/dist/index2.js",
        "http://localhost:8080/a/b@c and http://api:3000/x@y",
        "http://a:1,http://b:2",
        "git+https://github.com/a/b@v1.2.3#egg=c",
        "docker run -u 1000:1000 img; docker run --user app:app img",
        "curl -u $USER:$PASSWORD https://x; curl -u user:password https://x",
        "mysql -u root -p db < dump2.sql",
        "machine learning needs a login and a password form1",
        "machine h login ada password $PASSWORD",
        '{"auth": "required"}, auth="dXNlcjpwYXNzd29yZA==", oauth: "authorization2code"',
        "the bearer of this letter",
        "email: someone@example.com, time: 12:30@noon",
    ],
)
def test_addresses_without_a_secret_stay(text: str) -> None:
    assert redact(text) == text


SECRET = "q7Xv-9zKp2LmW4"


@pytest.mark.parametrize(
    "text",
    [
        "password = '{}'",
        'PASSWORD="{}"',
        "db_password: '{}'",
        '"dbPassword": "{}"',
        "passwd='{}'",
        'client_secret = "{}"',
        "SECRET_KEY = '{}'",
        'aws_secret_access_key="{}"',
        "api_key='{}',",
        "apiKey: '{}',",
        'const token = "{}";',
        'token := "{}"',
        "{{'auth_token' => '{}'}}",
        'x-api-key: "{}"',
        "private_key = b'{}'",
        'connect(user="x", password="{}")',
        "SECRET_KEY={}\n",
        "export API_KEY={}",
        "a=1\nNEO4J_PASSWORD={}\nb=2",
        "AWS_SECRET_ACCESS_KEY={}\r\n",
        "TOKEN={}",
        "I typed: export NEO4J_USERNAME=neo4j NEO4J_PASSWORD={}",
        "cat x | docker run -e API_KEY={0} -e DB_PASSWORD={0} img",
        "use DB_PASSWORD={} here",
        "neo4j:\n  password: {}\n  database: x",
        "  api_key: {}",
        "12: auth_token: {}\r\n",
        "PASSWORD: {}",
        "login --password {} --user x",
        "gh --api-key={}",
        "mysql -u root password={} -h x",
        "password={}",
        "12: password={}\n13: user=x",
        "export PGPASSWORD={}; psql",
        "curl -d password={} http://x",
        "curl 'http://x/?access_token={}&x=1'",
        "jdbc:mysql://h/db?user=a&password={}",
        "connect('host=localhost user=app password={} dbname=x')",
        "Server=x;Database=y;User Id=sa;Password={};",
        "the login: user=ada, password={}",
        "java -Ddb.password={} -jar x.jar",
        "mysql $(cat x) password={}",
        "password = {}",
        "[client]\nuser = ada\npassword = {}\n",
        "aws_secret_access_key = {}",
        "+aws_secret_access_key = {}",
        "# api_key = {}",
        "conf/app.ini:12:password = {}",
        "    12\tpassword = {}",
        "spring.datasource.password = {}",
        "password: {} # of production",
        "password = {} ; of production",
        "curl -H 'X-Auth-Token: {}' https://x",
        'curl -H "PRIVATE-TOKEN: {}" https://x',
        '{{"a": "{{\\"password\\": \\"{}\\"}}"}}',
        '{{\\\\\\"api_key\\\\\\":\\\\\\"{}\\\\\\"}}',
        "my password is {}",
        "<password>{}</password>",
        "os.environ['API_KEY'] = '{}'",
        "const apiKey = `{}`;",
        "the api key is: {}.",
        "DB_PASS={}",
        "smtp_pass: {}",
    ],
)
def test_assigned_secrets_go(text: str) -> None:
    assert redact(text.format(SECRET)) == text.format("[redacted secret]")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("DB_PASSWORD={}", "Tr0ub$dor&3!"),
        ("DB_PASSWORD={}", "p(4)ss%word"),
        ("export DB_PASSWORD={}\nx", "correcthorse"),
        ("    - DB_PASSWORD={}", "abc12"),
        ("PASSWORD={}", "12345678"),
        ('PASSWORD="{}"', "correct horse 9 battery"),
        ("password: {}", "p@ss=w0rd!x"),
        ("password: {}", "p@ss,w0rd!x"),
        ("password: {}", "correct!horse"),
        ("Password: {}", "Welcome2024"),
        ("password = {}", "hunter2hunter2"),
        ("secret = {}", "8f7d6e5c4b3a29180706"),
        ("secret = {}", "f7d6e5c4b3a29180706"),
        ("    aws_secret_access_key = {}", _made(40, "wJalrXUtnFEMI/K7MDENG+bPxRfiCYz3")),
        ("aws_secret_access_key = {}", "/" + _made(39)),
        ("aws_session_token = {}", "AQoDYXdzE" + _made(200, "aB3dE/5fG7+hJ9")),
        ("password = '{}'", "p4$s(w0rd)"),
        ('{{"password": "{}"}}', "correcthorse"),
        ('{{"password":"{}"}}', "123456"),
        ("'password' => '{}'", "correct!horse"),
        ("SECRET_KEY = '{}'", "django-insecure-" + _made(40) + "$#("),
    ],
)
def test_odd_passwords_go(text: str, value: str) -> None:
    assert redact(text.format(value)) == text.format("[redacted secret]")


@pytest.mark.parametrize(
    "text",
    [
        "password = ''",
        "password = 'secret'",
        "password = getpass('Password: ')",
        "password: str = 'correct horse'",
        "token = tokens[0]",
        "token = 'identifier'",
        "token_type = 'Bearer2token99x'",
        "TOKEN_URL = 'https://oauth2.example.com/token'",
        "token = 'https://example.com/v2'",
        "secret: 'my-app-secret-v2'",
        "api_key = 'api-key-v1.2'",
        "api_key = os.environ['API_KEY_2']",
        'api_key="${API_KEY_1}"',
        'api_key="{{ api_key_2 }}"',
        'password="$PASSWORD1"',
        "password='%(password1)s'",
        "private_key = '/etc/keys/id_ed25519'",
        "access_key = './keys/id_rsa2'",
        "tokenizer = 'cl100k_base'",
        "tokens = 'a1b2c3d4e5'",
        "monkey = 'abc12345x'",
        "keyboard: 'qwerty12345x'",
        "sort_key='abc12345x'",
        "public_key = 'abc12345xyz'",
        "TOKEN_LIMIT=128000abc",
        "API_KEY_FILE=/run/secrets/key1",
        "PRIVATE_KEY=~/.ssh/id_ed25519",
        "SECRET_KEY=${SECRET1}",
        "def check_password(name: str, password: str) -> bool:",
        "if token == 'end_of_line':",
        "Token(type='NAME1', string='x')",
        "password: str",
        "password: Base64Str",
        "token: Token | None = None",
        "token: dict[str, int64]",
        "password = sha256password",
        "    password = password1value2x",
        "f(api_key=os.environ['X1'], password=password)",
        "password: ${PASSWORD1}",
        "password: <your-password-1>",
        "api_key: xxxxxxxx",
        "api_key: None",
        "token: next_token_2",
        "token: tokens[index2nd]",
        "api_key: !ENV API_KEY_2",
        "--token TOKEN2NAME, --password PASSWORD_1",
        "run --password $PASSWORD1 --token-file /run/secrets/key1",
        "f(TOKEN=read2token(x), API_KEY=API_KEY_2)",
        "password=password",
        "f(user, password=hunter2secret\n)",
        "f(g(x), password=hunter2secret\n)",
        "f('x', password=hunter2secret\n)",
        "f(\n    user=u, password=hunter2secret\n)",
        "f(\n    password=hunter2secret\n)",
        "12:     password=hunter2secret\n13: )",
        "password=self.pass1word",
        "password=get2pass()",
        "password=$PASSWORD1 run",
        "password=<your-password-1>",
        "password=xxxxxxxx",
        "token=next_token_2",
        "login?token={token2}&x=1",
        "password=%PASSWORD1%",
        "mscorlib, Version=2.0.0.0, PublicKeyToken=b77a5c561934e089",
        "'PublicKeyToken': 'b77a5c561934e089'",
        "password = get_password()",
        "secret_key = os.environ['X1']",
        "secret_key = os.environ.get('X1', default2)",
        "api_key=settings.key2",
        "api_key = settings.key2",
        "token = self.tokens2[index1]",
        "token = oauth2Token",
        "token = tokens2[0]",
        "token = x509_token2",
        "secret = a1+b2",
        "    secret = base64url2hex",
        "password = await read2password()",
        "const password = req2.body.password",
        "token: string;",
        "password: required",
        "password: required # 8 characters",
        "password: string, at least 8 characters",
        "password = required",
        "- `password`: the password of user1",
        "password: !vault |",
        "password: *default1",
        "password: {{ lookup('env', 'X1') }}",
        '{"password": "string"}, {"password": "********"}, {"password": "Passwort"}, {"password": "mot de passe"}',
        '{"password": "contraseña"}',
        "{'password': 'password'}",
        "password: Optional[Str1]",
        "password: dict[str,Int2]",
        "DB_PASSWORD=$(cat /run/secrets/db1)",
        "DB_PASSWORD=${DB_PASSWORD1:-x}",
        "DB_PASSWORD=changeme",
        "PWD=/home/ada/project1",
        "OLDPWD=/home/ada/project1",
        "pwd = '/home/ada/project1'",
        "sort_key = name2value3x",
        "primary_key = a1b2c3d4e5",
        "key = a1b2c3d4e5",
        "cache_key: a1b2c3d4e5",
        "author = 'a1b2c3d4'",
        "token is base64url, and the password is sha256hash then",
        "the token is next_token_2 or the secret is required",
        "the password is stored in table2column3",
        "passes = 12, passwords = 345678901",
        "<password>required</password>, <label>password1</label>",
        "const apiKey = `${{apiKey1}}`;",
    ],
)
def test_assignments_of_something_else_stay(text: str) -> None:
    assert redact(text) == text
    assert redact(f"before\n{text}\nbehind") == f"before\n{text}\nbehind"


SHA = hashlib.sha256(b"x").hexdigest()
INNOCENT = [
    *(hashlib.new(kind, b"x").hexdigest() for kind in ("md5", "sha1", "sha256", "sha512")),
    str(UUID(SHA[:32])),
    SHA[:32],
    f"commit {SHA[:40]}",
    f"sha256:{SHA}",
    f"sha512-{base64.b64encode(hashlib.sha512(b'x').digest()).decode()}",
    f"index {SHA[:7]}..{SHA[7:14]} 100644",
    "data:image/png;base64," + base64.b64encode(bytes(range(256)) * 8).decode(),
    base64.urlsafe_b64encode(bytes(range(256)) * 8).decode(),
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI" + _made(43) + " me@host",
    "a_very_long_identifier_that_goes_on_and_on_and_has_a_number_2_in_it",
    "AVeryLongCamelCaseIdentifierThatGoesOnAndOnAndHasANumber2InIt",
    "sk-estimator-container-fitted-labels-and-more-of-them-2",
    "skip_this_test_because_of_something_else_entirely_1234",
    "self.assertEqual(hf_output_of_something_rather_long_1, 3)",
    "task-SKIPPED0123456789",
    "2026-11-22T01:02:03.123456789Z 192.168.100.200 00:1A:2B:3C:4D:5E",
    "https://example.com/path/to/0123456789abcdef0123456789abcdef?x=AKIAx&y=sk-",
    "npm_config_registry_and_some_more_words_here_1",
    "pypi-AgEx docker/dckr_pat_ ghp_ gho_1 glpat-",
    "SG.a.b eyJ.eyJ.x 12345678:AAshort",
    "int sk_buff_head_init_and_some_other_name2(struct sk_buff *skb);",
]


@pytest.mark.parametrize("text", INNOCENT)
def test_what_is_no_secret_stays(text: str) -> None:
    assert redact(text) == text


def _sources(root: Path) -> list[Path]:
    return [path for path in root.rglob("*.py") if not {"site-packages", "__pycache__"} & set(path.parts)]


def test_this_packages_own_code_stays() -> None:
    package = Path(ragforge_memory.__file__).parent
    for path in (*package.rglob("*.py"), *package.parent.joinpath("cypher").rglob("*.cypher")):
        text = path.read_text(encoding="utf-8")
        assert redact(text) == text, path


def test_the_standard_library_stays() -> None:
    """Ten megabytes of other people's code: no mark but for logins that stand in addresses in the library's tests."""
    marked = []
    size = 0
    for path in _sources(Path(sysconfig.get_path("stdlib"))):
        if size > 10_000_000:
            break
        text = path.read_text(encoding="utf-8", errors="replace")
        size += len(text)
        clean = redact(text)
        if clean != text:
            marked += [line for line in clean.splitlines() if "[redacted " in line and "://" not in line]
    assert size > 5_000_000
    # The password of urllib's example ('geheim$parole') could be one.
    assert [line.strip() for line in marked if "passwd='[redacted secret]')" not in line] == []


# --- values -----------------------------------------------------------------------------------------------------------


def test_values_are_cleaned_all_through() -> None:
    key = KEYS["github token"][0]
    value = {"a": [1, None, True, {"text": f"use {key}", key: "x", f"{key[:-1]}Q": "y"}], "b": ("plain", 2.5)}
    assert redact_value(value) == {
        "a": [
            1,
            None,
            True,
            {"text": "use [redacted github token]", "[redacted github token]": "x", "[redacted github token] 2": "y"},
        ],
        "b": ["plain", 2.5],
    }
    assert value["a"][3]["text"] == f"use {key}"  # type: ignore[index]


def test_a_value_is_cleaned_down_to_its_bottom() -> None:
    value: Any = f"use {KEYS['github token'][0]}"
    for _ in range(DEEPEST):
        value = [value]
    clean = redact_value(value)
    for _ in range(DEEPEST):
        (clean,) = clean
    assert clean == "use [redacted github token]"


@pytest.mark.parametrize(
    ("name", "value", "goes"),
    [
        ("password", SECRET, True),
        ("db_password", "hunter22", True),
        ("api_key", SECRET, True),
        ("clientSecret", SECRET, True),
        ("x-api-key", SECRET, True),
        ("token", "end_of_line", False),
        ("token", "api-key-v1.2", False),
        ("password", "", False),
        ("password", "two words 22", True),
        ("password", "p$ss(w0rd)", True),
        ("password", "correcthorse", True),
        ("password", " ", False),
        ("password", "required", False),
        ("password", "$PASSWORD", False),
        ("api_key", "GEMINI_API_KEY", False),
        ("api_key", "correct horse", True),
        ("client_secret", "my-app-v2", True),
        ("credentials", SECRET, True),
        ("private_key", "/etc/keys/id_ed25519", False),
        ("private_key", "./id_rsa2", False),
        ("secret", "https://vault.example.com/v1", False),
        ("pwd", "/home/ada/project1", False),
        ("access_token", "end_of_line", True),
        ("auth", "YWRhOmh1bnRlcjI=", True),
        ("auth", "required", False),
        ("public_key", SECRET, False),
        ("sort_key", SECRET, False),
        ("token_type", "Bearer2token99x", False),
        ("path", "src/auth2/password3.py", False),
        ("query", SECRET, False),
        ("tokens", SECRET, False),
        ("sha", SHA, False),
    ],
)
def test_a_name_may_make_its_value_a_secret(name: str, value: str, goes: bool) -> None:
    assert redact_value({name: value}) == {name: "[redacted secret]" if goes else value}


def test_headers_in_values_are_cleaned() -> None:
    value = {
        "Authorization": "Basic YWRhOmh1bnRlcjI=",
        "Cookie": "theme=dark; sid=" + _made(32),
        "X-Auth-Token": SECRET,
    }
    assert redact_value(value) == {
        "Authorization": "Basic [redacted credential]",
        "Cookie": "theme=dark; sid=[redacted cookie]",
        "X-Auth-Token": "[redacted secret]",
    }
    assert redact_value({"authorization": "required: see 12"}) == {"authorization": "required: see 12"}


def test_a_name_may_make_other_values_secrets() -> None:
    assert redact_value({"passwords": ["hunter2hunter2", 1], "password": 12345678}) == {
        "passwords": ["[redacted secret]", 1],
        "password": "[redacted secret]",
    }
    said = {
        "password": ["This field is required."],
        "tokens": [SECRET, 1234],
        "max_tokens": 8000,
        "password_length": 1234,
    }
    assert redact_value(said) == said
    schema = {"properties": {"password": {"type": "string", "minLength": 8}}, "required": ["password"]}
    assert redact_value(schema) == schema


@pytest.mark.parametrize("value", [None, 7, 2.5, True, [], {}, "", {1: "x"}, {"password": None}, {"password": ["a1"]}])
def test_other_values_stay_as_they_are(value: Any) -> None:
    assert redact_value(value) == value


def test_it_is_repeatable() -> None:
    text = "\n".join(key for keys in KEYS.values() for key in keys) + f"\npassword='{SECRET}'\n"
    once = redact(text)
    assert redact(once) == once
    assert once.count("[redacted ") == sum(map(len, KEYS.values())) + 1


# --- no text takes for ever -------------------------------------------------------------------------------------------


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "piece",
    [
        "a.", "a-", "token", "token ", "password=", "password='", "='a1", "://", "://a:", "://a:b", "sk-", "eyJ.",
        "eyJa.", "-----BEGIN PRIVATE KEY-----", "-----BEGIN RSA ", "A: b\n", "AKIA", "1", "SG.", "x=", "SECRET_",
        "SECRET=a1 ", "\n", " ", "\t", "'", "\\n", "a1", "export ", "Bearer ", "hooks.slack.com/", "xoxb-", "=>",
        "token :", "A_", "PRIVATE ", "--", "--token ", ": a1", "token: a1b2c3d4e5 ", "TOKEN=a1",
        "password=a1b2c3d4e5 ", "=a1b2c3d4e5 ", "(password=a1b2c3d4e5 ", "Authorization: ", "authorization: a ",
        "Authorization: Bearer\n", "Cookie: a=b; ", "Cookie: ", "a1b2c3d4e5; ", "machine a login b ", "machine ",
        "curl ",
        "curl -u ", "curl -u a:", "mysql -", "sshpass -p ", "-----END PRIVATE KEY-----", "-----END PRIVATE KEY-----\n",
        "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkq\n", "MIIEvQIBADANBgkq\n", "---- ", "------",
        "Private-Lines: 8\n",
        "PRIVATE KEY-----", "> ", "12:", "password is ", "password is a1b2c3d4e5 ", "password = ", "password = a",
        "\npassword = a1b2c3d4e5\n", "password:\\\"", "\\\"", "\\", "{password: ", "auth=", "auth=YWRh", "://a@",
        "://a:b@",
        "://a:b/", "a:b@c/", "key ", "a.b.password", "password.", "<br>", '", "', "glpat-", "hvs.", "EAA", "8Q~", "pat",
        "İpassword = ", "$", "${", "...", "AaAaAa", "Authorization: Bearer aAa", "x-us1", "\x1b[31m", "=[",
        "password=([",
    ],
)  # fmt: skip
def test_no_text_is_slow(piece: str) -> None:
    """Eight times as much of what patterns begin with takes eight times as long; something quadratic, sixty-four."""
    short, long = (_seconds(piece * (length // len(piece))) for length in (10_000, 80_000))
    assert long < 24 * short + 0.2


def _seconds(text: str) -> float:
    """Of the processor, which others who use it do not lengthen."""
    begun = time.process_time()
    redact(text)
    redact("-----BEGIN PRIVATE KEY-----\n" + text)
    redact(text + "\n-----END PRIVATE KEY-----")
    redact("password = " + text)
    redact("Authorization: Bearer " + text)
    redact_value({"password": text})
    redact(text + "'")
    return time.process_time() - begun
