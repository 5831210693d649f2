"""Probes for the statements on keys and users; see `probes`."""

from __future__ import annotations

from tests.owners.probes import Probe, Rows, nothing

_KEY = """
MATCH (m:Message {uuid: $b_question})
CREATE (:ApiKey {uuid: 'key of a probe', digest: 'd', user_id: m.user_id, project: m.project, scope: 'user', name: '',
  created_at: datetime()})
CREATE (:AuditRecord {uuid: 'record of a probe', project: m.project, action: 'read', whose: m.user_id, detail: '',
  at: datetime()})
"""

_NUMBER = 7_777
_USED = f"""
MATCH (m:Message {{uuid: $a_question}}), (x:Message {{uuid: $b_question}})
WHERE m.user_id <> x.user_id
MERGE (u:User {{user_id: x.user_id}})
SET u.plan = 'of a probe'
CREATE (:UsageDay {{uuid: 'day of a probe', user_id: x.user_id, project: '', day: '1970-01-01', turns: {_NUMBER}}})
"""

_COUNTED = """
MATCH (m:Message {uuid: $b_question})
CREATE (:MemoryCount {key: 'count of a probe', user_id: m.user_id, project: m.project, metric: 'calls', label: 'probe',
  number: 9})
CREATE (:PendingOperation {uuid: 'operation of a probe', user_id: m.user_id, project: m.project})
"""


def _nothing_counted(rows: Rows) -> bool:
    return rows[0]["counts"] == [] and rows[0]["waiting"] == 0


def _of_nobody_else(rows: Rows) -> bool:
    return not any(word in repr(rows) for word in ("of a probe", str(_NUMBER)))


KEYS: dict[str, list[Probe]] = {
    "api_keys": [Probe(lambda a, b: {"revoked": True}, expect=nothing, prepare=_KEY)],
    "api_key_of": [Probe(lambda a, b: {"uuid": "key of a probe"}, expect=nothing, prepare=_KEY)],
    "use_api_key": [Probe(lambda a, b: {"uuid": "key of a probe"}, expect=nothing, prepare=_KEY)],
    "revoke_api_key": [Probe(lambda a, b: {"uuid": "key of a probe"}, expect=nothing, prepare=_KEY)],
    "project_memory_counts": [Probe(lambda a, b: {}, expect=_nothing_counted, prepare=_COUNTED)],
    "audit_records": [Probe(lambda a, b: {"whose": None, "limit": 100}, expect=nothing, prepare=_KEY)],
}
"""Statements on what a project has, whichever user's it is."""

USERS: dict[str, list[Probe]] = {
    "user_context": [Probe(lambda a, b: {"days": 30}, expect=_of_nobody_else, prepare=_USED)],
    "usage_day": [Probe(lambda a, b: {"day": "1970-01-01"}, expect=_of_nobody_else, prepare=_USED)],
}
"""Statements on a user, in every project."""
