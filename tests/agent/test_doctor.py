"""Doctor's checks, on real servers, models' real resolution and real folders."""

from __future__ import annotations

import subprocess
from pathlib import Path
from uuid import uuid4

import pytest

from ragforge_memory.api import doctor
from ragforge_memory.api.doctor import Check, run_checks
from ragforge_memory.config import LoadedConfig, Neo4jConfig, RagforgeConfig, load_config
from ragforge_memory.embeddings.hashing import HashingEmbedder
from ragforge_memory.graph.client import GraphClient
from ragforge_memory.graph.connect import connect
from ragforge_memory.graph.journal import Journal
from ragforge_memory.graph.journal_lines import JournalCreation, JournalTurn
from ragforge_memory.graph.journal_state import journal_state
from ragforge_memory.graph.operations import OperationStore
from ragforge_memory.graph.reembedding import Moving
from ragforge_memory.graph.schema import SCHEMA
from ragforge_memory.graph.spaces import Space, open_space
from ragforge_memory.memory.metrics import Metrics
from ragforge_memory.models.owner import Owner
from ragforge_memory.project import ProjectIdentity

pytestmark = pytest.mark.anyio

# No model server of this machine is asked, and no key of it is seen.
QUIET = {"RAGFORGE_ALLOW_MODEL_REQUESTS": "0"}


def _committed(root: Path) -> str:
    """Makes a repository of a folder; its commit."""
    author = ("-c", "user.name=A", "-c", "user.email=a@b.invalid", "-c", "commit.gpgsign=false")
    for arguments in (
        ("init", "-q"),
        (*author, "commit", "-q", "--allow-empty", "-m", root.name),
        ("rev-parse", "HEAD"),
    ):
        done = subprocess.run(["git", "-C", root, *arguments], check=True, capture_output=True, text=True)
    return done.stdout.strip()


def _loaded(neo4j: Neo4jConfig | None = None, **blocks: object) -> LoadedConfig:
    return LoadedConfig(RagforgeConfig.model_validate({"neo4j": neo4j, **blocks}))


@pytest.fixture
def identity(owner: Owner, tmp_path: Path) -> ProjectIdentity:
    return ProjectIdentity(owner.project, tmp_path)


async def _ingested(
    client: GraphClient, owner: Owner, root: Path, commit: str | None = None, *, label: str = ""
) -> None:
    """Two scopes of a file, one with a vector."""
    space = await open_space(client, owner.project, "hashing:words", 5)
    await client.run_schema(
        "CREATE (p:Project {uuid: $uuid, project: $project, rootPath: $root, head_commit: $commit}) "
        "CREATE (s:Scope {uuid: $uuid + 's', project: $project, file: 'a.py'}) "
        f"CREATE (t:Scope{label} {{uuid: $uuid + 't', project: $project, file: 'a.py'}}) "
        "WITH s CALL db.create.setNodeVectorProperty(s, $property, [1.0, 0.0, 0.0, 0.0, 0.0]) RETURN s.uuid AS uuid",
        uuid=uuid4().hex,
        project=owner.project,
        root=str(root),
        commit=commit,
        property=space.property,
    )


@pytest.fixture
async def client(neo4j_config: Neo4jConfig, owner: Owner) -> GraphClient:
    opened = await connect(neo4j_config)
    yield opened  # type: ignore[misc]
    await opened.run_schema("MATCH (n {project: $project}) DETACH DELETE n", project=owner.project)
    await opened.aclose()


async def test_a_machine_where_nothing_runs_yet(tmp_path: Path, owner: Owner, identity: ProjectIdentity) -> None:
    checks = await run_checks(_loaded(), identity, owner, home=tmp_path / "home", environ=QUIET)
    by_name = {check.name: check for check in checks}
    assert list(by_name) == [
        "python",
        "configuration",
        "disk",
        "java",
        "neo4j",
        "model",
        "embeddings",
        "project",
        "journal",
    ]
    assert by_name["neo4j"].ok
    assert "starts with the first question" in by_name["neo4j"].detail
    assert by_name["model"].detail.startswith("extractive:quotes, because no model is configured")
    assert "GEMINI_API_KEY" in (by_name["model"].hint or "")
    assert by_name["embeddings"].detail.startswith("local:e5-small-v2 (384)")
    assert not (tmp_path / "home").exists(), "checks make nothing"
    assert set(by_name["python"].as_dict()) == {"name", "ok", "detail", "hint"}


