"""Another tool works on the same graph: what it takes away is noticed by the next ingest, and made up for."""

from __future__ import annotations

import pytest

from ragforge_memory.ingest.run import IngestProgress, ingest
from ragforge_memory.models.owner import Owner
from tests.anchors.conftest import Cypher, Repository, Run, Talk
from tests.anchors.test_following import DEPOSIT, INTEREST, REPORT, WITHDRAW, references

pytestmark = pytest.mark.anyio

# Scopes written anew, with the properties that such tools know.
ANEW = """
MATCH (s:Scope {project: $project})-[:DEFINED_IN]->(f), (s)-[:BELONGS_TO]->(p)
WITH s, f, p, s {.project, .name, .parent, .type, .file, .language, .startLine, .endLine, .source} AS known
DETACH DELETE s
CREATE (f)<-[:DEFINED_IN]-(t:Scope)-[:BELONGS_TO]->(p)
SET t = known, t.uuid = replace(randomUUID(), '-', '')
"""
TAKEN = {
    "all scopes": "MATCH (s:Scope {project: $project}) DETACH DELETE s",
    "scopes, written anew": ANEW,
    "files": "MATCH (f:File {project: $project}) DETACH DELETE f",
    "files and the project": "MATCH (n:File|Project {project: $project}) DETACH DELETE n",
    "uses": "MATCH (s:Scope {project: $project})-[r:CONSUMES]->() DELETE r",
    "the way to files": "MATCH (s:Scope {project: $project})-[r:DEFINED_IN]->() DELETE r",
    "what anchors stand on": "MATCH (a:CodeAnchor {project: $project})-[r:RESOLVES_TO]->() DELETE r",
    "references": "MATCH (m:Message {project: $project})-[r:REFERENCES_CODE]->() DELETE r",
}

REVISION = "MATCH (p:Project {project: $project}) RETURN p.revision AS revision"


def paths(cypher: Cypher) -> list[tuple[str, ...]]:
    """What leads from the scopes, by kind and ends; one of a kind between two."""
    rows = cypher(
        "MATCH (s:Scope {project: $project})-[r]->(t) "
        "RETURN s.qualified_name AS source, type(r) AS kind, coalesce(t.qualified_name, t.path, t.rootPath) AS target"
    )
    return sorted((row["source"], row["kind"], row["target"]) for row in rows)


async def statuses(talk: Talk) -> dict[str, str | None]:
    return {name: each.status for name, each in (await talk.labels()).items()}


async def test_labels_are_as_of_the_last_ingest_while_scopes_are_away(
    repository: Repository, run: Run, talk: Talk, cypher: Cypher
) -> None:
    message = await talk.say(DEPOSIT, REPORT, INTEREST, WITHDRAW)
    repository.edit("bank.py", ("self.balance += amount", "self.balance += amount + 1"), ("def report", "def listing"))
    repository.cut("bank.py", "def interest", "def listing")
    await run()
    before = await talk.labels()
    assert {name: (each.status, each.changed) for name, each in before.items()} == {
        DEPOSIT: ("drifted", True),
        REPORT: ("moved", False),
        INTEREST: ("orphaned", None),
        WITHDRAW: ("fresh", False),
    }
    cypher(TAKEN["all scopes"])

    lists = (
        await talk.references.of_conversation(talk.conversation_id),
        (await talk.references.of_messages([message]))[message],
        [tie.reference for tie in await talk.references.about("bank.py")],
        (await talk.messages.history(talk.conversation_id))[0].references,
    )

    kept = {name: each.model_copy(update={"scope_id": None, "now_line": None}) for name, each in before.items()}
    for told in lists:
        assert {each.qualified_name: each for each in told} == kept


