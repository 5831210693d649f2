// A conversation has one insight of a task with its schema, whoever writes it first; `key` is a hash of both.
CREATE CONSTRAINT insight_uuid IF NOT EXISTS FOR (n:Insight) REQUIRE n.uuid IS UNIQUE;
CREATE CONSTRAINT insight_key IF NOT EXISTS FOR (n:Insight) REQUIRE (n.conversation_id, n.key) IS UNIQUE;
// An owner's insights, newest first.
CREATE INDEX insight_owner IF NOT EXISTS FOR (n:Insight) ON (n.user_id, n.project, n.created_at);