async def test_a_project_that_is_well(
    neo4j_config: Neo4jConfig, client: GraphClient, owner: Owner, identity: ProjectIdentity, tmp_path: Path
) -> None:
    await _ingested(client, owner, tmp_path)
    embeddings = {"provider": "hashing", "model": "words", "dimension": 5}
    loaded = _loaded(neo4j_config, agent={"memory": {"embeddings": embeddings}})
    checks = await run_checks(loaded, identity, owner, home=tmp_path, environ=QUIET)
    assert all(check.ok for check in checks), checks
    by_name = {check.name: check for check in checks}
    assert "java" not in by_name, "the server is not ours"
    assert f"schema {SCHEMA}" in by_name["neo4j"].detail
    assert by_name["code"] == Check("code", True, f"2 scopes of {tmp_path}, 50 % embedded")
    assert by_name["vectors"].detail == "of hashing:words (5), none wait"


async def test_what_lacks_a_vector_waits_only_where_something_makes_vectors(
    client: GraphClient, owner: Owner, identity: ProjectIdentity, tmp_path: Path
) -> None:
    await _ingested(client, owner, tmp_path, label=":PendingEmbedding")
    _, vectors, _ = await doctor.check_graph(client, owner, identity, HashingEmbedder(5, model="words"))
    assert (vectors.ok, vectors.detail) == (True, "of hashing:words (5), 1 waits for a vector")
    assert vectors.hint is not None
    assert "ingest --embed" in vectors.hint
    _, vectors, _ = await doctor.check_graph(client, owner, identity, None)
    assert vectors == Check("vectors", True, "of hashing:words (5), 1 lacks a vector, and nothing makes them here")


async def test_what_is_wrong_with_a_project_is_said(
    client: GraphClient, owner: Owner, identity: ProjectIdentity, tmp_path: Path
) -> None:
    code, _, _ = await doctor.check_graph(client, owner, identity, None)
    assert (code.ok, code.detail) == (True, "not ingested yet")
    await _ingested(client, owner, tmp_path, "other", label=":FailedEmbedding")
    other_model = HashingEmbedder(5, model="another")
    code, vectors, _ = await doctor.check_graph(client, owner, identity, other_model, commit="a commit")
    assert code.ok
    assert "another commit" in code.detail
    assert not vectors.ok
    assert "come from hashing:words" in vectors.detail
    _, vectors, _ = await doctor.check_graph(client, owner, identity, None)
    assert not vectors.ok
    assert vectors.detail.startswith("1 could not be embedded; of hashing:words")
    elsewhere = ProjectIdentity(owner.project, tmp_path / "clone")
    code, _, _ = await doctor.check_graph(client, owner, elsewhere, None)
    assert code.ok
    assert "not this folder" in code.detail


async def test_the_commit_is_that_of_the_folder_of_the_code(
    neo4j_config: Neo4jConfig, client: GraphClient, owner: Owner, tmp_path: Path
) -> None:
    """Of a submodule, that may be another one than the project's."""
    (tmp_path / "code").mkdir()
    commit = _committed(tmp_path / "code")
    _committed(tmp_path)
    await _ingested(client, owner, tmp_path / "code", commit)

    identity = ProjectIdentity(owner.project, tmp_path / "code")
    checks = await run_checks(_loaded(neo4j_config), identity, owner, home=tmp_path, environ=QUIET)

    told = {check.name: check.detail for check in checks}
    assert told["project"].endswith(f" at commit {commit[:12]}")
    assert "another commit" not in told["code"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"uri": "bolt://127.0.0.1:9"}, "cannot be reached"),
        ({"password": "wrong"}, "refused the login"),
        ({"database": "nobodys"}, "no database"),
    ],
)
async def test_a_server_that_cannot_be_used(
    neo4j_config: Neo4jConfig, tmp_path: Path, change: dict[str, str], words: str
) -> None:
    config = RagforgeConfig(neo4j=neo4j_config.model_copy(update=change))
    check, client = await doctor.check_neo4j(config, tmp_path)
    assert client is None
    assert not check.ok
    assert words in check.detail
    assert check.hint


