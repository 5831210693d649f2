"""One owner's small world in a real graph, at which every statement that writes finds something to write.

The uuids of a label are in another order than its nodes were made, said or read in: whoever locks them in any of these
orders is found.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import neo4j

from ragforge_memory.config import Neo4jConfig
from ragforge_memory.graph.queries import Statement, Version, parse_version, statement_for
from ragforge_memory.graph.text import owner_token
from tests.owners.probes import COMMON

Parameters = dict[str, Any]

# Of each label the names of what it has, in the order in which they are made, with the first sign of their uuids.
NAMES: dict[str, dict[str, int]] = {
    "Conversation": {"main": 4, "second": 1, "branch": 7, "gone": 5, "begun": 6, "also": 2, "emptied": 3},
    "Message": {
        **dict(zip(("m1", "m2", "m3", "m4", "m5", "m6", "m7"), (5, 1, 6, 2, 7, 3, 4), strict=True)),
        **dict(zip(("n1", "n2", "x1", "x2", "x3", "r1", "r2"), (9, 8, 3, 1, 2, 2, 1), strict=True)),
        "v1": 5,
        "v2": 4,
    },
    "ToolCall": {"k2": 2, "k4": 1, "kx": 3},
    "ToolResult": {"o2": 2, "o4": 1, "ox": 3},
    "Summary": {"s1": 3, "s2": 1, "sx": 2, "sy": 4},
    "Insight": {"i1": 2, "iy": 1},
    "Prompt": {"p1": 3, "p2": 1, "idle": 2},
    "Project": {"whole": 3, "resting": 1, "starting": 2},
    "File": {"prices": 2, "taxes": 1},
    "Memory": {"y1": 3, "y2": 1, "y3": 2, "y4": 5, "yx": 4, "yf": 2},
    "Document": {"d1": 2, "d2": 1},
    "Chunk": {"c1": 3, "c2": 1, "c3": 2},
    "MemoryOperation": {"w1": 2, "w2": 1, "w3": 3, "w4": 4},
    "Scope": {"f1": 3, "f2": 1, "f3": 2, "f4": 5, "f5": 4},
    "CodeAnchor": {"a1": 3, "a2": 1, "a3": 2, "a4": 4},
    "Erasure": {"e1": 1},
    "ApiKey": {"q1": 2, "q2": 1},
    "UsageDay": {"g1": 2, "g2": 1},
    "AuditRecord": {"u1": 1},
    "ProjectName": {"z1": 1},
}

# Nobody holds these yet: a MERGE makes them.
UNMADE: dict[str, tuple[str, ...]] = {"CodeAnchor": ("a6", "a5"), "Prompt": ("p8", "p7")}

DIMENSION = 3
VECTOR = [1.0, 0.0, 0.0]
TOKEN = "lease-of-locks"
STAMP = "2020-01-01T00:00:00Z"


@dataclass
class Ground:
    """The world's names and its server.

    Args:
        driver: the plain blocking driver.
        version: the server's.
        word: begins every uuid that is made here.
    """

    driver: neo4j.Driver
    version: Version
    word: str = field(default_factory=lambda: f"l{uuid4().hex[:10]}")
    unclaimed: str = ""
    """The element id of a scope that another tool made: without a uuid, of no project."""

    @property
    def user_id(self) -> str:
        """Whose world it is."""
        return f"user-{self.word}"

    @property
    def project(self) -> str:
        """The project that is being ingested, and whose vectors are being moved."""
        return f"project-{self.word}"

    @property
    def quiet(self) -> str:
        """A project that nobody ingests; its vectors have all been moved."""
        return f"quiet-{self.word}"

    @property
    def young(self) -> str:
        """A project whose first ingest has only begun."""
        return f"young-{self.word}"

    @property
    def model(self) -> str:
        """The model of the vectors of all three."""
        return f"model-{self.word}"

    def __getitem__(self, name: str) -> str:
        """The uuid of a name in `NAMES` or `UNMADE`."""
        for names in NAMES.values():
            if name in names:
                return f"{self.word}{names[name]}{name}"
        return f"{self.word}0{name}"

    def all(self, *names: str) -> list[str]:
        """The uuids of these names."""
        return [self[name] for name in names]

    def key(self, name: str) -> str:
        """The key of an anchor."""
        return f"{self.word}-key-{name}"

    def fresh(self) -> str:
        """A uuid that nobody has."""
        return f"{self.word}x{uuid4().hex}"

    def space(self, suffix: str = "") -> str:
        """The key of a space: of the project's, or with ``-next`` or ``-old`` of another."""
        return f"space/{self.model}{suffix}/{DIMENSION}"

    @property
    def keys(self) -> list[str]:
        """The keys of all nodes that keep books: a project's, a space's, the counter's, the schema's."""
        projects = [f"project/{name}" for name in (self.project, self.quiet, self.young)]
        return [*projects, *map(self.space, ("", "-next", "-old")), f"spaces/{self.word}", f"schema/{self.word}"]

    @property
    def names(self) -> dict[str, Any]:
        """All of the above by name, as parameters of a statement."""
        return {
            **{name: self[name] for names in NAMES.values() for name in names},
            **{f"key_{name}": self.key(name) for name in ("a1", "a2", "a3", "a4", "a5", "a6")},
            **{name: getattr(self, name) for name in ("word", "user_id", "project", "quiet", "young", "model")},
            "owner_token": owner_token(self.user_id, self.project),
            "token": TOKEN,
            "stamp": STAMP,
            "dimension": DIMENSION,
        }

    @property
    def common(self) -> Parameters:
        """What most statements take."""
        return {
            "user_id": self.user_id,
            "user": self.user_id,
            "project": self.project,
            "owner_token": owner_token(self.user_id, self.project),
            "space_model": self.model,
            "space_dimension": DIMENSION,
            "token": TOKEN,
            "seconds": 3_600,
            "lease": 3_600_000,
        }

    def sent(self, name: str, parameters: Parameters) -> tuple[str, Parameters]:
        """A statement's text and its parameters as they are sent; it keeps books of this world alone."""
        statement: Statement = statement_for(name, self.version)
        text = statement.nested.filled({"type": "CONSUMES", "index": "none", "property": "none", "dimension": "3"})
        for one in ("spaces", "schema"):
            text = text.replace(f"'{one}'", f"'{one}/{self.word}'")
        return text, statement.given({**COMMON, **self.common, **parameters})


