"""`ragforge keys`."""

from __future__ import annotations

from uuid import uuid4

from tests.cli.conftest import CommandLine


def test_a_key_is_made_listed_revoked_and_in_the_audit(ragforge: CommandLine) -> None:
    user = f"ada-{uuid4().hex[:8]}"
    assert "ragforge keys create makes one" in ragforge.run("keys", "list").stderr
    made = ragforge.run("keys", "create", "--user", user, "--scope", "admin", "--name", "the bot")
    assert made.returncode == 0
    assert "the only time that the key is shown" in made.stderr
    _, key_id, secret = made.stdout.strip().split("_")
    listed = ragforge.ok("keys", "list")
    assert listed.startswith(f"{key_id}  admin  {user}  the bot  made ")
    assert listed.endswith("  never used\n")
    assert secret not in ragforge.ok("keys", "list", "--json")
    second = ragforge.json("keys", "create", "--json")
    assert (second["user_id"], second["scope"], second["key"][:16]) == (None, "user", f"rf_{second['id']}_")
    assert "  revoked " in ragforge.ok("keys", "revoke", key_id)
    assert [each["id"] for each in ragforge.json("keys", "list", "--json")] == [second["id"]]
    assert len(ragforge.ok("keys", "list", "--all").splitlines()) == 2
    revoked, created = ragforge.ok("keys", "audit", "--user", user).splitlines()
    assert f"  revoke_key  of {user}  at the command line  {key_id}" in revoked
    assert created.endswith(f"  create_key  of {user}  at the command line  {key_id} (admin)")
    assert [each["action"] for each in ragforge.json("keys", "audit", "-n", "2", "--json")] == [
        "revoke_key",
        "create_key",
    ]


def test_what_is_no_key_is_an_error(ragforge: CommandLine) -> None:
    gone = ragforge.run("keys", "revoke", "0" * 12)
    assert (gone.returncode, gone.stdout) == (1, "")
    assert "there is no key" in gone.stderr
    assert "ragforge keys list" in gone.stderr
    assert ragforge.run("keys", "create", "--scope", "root").returncode == 2


def test_no_server_starts_without_a_key_where_one_is_needed(ragforge: CommandLine) -> None:
    outside = ragforge.run("serve", "--host", "0.0.0.0", "--port", "8799")
    (ragforge.project / "ragforge.config.yaml").write_text("server: {require_key: true}\n")
    here = ragforge.run("serve", "--port", "8799")
    assert (outside.returncode, here.returncode) == (3, 3)
    assert "0.0.0.0 can be reached from other machines, and there is no key yet" in outside.stderr
    assert "server.require_key is set, and there is no key yet" in here.stderr
