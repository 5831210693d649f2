// Uniqueness by uuid for every label that has one. (conversation_id, seq) carries the order of a conversation and
// the range reads of a turn; it costs no more than a plain range index. Vector indexes need a dimension, so they
// are made with their embedding space, not here.
CREATE CONSTRAINT conversation_uuid IF NOT EXISTS FOR (n:Conversation) REQUIRE n.uuid IS UNIQUE;
CREATE CONSTRAINT conversation_session IF NOT EXISTS FOR (n:Conversation) REQUIRE (n.user_id, n.project, n.session_id) IS UNIQUE;
CREATE CONSTRAINT message_uuid IF NOT EXISTS FOR (n:Message) REQUIRE n.uuid IS UNIQUE;
CREATE CONSTRAINT message_seq IF NOT EXISTS FOR (n:Message) REQUIRE (n.conversation_id, n.seq) IS UNIQUE;
CREATE CONSTRAINT tool_call_uuid IF NOT EXISTS FOR (n:ToolCall) REQUIRE n.uuid IS UNIQUE;
CREATE CONSTRAINT tool_result_uuid IF NOT EXISTS FOR (n:ToolResult) REQUIRE n.uuid IS UNIQUE;
CREATE CONSTRAINT scope_uuid IF NOT EXISTS FOR (n:Scope) REQUIRE n.uuid IS UNIQUE;
CREATE CONSTRAINT file_uuid IF NOT EXISTS FOR (n:File) REQUIRE n.uuid IS UNIQUE;
CREATE CONSTRAINT project_uuid IF NOT EXISTS FOR (n:Project) REQUIRE n.uuid IS UNIQUE;
CREATE CONSTRAINT project_name IF NOT EXISTS FOR (n:Project) REQUIRE n.project IS UNIQUE;

// Lists of an owner's conversations, newest first; names of a project's scopes; what a file holds.
CREATE INDEX conversation_owner IF NOT EXISTS FOR (n:Conversation) ON (n.user_id, n.project, n.updated_at);
CREATE INDEX scope_name IF NOT EXISTS FOR (n:Scope) ON (n.project, n.name);
CREATE INDEX scope_qualified_name IF NOT EXISTS FOR (n:Scope) ON (n.project, n.qualified_name);
CREATE INDEX scope_file IF NOT EXISTS FOR (n:Scope) ON (n.project, n.file);
CREATE INDEX file_path IF NOT EXISTS FOR (n:File) ON (n.project, n.path);

// What waits for a vector, found without walking over other projects' backlogs: messages have a user, scopes a file.
CREATE INDEX pending_messages IF NOT EXISTS FOR (n:PendingEmbedding) ON (n.project, n.user_id);
CREATE INDEX pending_scopes IF NOT EXISTS FOR (n:PendingEmbedding) ON (n.project, n.file);

// Eventually consistent: a synchronous full-text index makes an append three times an empty write instead of two.
// The owner's token and the conversation's uuid are fields of the index, since full text knows no other filter.
CREATE FULLTEXT INDEX message_text_index IF NOT EXISTS FOR (n:Message)
ON EACH [n.content, n.terms, n.conversation_id, n.owner_token]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'english', `fulltext.eventually_consistent`: true}};
CREATE FULLTEXT INDEX conversation_text_index IF NOT EXISTS FOR (n:Conversation)
ON EACH [n.title, n.summary, n.owner_token]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'english', `fulltext.eventually_consistent`: true}};
CREATE FULLTEXT INDEX scope_text_index IF NOT EXISTS FOR (n:Scope)
ON EACH [n.name, n.qualified_name, n.terms, n.signature, n.docstring, n.project_token]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'english', `fulltext.eventually_consistent`: true}};