@contextmanager
def grounds(config: Neo4jConfig) -> Iterator[Ground]:
    """Makes a world and takes it away afterwards."""
    login = (config.username or "neo4j", config.password)
    with neo4j.GraphDatabase.driver(
        config.uri, auth=login, notifications_min_severity="OFF", max_connection_pool_size=200
    ) as driver:
        ground = Ground(driver, parse_version(driver.get_server_info().agent.rpartition("/")[2]))
        try:
            create(ground)
            yield ground
        finally:
            remove(ground)


def create(ground: Ground) -> None:
    """Makes the world."""
    with ground.driver.session(database="neo4j") as session, session.begin_transaction() as transaction:
        for part in (_CODE, _TALKS, _TIES, _BOOKS):
            row = transaction.run(part, ground.names).single(strict=True)
            ground.unclaimed = row["unclaimed"] or ground.unclaimed


def remove(ground: Ground) -> None:
    """Takes the world away, and what has been made in it."""
    with ground.driver.session(database="neo4j") as session, session.begin_transaction() as transaction:
        transaction.run(_REMOVE, ground.names | {"unclaimed": ground.unclaimed}).consume()


# A label that was set in the same transaction goes first, see `tests.owners.graph`.
_REMOVE = (
    "CALL () {"
    + " UNION ".join(f"MATCH (n:{label}) WHERE n.uuid STARTS WITH $word RETURN n" for label in NAMES)
    + """
    UNION MATCH (n:CodeAnchor) WHERE n.key STARTS WITH $word RETURN n
    UNION MATCH (:User {user_id: 'user-' + $word})-[:HAS_MEMORY]->(m:Memory) OPTIONAL MATCH (m)-[:HAS_VERSION]->(v)
      UNWIND [m, v] AS n WITH n WHERE n IS NOT NULL RETURN n
    UNION MATCH (n:MemoryQueue|MemoryCount) WHERE n.key STARTS WITH $word OR n.owner_token = $owner_token RETURN n
    UNION MATCH (n:UsageDay) WHERE n.user_id = 'user-' + $word RETURN n
    UNION MATCH (n:User) WHERE n.user_id = 'user-' + $word RETURN n
    UNION MATCH (n:RagforgeMeta) WHERE n.key CONTAINS $word RETURN n
    UNION MATCH (n) WHERE elementId(n) = $unclaimed RETURN n
    }
    REMOVE n:PendingEmbedding:PendingReembedding:PendingSummary:PendingExtraction:AgingMemory DETACH DELETE n
    """
)