async def test_a_model_that_cannot_be_used() -> None:
    config = RagforgeConfig.model_validate({"llm": {"provider": "scripted", "model": "/nowhere.json"}})
    check = await doctor.check_model(config, QUIET)
    assert not check.ok


def test_embeddings_that_cannot_be_had(tmp_path: Path) -> None:
    named = RagforgeConfig.model_validate({"agent": {"memory": {"embeddings": {"provider": "gemini"}}}})
    check, embedder = doctor.check_embeddings(named, {}, tmp_path)
    assert embedder is None
    assert not check.ok
    assert check.hint == "set GEMINI_API_KEY"
    off = RagforgeConfig.model_validate({"agent": {"memory": {"embeddings": {"enabled": False}}}})
    check, _ = doctor.check_embeddings(off, {}, tmp_path)
    assert check.ok


def test_a_slip_in_the_configuration(tmp_path: Path) -> None:
    (tmp_path / "ragforge.config.yaml").write_text("agnet: {}\n")
    check = doctor.check_configuration(load_config(start=tmp_path, environ={}))
    assert not check.ok
    assert "did you mean agent?" in check.detail


def test_journals_of_the_dead_are_counted_and_those_of_the_living_are_not(tmp_path: Path) -> None:
    folder = tmp_path / "journal"
    assert doctor.check_journals(tmp_path).detail == "no turns wait to be stored"
    journal = Journal(folder)
    journal.begin(JournalTurn("graph", "", "", "conversation", "question", "answer", begun="2026-01-02"))
    assert journal_state(folder).waiting == {}
    (mine,) = folder.glob("*.jsonl")
    (folder / "dead.jsonl").write_text(mine.read_text())
    check = doctor.check_journals(tmp_path)
    assert check.detail.startswith("1 turn waits for graph since 2026-01-02; in ")

    # What the graph could not take waits, whether its process lives or not.
    journal.question("answer", {"content": "?"}, base=0, expected=1)
    journal.created(JournalCreation("other", "", "", "", "begun", begun="2026-01-01"))
    check = doctor.check_journals(tmp_path)
    assert check.ok
    assert "2 turns wait for graph since 2026-01-02; 1 new conversation waits for other" in check.detail
    journal.set_aside(journal.held.turns["answer"], "nobody wants it")
    check = doctor.check_journals(tmp_path)
    assert not check.ok
    assert "1 set aside in" in check.detail
    assert "(nobody wants it)" in check.detail
    journal.exists("begun")
    journal.close()


@pytest.mark.parametrize(
    ("moving", "ok", "words"),
    [
        (Moving("b", 4, None, 0, False, True), True, "moving from a (3) to b (4), they are being counted"),
        (Moving("b", 4, 100, 40, False, False), False, "moving from a (3) to b (4), 60 of 100 done; nobody is at it"),
    ],
)
def test_vectors_on_their_way_to_another_model(moving: Moving, ok: bool, words: str) -> None:
    check = doctor._moving(Space("a", 3, 1), moving)
    assert (check.ok, check.detail) == (ok, words)
    assert ok or "ragforge reembed" in (check.hint or "")


async def test_a_home_that_is_no_folder_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    told = doctor.check_disk(tmp_path / "file" / "home")
    assert (told.ok, told.detail) == (False, f"{tmp_path / 'file'} is not a folder")
    assert doctor.check_disk(tmp_path / "not there yet").ok


async def test_the_metrics_of_memory_set_off_alerts(client: GraphClient, owner: Owner) -> None:
    store = OperationStore(client, owner)
    assert await doctor.check_memory(client, owner) == doctor.Check("memory", True, "no tool of memory was called yet")
    metrics = Metrics()
    for number in range(30):
        result = {"status": "success"} if number % 3 else {"status": "error", "error_type": "invalid"}
        metrics.count("update_fact", result, 700.0 if number > 25 else 3.0)
    await metrics.flush(store)
    check = await doctor.check_memory(client, owner)
    assert not check.ok
    assert check.detail.startswith("30 calls of its tools; update_fact: 30, 67 % well, 95 % within 1000 ms; 0 wait; ")
    assert check.detail.endswith("; 10 x invalid")
    assert check.hint == "look at: success rate below 90 %, latency p95 above 500 ms, error rate above 5 %"
