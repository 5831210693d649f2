"""What is assigned to a name that says it is secret is taken out, and nothing else that is assigned."""

from __future__ import annotations

import pytest

from ragforge_memory.redaction import redact
from tests.redaction.made import SECRET, made


@pytest.mark.parametrize(
    "text",
    [
        "password = '{}'",
        "db_password: '{}'",
        '"dbPassword": "{}"',
        "api_key='{}',",
        'const token = "{}";',
        "{{'auth_token' => '{}'}}",
        "private_key = b'{}'",
        'connect(user="x", password="{}")',
        "SECRET_KEY={}\n",
        "a=1\nNEO4J_PASSWORD={}\nb=2",
        "I typed: export NEO4J_USERNAME=neo4j NEO4J_PASSWORD={}",
        "cat x | docker run -e API_KEY={0} -e DB_PASSWORD={0} img",
        "neo4j:\n  password: {}\n  database: x",
        "12: auth_token: {}\r\n",
        "login --password {} --user x",
        "gh --api-key={}",
        "password={}",
        "export PGPASSWORD={}; psql",
        "curl 'http://x/?access_token={}&x=1'",
        "jdbc:mysql://h/db?user=a&password={}",
        "Server=x;Database=y;User Id=sa;Password={};",
        "java -Ddb.password={} -jar x.jar",
        "password = {}",
        "[client]\nuser = ada\npassword = {}\n",
        "# api_key = {}",
        "conf/app.ini:12:password = {}",
        "password: {} # of production",
        "curl -H 'X-Auth-Token: {}' https://x",
        '{{"a": "{{\\"password\\": \\"{}\\"}}"}}',
        '{{\\\\\\"api_key\\\\\\":\\\\\\"{}\\\\\\"}}',
        "my password is {}",
        "<password>{}</password>",
        "os.environ['API_KEY'] = '{}'",
        "the api key is: {}.",
        "DB_PASS={}",
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
        ("PASSWORD={}", "12345678"),
        ('PASSWORD="{}"', "correct horse 9 battery"),
        ("password: {}", "p@ss=w0rd!x"),
        ("password: {}", "correct!horse"),
        ("Password: {}", "Welcome2024"),
        ("password = {}", "hunter2hunter2"),
        ("api_key = {} and more", "sk-live-9a8b7c6d5e4f3g2h1i0j"),
        ("secret = {}", "8f7d6e5c4b3a29180706"),
        ("    aws_secret_access_key = {}", made(40, "wJalrXUtnFEMI/K7MDENG+bPxRfiCYz3")),
        ("aws_session_token = {}", "AQoDYXdzE" + made(200, "aB3dE/5fG7+hJ9")),
        ("password = '{}'", "p4$s(w0rd)"),
        ('{{"password": "{}"}}', "correcthorse"),
        ("SECRET_KEY = '{}'", "django-insecure-" + made(40) + "$#("),
    ],
)
def test_odd_passwords_go(text: str, value: str) -> None:
    assert redact(text.format(value)) == text.format("[redacted secret]")


@pytest.mark.parametrize(
    "text",
    [
        "password = 'secret'",
        "password = getpass('Password: ')",
        "password: str = 'correct horse'",
        "token = 'identifier'",
        "token_type = 'Bearer2token99x'",
        "token = 'https://example.com/v2'",
        "api_key = 'api-key-v1.2'",
        "api_key = os.environ['API_KEY_2']",
        'api_key="${API_KEY_1}"',
        'password="$PASSWORD1"',
        "private_key = '/etc/keys/id_ed25519'",
        "tokenizer = 'cl100k_base'",
        "tokens = 'a1b2c3d4e5'",
        "monkey = 'abc12345x'",
        "sort_key='abc12345x'",
        "TOKEN_LIMIT=128000abc",
        "API_KEY_FILE=/run/secrets/key1",
        "def check_password(name: str, password: str) -> bool:",
        "if token == 'end_of_line':",
        "password: Base64Str",
        "token: dict[str, int64]",
        "    password = password1value2x",
        "f(api_key=os.environ['X1'], password=password)",
        "password: <your-password-1>",
        "api_key: xxxxxxxx",
        "token: next_token_2",
        "api_key: !ENV API_KEY_2",
        "--token TOKEN2NAME, --password PASSWORD_1",
        "f(TOKEN=read2token(x), API_KEY=API_KEY_2)",
        "f(user, password=hunter2secret\n)",
        "f(\n    user=u, password=hunter2secret\n)",
        "f(\n    password=hunter2secret\n)",
        "password=self.pass1word",
        "login?token={token2}&x=1",
        "password=%PASSWORD1%",
        "mscorlib, Version=2.0.0.0, PublicKeyToken=b77a5c561934e089",
        "password = get_password()",
        "secret_key = os.environ.get('X1', default2)",
        "api_key = settings.key2",
        "token = x509_token2",
        "secret = a1+b2",
        "    secret = base64url2hex",
        "const password = req2.body.password",
        "password: required # 8 characters",
        "- `password`: the password of user1",
        "password: !vault |",
        "password: *default1",
        "password: {{ lookup('env', 'X1') }}",
        '{"password": "string"}, {"password": "********"}, {"password": "Passwort"}, {"password": "mot de passe"}',
        '{"password": "contraseña"}',
        "password: dict[str,Int2]",
        "DB_PASSWORD=$(cat /run/secrets/db1)",
        "DB_PASSWORD=${DB_PASSWORD1:-x}",
        "DB_PASSWORD=changeme",
        "PWD=/home/ada/project1",
        "pwd = '/home/ada/project1'",
        "sort_key = name2value3x",
        "author = 'a1b2c3d4'",
        "token is base64url, and the password is sha256hash then",
        "the token is next_token_2 or the secret is required",
        "passes = 12, passwords = 345678901",
        "<password>required</password>, <label>password1</label>",
    ],
)
def test_assignments_of_something_else_stay(text: str) -> None:
    assert redact(text) == text
    assert redact(f"before\n{text}\nbehind") == f"before\n{text}\nbehind"


@pytest.mark.parametrize(
    "text",
    [
        "    DB_PASSWORD={}",
        "docker run -e POSTGRES_PASSWORD={} postgres",
        "Server=db;User=sa;Password={};Pooling=true",
        "?api_key={}&z=2",
        "curl -d 'password={}'",
        "my token is {}",
        '{{"a": "X=1\\nGITHUB_TOKEN={}\\nY=2"}}',
    ],
)
def test_what_looks_like_the_name_of_a_type_goes_where_none_stands(text: str) -> None:
    assert redact(text.format("FbLd9Rb9xqOD81aZ")) == text.format("[redacted secret]")