_CODE = """
CREATE (p:Project {uuid: $whole, project: $project, name: $project, rootPath: '/somewhere/' + $project, revision: 1,
    ingest_token: $token, ingest_holder: 'h', ingest_until: datetime() + duration('PT1H'), head_commit: 'c',
    uncommitted_files: [], untied_since: datetime($stamp), finished_at: datetime($stamp)}),
  (:Project {uuid: $resting, project: $quiet, name: $quiet, rootPath: '/somewhere/' + $quiet, revision: 1}),
  (:Project {uuid: $starting, project: $young, name: $young, rootPath: '/somewhere/' + $young, revision: 0,
    ingest_token: $token, ingest_until: datetime() + duration('PT1H')}),
  (prices:File {uuid: $prices, path: 'prices.py', hash: 'h'})-[:BELONGS_TO]->(p),
  (taxes:File {uuid: $taxes, path: 'taxes.py', hash: 'h'})-[:BELONGS_TO]->(p),
  (f1:Scope:PendingEmbedding:PendingReembedding {uuid: $f1, key: 'k1', name: 'one', anchor_key: $key_a1,
    body_hash: 'b1', file: 'prices.py', startLine: 1, hash: 'h1'}),
  (f2:Scope:PendingEmbedding:PendingReembedding {uuid: $f2, key: 'k2', name: 'two', anchor_key: $key_a2,
    body_hash: 'b2', file: 'prices.py', startLine: 3, hash: 'h2'}),
  (f3:Scope {uuid: $f3, key: 'k3', name: 'three', body_hash: 'b3', file: 'taxes.py', startLine: 1, hash: 'h3'}),
  (f4:Scope {uuid: $f4, key: 'k4', name: 'four', anchor_key: $key_a6, body_hash: 'b4', file: 'taxes.py',
    startLine: 3, hash: 'h4'}),
  (f5:Scope {uuid: $f5, key: 'k5', name: 'five', anchor_key: $key_a5, body_hash: 'b5', file: 'taxes.py',
    startLine: 5, hash: 'h5'}),
  (f1)-[:CONSUMES {lines: [2]}]->(f2), (f2)-[:CONSUMES {lines: [4]}]->(f3), (f3)-[:HAS_PARENT {lines: []}]->(f1),
  (f1)-[:DEFINED_IN]->(prices), (f2)-[:DEFINED_IN]->(prices), (f3)-[:DEFINED_IN]->(taxes),
  (a1:CodeAnchor {uuid: $a1, key: $key_a1, scope_key: 'k1', body_hash: 'b1', status: 'fresh'})
    -[:RESOLVES_TO {status: 'fresh'}]->(f1),
  (a2:CodeAnchor {uuid: $a2, key: $key_a2, scope_key: 'k2', body_hash: 'b2', status: 'fresh'})
    -[:RESOLVES_TO {status: 'fresh'}]->(f2),
  (a3:CodeAnchor:LooseAnchor {uuid: $a3, key: $key_a3, scope_key: 'k3', body_hash: 'b3', status: 'orphaned'}),
  (a4:CodeAnchor:LooseAnchor {uuid: $a4, key: $key_a4, scope_key: 'k3', body_hash: 'b3', status: 'fresh'})
    -[:RESOLVES_TO {status: 'fresh'}]->(f3),
  (unclaimed:Scope {name: 'unclaimed', file: $word + '.py'})
FOREACH (n IN [prices, taxes, f1, f2, f3, f4, f5, a1, a2, a3, a4] | SET n.project = $project)
FOREACH (s IN [f1, f2, f3, f4, f5] | SET s.qualified_name = s.name, s.type = 'function', s.project_token = $word)
FOREACH (a IN [a1, a2, a3, a4] | SET a.file = 'prices.py', a.at_file = 'prices.py', a.name = 'one', a.sketch = '',
  a.qualified_name = 'one', a.kind = 'function', a.at_key = a.scope_key, a.start_line = 1)
RETURN elementId(unclaimed) AS unclaimed
"""