async def test_what_is_taken_away_is_there_again(run: Run, talk: Talk, cypher: Cypher) -> None:
    await talk.say(DEPOSIT, REPORT, kind="read")
    await talk.say(DEPOSIT, INTEREST)
    before = references(cypher), paths(cypher)
    assert len(before[0]) == 4
    for taken, statement in TAKEN.items():
        cypher(statement)
        report = await run()
        assert (references(cypher), paths(cypher)) == before, taken
        assert set((await statuses(talk)).values()) == {"fresh"}, taken
        assert cypher("MATCH (s:Scope {project: $project}) RETURN count(*) AS n") == [{"n": report.scopes}], taken
        # It is made up for: nothing is read again.
        made_up_for = cypher(REVISION)
        assert (await run()).files_changed == 0, taken
        assert cypher(REVISION) == made_up_for, taken


async def test_other_edges_on_the_server_are_no_reason_to_write_anew(run: Run, talk: Talk, cypher: Cypher) -> None:
    before = cypher(REVISION)
    cypher(
        "MATCH (s:Scope {project: $project, qualified_name: $name}) CREATE (s)-[:CONSUMES]->(:Scope:Theirs)",
        name=REPORT,
    )

    for _ in range(2):
        assert (await run()).files_changed == 0

    assert cypher(REVISION) == before
    cypher("MATCH (:Scope {project: $project})-->(s:Theirs) DETACH DELETE s")


async def test_what_is_taken_away_while_an_ingest_runs_is_there_after_the_next(
    repository: Repository, run: Run, talk: Talk, cypher: Cypher, owner: Owner
) -> None:
    await talk.say(DEPOSIT, REPORT)
    before = references(cypher)
    repository.append("bank.py", "\n\ndef more():\n    return 1\n")

    def take(progress: IngestProgress) -> None:
        if progress.phase == "edges":
            cypher(TAKEN["all scopes"])

    await ingest(talk.client, repository.root, project=owner.project, progress=take)
    report = await run()

    assert report.scopes == report.added > 0
    assert references(cypher) == before
    assert set((await statuses(talk)).values()) == {"fresh"}


async def test_what_is_edited_while_its_file_is_away_is_compared(
    repository: Repository, run: Run, talk: Talk, cypher: Cypher
) -> None:
    await talk.say(DEPOSIT, REPORT)
    cypher(TAKEN["files"])
    repository.edit("bank.py", ("self.balance += amount", "self.balance += amount + 1"))

    report = await run()

    assert (report.added, report.removed) == (0, 0)
    assert await statuses(talk) == {DEPOSIT: "drifted", REPORT: "fresh"}


async def test_what_went_while_its_file_was_away_is_gone(
    repository: Repository, run: Run, talk: Talk, cypher: Cypher
) -> None:
    await talk.say(REPORT)
    cypher(TAKEN["files"])
    (repository.root / "bank.py").unlink()

    report = await run()

    assert report.scopes == 0
    assert cypher("MATCH (s:Scope {project: $project}) RETURN s.name AS name") == []
    assert await statuses(talk) == {REPORT: "orphaned"}
    assert (await run()).files_changed == 0


async def test_what_was_said_of_code_that_another_tool_had_brought_up_to_date_is_of_now(
    repository: Repository, run: Run, talk: Talk, cypher: Cypher
) -> None:
    before = await talk.say(DEPOSIT)
    edit = ("self.balance += amount", "self.balance += amount + 1")
    repository.edit("bank.py", edit)
    cypher(
        "MATCH (s:Scope {project: $project, qualified_name: $name}) "
        "SET s.source = '    ' + replace(s.source, $old, $new) + '\\n', s.hash = 'theirs'",
        name=DEPOSIT,
        old=edit[0],
        new=edit[1],
    )
    after = await talk.say(DEPOSIT, kind="read")
    await run()

    found = await talk.references.of_messages([before, after])

    assert [(each.kind, each.status) for each in found[before]] == [("discussed", "drifted")]
    assert [(each.kind, each.status, each.commit) for each in found[after]] == [("read", "fresh", None)]
    assert references(cypher) == {("discussed", "bank.py", DEPOSIT), ("read", "bank.py", DEPOSIT)}
