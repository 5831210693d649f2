// A stretch of a conversation has one summary of a kind and level, whoever writes it first.
CREATE CONSTRAINT summary_uuid IF NOT EXISTS FOR (n:Summary) REQUIRE n.uuid IS UNIQUE;
CREATE CONSTRAINT summary_place IF NOT EXISTS FOR (n:Summary) REQUIRE (n.conversation_id, n.kind, n.level, n.from_seq) IS UNIQUE;

// An anchor is immutable: its key is a hash of (project, file, qualified name, kind, tokens).
CREATE CONSTRAINT code_anchor_uuid IF NOT EXISTS FOR (n:CodeAnchor) REQUIRE n.uuid IS UNIQUE;
CREATE CONSTRAINT code_anchor_key IF NOT EXISTS FOR (n:CodeAnchor) REQUIRE n.key IS UNIQUE;
CREATE INDEX code_anchor_file IF NOT EXISTS FOR (n:CodeAnchor) ON (n.project, n.file);
CREATE INDEX code_anchor_name IF NOT EXISTS FOR (n:CodeAnchor) ON (n.project, n.name);
CREATE INDEX code_anchor_qualified_name IF NOT EXISTS FOR (n:CodeAnchor) ON (n.project, n.qualified_name);
CREATE INDEX code_anchor_standing IF NOT EXISTS FOR (n:CodeAnchor) ON (n.project, n.at_file);