_TALKS = """
CREATE (main:Conversation:PendingSummary:PendingEmbedding:PendingReembedding {uuid: $main, session_id: $main,
    head_seq: 7, message_count: 7, title_source: 'provisional', summary: 'said', summary_seq: 4, summarized_seq: 4,
    summary_token: $token, summary_until: datetime() + duration('PT1H'), insight_token: $token,
    insight_until: datetime() + duration('PT1H')}),
  (second:Conversation:PendingEmbedding:PendingReembedding {uuid: $second, head_seq: 2, message_count: 2,
    asked_again_by: $second}),
  (main)-[:HAS_BRANCH {from_seq: 4}]->(branch:Conversation {uuid: $branch, head_seq: 4, message_count: 0,
    lineage_ids: [$main], lineage_tops: [4]}),
  (gone:Conversation {uuid: $gone, head_seq: 3, message_count: 3}),
  (begun:Conversation {uuid: $begun, head_seq: 2, message_count: 2}),
  (also:Conversation {uuid: $also, head_seq: 0, message_count: 0}),
  (emptied:Conversation {uuid: $emptied, head_seq: 2, message_count: 2})
FOREACH (c IN [main, second, branch, gone, begun, also, emptied] | SET c.user_id = $user_id, c.project = $project,
  c.tags = [], c.owner_token = $owner_token, c.title = 'Prices', c.status = 'active', c.created_at = datetime(),
  c.updated_at = datetime($stamp))
FOREACH (c IN [gone, emptied, begun, also] | SET c.status = 'deleting')
FOREACH (c IN [begun, also] | SET c.import_token = $token, c.import_step = 0,
  c.import_until = datetime() + duration('PT1H'))
WITH main, second, gone, begun
UNWIND [[main, [$m1, $m2, $m3, $m4, $m5, $m6, $m7]], [second, [$n1, $n2]], [gone, [$x1, $x2, $x3]], [begun, [$r1, $r2]]]
  AS talk
UNWIND range(0, size(talk[1]) - 1) AS i
WITH talk[0] AS c, talk[1][i] AS uuid, i
CREATE (c)-[:HAS_MESSAGE]->(m:Message {uuid: uuid, conversation_id: c.uuid, seq: i + 1, content: 'said',
  state: 'complete', user_id: $user_id, project: $project, owner_token: $owner_token, timestamp: datetime($stamp),
  source_hash: 'some', role: CASE WHEN uuid IN [$m2, $m4, $n2, $x2, $r2] THEN 'assistant' ELSE 'user' END,
  in_reply_to: CASE uuid WHEN $m2 THEN $m1 WHEN $m4 THEN $m3 WHEN $n2 THEN $n1 WHEN $x2 THEN $x1 WHEN $r2 THEN $r1 END})
FOREACH (_ IN CASE WHEN uuid IN [$m1, $m3, $m4] THEN [1] ELSE [] END | SET m:PendingEmbedding:PendingReembedding)
FOREACH (_ IN CASE WHEN uuid = $m3 THEN [1] ELSE [] END | SET m:Important)
FOREACH (_ IN CASE WHEN uuid IN [$m2, $m4] THEN [1] ELSE [] END | SET m:PendingToolMemory)
FOREACH (_ IN CASE WHEN uuid IN [$m1, $m4, $m7] THEN [1] ELSE [] END |
  SET m:PendingExtraction, m.extract_token = $token, m.extract_until = datetime($stamp))
FOREACH (_ IN CASE WHEN uuid = $m7 THEN [1] ELSE [] END | SET m.state = 'unanswered')
FOREACH (_ IN CASE WHEN uuid = $x2 THEN [1] ELSE [] END | SET m.receipt = $p1)
RETURN count(*) AS messages, null AS unclaimed
"""

