"""What the server is started with."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragforge_memory.errors import ConfigError
from ragforge_memory.graph.managed.files import ServerFiles
from ragforge_memory.graph.managed.settings import (
    ServerSettings,
    java_arguments,
    neo4j_conf,
    prepare_password,
    read_password,
    settings_from_environment,
)


@pytest.mark.parametrize("version", ["2026.09.0", "5.26.30"])
def test_the_server_listens_on_loopback_alone_and_tells_nobody(version: str) -> None:
    conf = dict(line.split("=", 1) for line in neo4j_conf(ServerSettings(version=version), 4711).splitlines())
    assert conf["server.default_listen_address"] == "127.0.0.1"
    assert conf["server.bolt.listen_address"] == conf["server.bolt.advertised_address"] == "127.0.0.1:4711"
    assert conf["server.http.enabled"] == conf["server.https.enabled"] == "false"
    assert conf["dbms.usage_report.enabled"] == "false"
    assert conf["dbms.security.auth_enabled"] == "true"
    assert ("db.query.default_language" in conf) == (version != "5.26.30")


@pytest.mark.parametrize(("version", "known"), [("2027.1", True), ("2026.08.1", False)])
def test_a_server_is_told_of_merges_where_it_knows_them(version: str, known: bool) -> None:
    conf = neo4j_conf(ServerSettings(version=version), 4711)
    assert ("internal.dbms.index.vector.merge_policy=TIERED\n" in conf) == known


def test_the_command_line_of_each_line_of_servers(tmp_path: Path) -> None:
    files = ServerFiles(tmp_path)
    new = java_arguments(ServerSettings(heap="2g"), files, ["b.jar", "a.jar"])
    assert "-Xmx2g" in new
    assert new[new.index("-cp") + 1] == "a.jar:b.jar"
    assert "org.neo4j.server.Neo4jCommunity" in new
    assert "--add-modules=jdk.incubator.vector" not in new
    assert "--add-modules=jdk.incubator.vector" in java_arguments(ServerSettings(), files, [], vector_module=True)
    old = java_arguments(ServerSettings(version="5.26.30", heap="128m"), files, [])
    assert "org.neo4j.server.CommunityEntryPoint" in old
    assert {"-Xms128m", "-Xmx128m"} <= set(old)


def test_the_settings_of_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("RAGFORGE_NEO4J_JAVA_OPTIONS", raising=False)
    assert settings_from_environment() == ServerSettings()
    monkeypatch.setenv("RAGFORGE_NEO4J_VERSION", "5.26.30")
    monkeypatch.setenv("RAGFORGE_NEO4J_HEAP", "1G")
    monkeypatch.setenv("RAGFORGE_NEO4J_PAGE_CACHE", "256m")
    monkeypatch.setenv("RAGFORGE_NEO4J_IDLE_HOURS", "0")
    monkeypatch.setenv("RAGFORGE_NEO4J_JAVA_OPTIONS", "-Xss2m '-XX:ErrorFile=a b'")
    settings = settings_from_environment()
    assert settings == ServerSettings("5.26.30", "1g", "256m", 0.0, ("-Xss2m", "-XX:ErrorFile=a b"))
    arguments = java_arguments(settings, ServerFiles(tmp_path), [])
    assert arguments.index("-XX:ErrorFile=a b") < arguments.index("-cp")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("RAGFORGE_NEO4J_HEAP", "lots"),
        ("RAGFORGE_NEO4J_PAGE_CACHE", "0m"),
        ("RAGFORGE_NEO4J_IDLE_HOURS", "nan"),
        ("RAGFORGE_NEO4J_JAVA_OPTIONS", "-Xss2m 'open"),
        ("RAGFORGE_NEO4J_JAVA_OPTIONS", "a.jar"),
    ],
)
def test_settings_that_cannot_be_used(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(ConfigError, match=name):
        settings_from_environment()


def test_a_new_home_gets_a_password_of_its_own(tmp_path: Path) -> None:
    passwords = set()
    for name in ("one", "two"):
        files = ServerFiles(tmp_path / name)
        files.root.mkdir(parents=True)
        prepare_password(files)
        passwords.add(read_password(files))
        assert files.auth.stat().st_mode & 0o777 == 0o600
        assert read_password(files) not in files.auth.read_text()
        prepare_password(files)  # a first start that was cut short keeps its password
        assert read_password(files) in passwords
    assert len(passwords) == 2
