// name: project_health
// What doctor shows of a project, in one read. Labels say what waits or failed, so no vector is looked at; scopes that
// never waited (RagForge's own tools made them) are told by their property.
OPTIONAL MATCH (p:Project)
WHERE p.project = $project
RETURN coalesce(p.root, p.rootPath) AS root, p.head_commit AS commit, p.ingest_incomplete AS incomplete,
  COUNT { MATCH (s:Scope) WHERE s.project = $project AND s.file IS NOT NULL } AS scopes,
  COUNT { MATCH (s:Scope) WHERE s.project = $project AND s.file IS NOT NULL AND s[$property] IS NOT NULL } AS embedded,
  COUNT { MATCH (s:PendingEmbedding:Scope) WHERE s.project = $project AND s.file IS NOT NULL } AS pending_scopes,
  COUNT { MATCH (s:FailedEmbedding:Scope) WHERE s.project = $project } AS failed_scopes,
  COUNT { MATCH (m:PendingEmbedding:Message) WHERE m.user_id = $user_id AND m.project = $project } AS pending_messages,
  COUNT { MATCH (m:FailedEmbedding:Message) WHERE m.user_id = $user_id AND m.project = $project } AS failed_messages

// name: last_ingest
// As of when the labels of code are: every statement on them is as old as the last ingest.
MATCH (p:Project)
WHERE p.project = $project AND p.indexedAt IS NOT NULL
RETURN p.head_commit AS commit, toString(p.indexedAt) AS at