_TIES = """
MATCH (main:Conversation {uuid: $main}), (second:Conversation {uuid: $second}), (gone:Conversation {uuid: $gone}),
  (emptied:Conversation {uuid: $emptied}),
  (m1:Message {uuid: $m1}), (m2:Message {uuid: $m2}), (m3:Message {uuid: $m3}), (m4:Message {uuid: $m4}),
  (n2:Message {uuid: $n2}), (x1:Message {uuid: $x1}), (x2:Message {uuid: $x2}), (f1:Scope {uuid: $f1}),
  (f2:Scope {uuid: $f2}), (a1:CodeAnchor {uuid: $a1}), (a2:CodeAnchor {uuid: $a2}), (a3:CodeAnchor {uuid: $a3})
CREATE (m2)-[:MADE_TOOL_CALL]->(k2:ToolCall {uuid: $k2, index: 0, tool_name: 'look'})
    -[:PRODUCED_RESULT]->(:ToolResult {uuid: $o2, result: 'seen'}),
  (m4)-[:MADE_TOOL_CALL]->(k4:ToolCall {uuid: $k4, index: 0, tool_name: 'look'})
    -[:PRODUCED_RESULT]->(:ToolResult {uuid: $o4, result: 'seen'}),
  (x2)-[:MADE_TOOL_CALL]->(kx:ToolCall {uuid: $kx, index: 0, tool_name: 'look'})
    -[:PRODUCED_RESULT]->(:ToolResult {uuid: $ox, result: 'seen'}),
  // what somebody wrote past this library
  (second)-[:HAS_MESSAGE]->(:Message {uuid: $v1, seq: 0, role: 'user', content: 'said', timestamp: datetime($stamp)}),
  (second)-[:HAS_MESSAGE]->(:Message {uuid: $v2, seq: 0, role: 'user', content: 'said', timestamp: datetime($stamp)}),
  (k2)-[:READ {hash: 'h1'}]->(a1), (kx)-[:READ {hash: 'h2'}]->(a2),
  (main)-[:HAS_SUMMARY]->(s1:Summary:PendingEmbedding:PendingReembedding {uuid: $s1, conversation_id: $main,
    from_seq: 1, to_seq: 2}),
  (main)-[:HAS_SUMMARY]->(s2:Summary:PendingEmbedding:PendingReembedding {uuid: $s2, conversation_id: $main,
    from_seq: 3, to_seq: 4}),
  (gone)-[:HAS_SUMMARY]->(sx:Summary {uuid: $sx, conversation_id: $gone, from_seq: 1, to_seq: 2}),
  (emptied)-[:HAS_SUMMARY]->(sy:Summary {uuid: $sy, conversation_id: $emptied, from_seq: 1, to_seq: 2}),
  (s1)-[:SUMMARIZES]->(m1), (s1)-[:SUMMARIZES]->(m2), (s2)-[:SUMMARIZES]->(m3), (s2)-[:SUMMARIZES]->(m4),
  (sx)-[:SUMMARIZES]->(x1), (sx)-[:SUMMARIZES]->(x2),
  (m2)-[:ANCHORED_AT]->(a1), (m2)-[:REFERENCES_CODE]->(f1), (m4)-[:ANCHORED_AT]->(a2), (m4)-[:REFERENCES_CODE]->(f2),
  (n2)-[:ANCHORED_AT]->(a1), (n2)-[:REFERENCES_CODE]->(f1), (x2)-[:ANCHORED_AT]->(a1), (x2)-[:ANCHORED_AT]->(a3),
  (x2)-[:REFERENCES_CODE]->(f1),
  (x2)-[:USED_CONTEXT {rank: 0}]->(x1), (x2)-[:USED_CONTEXT {rank: 1}]->(m1), (x2)-[:USED_CONTEXT {rank: 2}]->(s1),
  (m4)-[:USED_CONTEXT {rank: 0}]->(x2), (m4)-[:USED_CONTEXT {rank: 1}]->(sx), (m4)-[:USED_CONTEXT {rank: 2}]->(sy),
  (main)-[:HAS_INSIGHT]->(i1:Insight {uuid: $i1, conversation_id: $main, key: 'topics', to_seq: 2}),
  (emptied)-[:HAS_INSIGHT]->(iy:Insight {uuid: $iy, conversation_id: $emptied, key: 'topics', to_seq: 2}),
  (user:User {user_id: $user_id}), (:Erasure:PendingErasure {uuid: $e1, who: $user_id + ' who is gone',
    begun_at: datetime(), holder: 'here'}),  // agents of other tests end erasures that nobody holds
  (user)-[:HAS_MEMORY]->(y1:Memory {uuid: $y1})-[:DERIVED_FROM]->(m1), (y1)-[:ABOUT]->(a1),
  (user)-[:HAS_MEMORY]->(y2:Memory {uuid: $y2})-[:DERIVED_FROM]->(m3), (y2)-[:ABOUT]->(a2),
  (user)-[:HAS_MEMORY]->(y3:Memory:Standing {uuid: $y3})-[:DERIVED_FROM]->(m2), (y3)-[:ABOUT]->(a1),
  (user)-[:HAS_MEMORY]->(yx:Memory {uuid: $yx})-[:DERIVED_FROM]->(x1), (yx)-[:ABOUT]->(a1), (y2)-[:SUPERSEDED_BY]->(yx),
  (user)-[:HAS_MEMORY]->(y4:Memory {uuid: $y4})-[:DERIVED_FROM]->(m4), (y4)-[:ABOUT]->(a2), (y4)-[:ABOUT]->(a1),
  (m2)-[:USED_CONTEXT]->(y4), (m3)-[:CORRECTS {how: 'corrects'}]->(m1),
  (user)-[:HAS_MEMORY]->(yf:Memory {uuid: $yf})-[:DERIVED_FROM]->(m1), (y2)-[:SUPERSEDED_BY]->(yf),
  (d1:Document {uuid: $d1})-[:HAS_CHUNK]->(c1:Chunk:PendingEmbedding:PendingReembedding {uuid: $c1}),
  (d1)-[:HAS_CHUNK]->(c2:Chunk:PendingEmbedding:PendingReembedding {uuid: $c2}),
  (d2:Document {uuid: $d2})-[:HAS_CHUNK]->(c3:Chunk {uuid: $c3}),
  (p1:Prompt {uuid: $p1}), (p2:Prompt {uuid: $p2}), (idle:Prompt {uuid: $idle}), (main)-[:USED_PROMPT]->(p1),
  (second)-[:USED_PROMPT]->(p1), (second)-[:USED_PROMPT]->(p2),
  (emptied)-[:USED_PROMPT]->(p1), (emptied)-[:USED_PROMPT]->(p2)
FOREACH (n IN [s1, s2, sx, sy, i1, iy, p1, p2, idle, d1, d2, c1, c2, c3] |
  SET n.user_id = $user_id, n.project = $project, n.created_at = datetime($stamp), n.content = 'said')
CREATE (:MemoryQueue {owner_token: $owner_token, number: 3}),
  (:UsageDay {uuid: $g1, user_id: $user_id, project: '', day: '2020-01-01', turns: 1, input_tokens: 1, output_tokens: 1,
    cost_usd: 0.0, lately: [], created_at: datetime($stamp)}),
  (:UsageDay {uuid: $g2, user_id: $user_id, project: '', day: '2020-01-02', created_at: datetime($stamp)}),
  (:AuditRecord {uuid: $u1, project: $project, at: datetime($stamp)})
FOREACH (uuid IN [$q1, $q2] | CREATE (:ApiKey {uuid: uuid, user_id: $user_id, project: $project, digest: 'd',
  created_at: datetime($stamp)}))
FOREACH (uuid IN [$w1, $w2, $w3] | CREATE (:MemoryOperation:PendingOperation {uuid: uuid, user_id: $user_id,
  project: $project, number: 1, tool: 'forget_fact', arguments: '{}', source: '{}', status: 'running', attempts: 0,
  token: $word + ' worker', holder: 'here', lease_until: datetime(), created_at: datetime()}))
CREATE (:MemoryOperation {uuid: $w4, user_id: $user_id, project: $project, status: 'done', ended_at: datetime($stamp)})
SET y1:Fact, y2:Fact, y3:Episode, y1.fact_key = $word + ' key of y1', y2.fact_key = $word + ' key of y2'
SET y4.tier = 'short', y4.expires_at = datetime($stamp), y3.tier = 'long', y3.importance = 0.1, y4.use_count = 0
FOREACH (y IN [y3, y4] | SET y:AgingMemory, y.due_at = datetime($stamp), y.source = 'controller', y.user_id = $user_id,
  y.project = $project, y.is_active = true, y.created_at = datetime($stamp))
FOREACH (y IN [y1, y2, y3, yx] | SET y.user_id = $user_id, y.project = $project, y.is_active = true, y.kind = 'note',
  y.content = 'said', y.words_key = $word, y.order_key = y.uuid, y.value = 'before', y.created_at = datetime($stamp))
FOREACH (y IN [y1, y2, y3] | SET y:PendingEmbedding:PendingReembedding)
SET yx:Episode, yx.source = 'topic'
SET yf.user_id = $user_id, yf.project = $project, yf.kind = 'note', yf.is_active = false, yf.content = 'forgotten'
FOREACH (s IN [s1, s2, sx, sy] | SET s.kind = 'rolling', s.level = 1)
WITH [m2, m4, n2, x2] AS tied
UNWIND tied AS m
MATCH (m)-[tie:ANCHORED_AT|REFERENCES_CODE]->()
SET tie.kind = 'read', tie.scope_hash = 'h0'
RETURN count(*) AS ties, null AS unclaimed
"""

