"""Secrets in addresses, headers and commands are taken out, what stands around them stays."""

from __future__ import annotations

import pytest

from ragforge_memory.redaction import redact
from tests.redaction.made import made


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("postgres://app:hunter2@db:5432/x", "postgres://app:[redacted password]@db:5432/x"),
        ("url = 'redis://:s3cr3t!@127.0.0.1'", "url = 'redis://:[redacted password]@127.0.0.1'"),
        ("https://joe:a:b@[::1]/", "https://joe:[redacted password]@[::1]/"),
        ("AccountName=a;AccountKey=" + made(86) + "==;B", "AccountName=a;AccountKey=[redacted azure key];B"),
        ("Authorization: Bearer " + made(40), "Authorization: Bearer [redacted bearer token]"),
        ("-H 'authorization: bearer abc.def-123_456~789+x=='", "-H 'authorization: bearer [redacted bearer token]'"),
        ("Authorization: Bearer  " + made(13), "Authorization: Bearer  [redacted credential]"),
        ("Authorization: Bearer\n " + made(30), "Authorization: Bearer\n [redacted bearer token]"),
        ("Authorization: Basic YWRhOmh1bnRlcjI=", "Authorization: Basic [redacted credential]"),
        (
            '{\\"Authorization\\": \\"ApiKey ' + made(40) + '\\"}',
            '{\\"Authorization\\": \\"ApiKey [redacted credential]\\"}',
        ),
        ("Authorization: SomeWay " + made(30), "Authorization: SomeWay [redacted credential]"),
        ("authorization: " + made(30), "authorization: [redacted credential]"),
        ("Cookie: theme=dark; session=" + made(32), "Cookie: [redacted cookies]"),
        (
            "Set-Cookie: sid=" + made(32) + "; Path=/; Expires=Wed, 09 Jun 2027 10:18:14 GMT",
            "Set-Cookie: [redacted cookies]",
        ),
        ("postgres://ada:ab/cd3fgh@db/x", "postgres://ada:[redacted password]@db/x"),
        ("mysql://me@corp.com:hunter2@db/x", "mysql://me@corp.com:[redacted password]@db/x"),
        (f"https://{'u' * 150}:hunter2@db/x", f"https://{'u' * 150}:[redacted password]@db/x"),
        ("git clone https://" + made(24) + "@github.com/a/b", "git clone https://[redacted token]@github.com/a/b"),
        ("machine h\n  login ada\n  password lovelace\n", "machine h\n  login ada\n  password [redacted password]\n"),
        ("curl --user 'ada:hunter2' https://x", "curl --user 'ada:[redacted password]' https://x"),
        ("sshpass -p hunter2 ssh h", "sshpass -p [redacted password] ssh h"),
        ("mysqldump -uroot -phunter2 db", "mysqldump -uroot -p[redacted password] db"),
        ('{"auths":{"r":{"auth":"YWRhOmh1bnRlcjI="}}}', '{"auths":{"r":{"auth":"[redacted secret]"}}}'),
        ("//registry.npmjs.org/:_auth=YWRhOmh1bnRlcjI=", "//registry.npmjs.org/:_auth=[redacted secret]"),
        ("https://x/c?sv=2020&sig=" + made(43) + "%3D", "https://x/c?sv=2020&sig=[redacted azure key]"),
    ],
)
def test_secrets_in_frames_go(text: str, clean: str) -> None:
    assert redact(text) == clean


@pytest.mark.parametrize(
    "text",
    [
        "https://user:password@example.com/",
        "https://u:***@host",
        "f'bolt://{user}:{password}@{host}'",
        "https://example.com:8080/@scope/package",
        "git@github.com:owner/name.git and ssh://git@host:22/x",
        "Bearer authentication-is-described-in-the-standard",
        "Authorization: Bearer <token>, or Authorization: Bearer $TOKEN",
        "Authorization: Bearer YOUR_ACCESS_TOKEN_1",
        "Authorization: see RFC7235, and authorization: required for all",
        "headers = {'Authorization': f'Bearer {token1}'}",
        'headers["Authorization"] = "Bearer " + token1',
        "'Authorization': 'Basic ' + base64.b64encode(login2)",
        '"Authorization" => "Basic #{Base64.strict_encode64(name1)}"',
        "cookie: Cookie2Value",
        "https://medium.com/@somebody2/a-title-with-9-words",
        "http://localhost:8080/a/b@c and http://api:3000/x@y",
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
