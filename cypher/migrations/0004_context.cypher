// What every turn of an owner has in its prompt alike (instructions, tools) is kept once, by a hash of its text.
CREATE CONSTRAINT prompt_uuid IF NOT EXISTS FOR (n:Prompt) REQUIRE n.uuid IS UNIQUE;
CREATE INDEX prompt_owner IF NOT EXISTS FOR (n:Prompt) ON (n.user_id, n.project);

// Decisions, errors and what was marked, of one conversation, newest first, without walking over the rest of it.
CREATE INDEX important_messages IF NOT EXISTS FOR (n:Important) ON (n.conversation_id, n.seq);