_BOOKS = """
CREATE (:RagforgeMeta {key: 'schema/' + $word, schema_version: 1, lease_token: $token,
    lease_until: datetime() + duration('PT1H')}),
  (:RagforgeMeta {key: 'spaces/' + $word, count: 3}),
  (:ProjectName {uuid: $z1, name: $z1, project: $project, roots: ['/somewhere'], insides: [''], remotes: [''],
    first_commits: [''], named_at: datetime($stamp)}),
  (one:RagforgeMeta {model: $model, number: 1, ready: true}), (next:RagforgeMeta {model: $model + '-next', number: 2}),
  (old:RagforgeMeta {model: $model + '-old', number: 3, retired: true}),
  (moving:RagforgeMeta {key: 'project/' + $project, project: $project, clearing: ['none', 'space/none/3']}),
  (moved:RagforgeMeta {key: 'project/' + $quiet, project: $quiet}),
  (still:RagforgeMeta {key: 'project/' + $young, project: $young})
FOREACH (s IN [one, next, old] | SET s.dimension = $dimension, s.key = 'space/' + s.model + '/' + $dimension)
FOREACH (p IN [moving, moved, still] | SET p.model = $model, p.dimension = $dimension)
FOREACH (p IN [moving, moved] | SET p.next_model = $model + '-next', p.next_dimension = $dimension,
  p.reembed_token = $token, p.reembed_until = datetime() + duration('PT1H'), p.reembed_listed = true)
RETURN null AS unclaimed
"""
