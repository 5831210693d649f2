// Every constraint and index but those of vectors, which need a dimension and are made with their embedding space. Each
// ends with a semicolon and can be run twice. After a change of this file a graph that has the schema lacks something:
// raise SCHEMA in graph/schema.py with it.

// Alone, before all others: whoever makes them claims that by this key.
CREATE CONSTRAINT ragforge_meta_key IF NOT EXISTS FOR (n:RagforgeMeta) REQUIRE n.key IS UNIQUE;

// Uniqueness by uuid for every label that has one.
CREATE CONSTRAINT conversation_uuid IF NOT EXISTS FOR (n:Conversation) REQUIRE n.uuid IS UNIQUE;
CREATE CONSTRAINT message_uuid IF NOT EXISTS FOR (n:Message) REQUIRE n.uuid IS UNIQUE;
CREATE CONSTRAINT tool_call_uuid IF NOT EXISTS FOR (n:ToolCall) REQUIRE n.uuid IS UNIQUE;
CREATE CONSTRAINT tool_result_uuid IF NOT EXISTS FOR (n:ToolResult) REQUIRE n.uuid IS UNIQUE;
CREATE CONSTRAINT summary_uuid IF NOT EXISTS FOR (n:Summary) REQUIRE n.uuid IS UNIQUE;
CREATE CONSTRAINT insight_uuid IF NOT EXISTS FOR (n:Insight) REQUIRE n.uuid IS UNIQUE;
CREATE CONSTRAINT prompt_uuid IF NOT EXISTS FOR (n:Prompt) REQUIRE n.uuid IS UNIQUE;
CREATE CONSTRAINT scope_uuid IF NOT EXISTS FOR (n:Scope) REQUIRE n.uuid IS UNIQUE;
CREATE CONSTRAINT file_uuid IF NOT EXISTS FOR (n:File) REQUIRE n.uuid IS UNIQUE;
CREATE CONSTRAINT project_uuid IF NOT EXISTS FOR (n:Project) REQUIRE n.uuid IS UNIQUE;
CREATE CONSTRAINT project_name_uuid IF NOT EXISTS FOR (n:ProjectName) REQUIRE n.uuid IS UNIQUE;
CREATE CONSTRAINT code_anchor_uuid IF NOT EXISTS FOR (n:CodeAnchor) REQUIRE n.uuid IS UNIQUE;
CREATE CONSTRAINT memory_uuid IF NOT EXISTS FOR (n:Memory) REQUIRE n.uuid IS UNIQUE;
CREATE CONSTRAINT fact_version_uuid IF NOT EXISTS FOR (n:FactVersion) REQUIRE n.uuid IS UNIQUE;
CREATE CONSTRAINT memory_operation_uuid IF NOT EXISTS FOR (n:MemoryOperation) REQUIRE n.uuid IS UNIQUE;
CREATE CONSTRAINT document_uuid IF NOT EXISTS FOR (n:Document) REQUIRE n.uuid IS UNIQUE;
CREATE CONSTRAINT chunk_uuid IF NOT EXISTS FOR (n:Chunk) REQUIRE n.uuid IS UNIQUE;
CREATE CONSTRAINT erasure_uuid IF NOT EXISTS FOR (n:Erasure) REQUIRE n.uuid IS UNIQUE;
CREATE CONSTRAINT usage_day_uuid IF NOT EXISTS FOR (n:UsageDay) REQUIRE n.uuid IS UNIQUE;
CREATE CONSTRAINT api_key_uuid IF NOT EXISTS FOR (n:ApiKey) REQUIRE n.uuid IS UNIQUE;
CREATE CONSTRAINT audit_record_uuid IF NOT EXISTS FOR (n:AuditRecord) REQUIRE n.uuid IS UNIQUE;

// (conversation_id, seq) carries the order of a conversation and the range reads of a turn; it costs no more than a
// plain range index. A stretch of a conversation has one summary of a kind and level, and a conversation one insight of
// a task with its schema (`key` is a hash of both), whoever writes it first. An anchor is immutable: its key is a hash of
// (project, file, qualified name, kind, tokens).
CREATE CONSTRAINT conversation_session IF NOT EXISTS FOR (n:Conversation) REQUIRE (n.user_id, n.project, n.session_id) IS UNIQUE;
CREATE CONSTRAINT message_seq IF NOT EXISTS FOR (n:Message) REQUIRE (n.conversation_id, n.seq) IS UNIQUE;
CREATE CONSTRAINT summary_place IF NOT EXISTS FOR (n:Summary) REQUIRE (n.conversation_id, n.kind, n.level, n.from_seq) IS UNIQUE;
CREATE CONSTRAINT insight_key IF NOT EXISTS FOR (n:Insight) REQUIRE (n.conversation_id, n.key) IS UNIQUE;
CREATE CONSTRAINT project_name IF NOT EXISTS FOR (n:Project) REQUIRE n.project IS UNIQUE;
CREATE CONSTRAINT name_of_project IF NOT EXISTS FOR (n:ProjectName) REQUIRE n.name IS UNIQUE;
CREATE CONSTRAINT code_anchor_key IF NOT EXISTS FOR (n:CodeAnchor) REQUIRE n.key IS UNIQUE;
// A fact is one of its type and key (`fact_key` is a hash of both and of its owner). Memories of a user are written one
// after another, under the lock of the user.
CREATE CONSTRAINT memory_fact_key IF NOT EXISTS FOR (n:Memory) REQUIRE n.fact_key IS UNIQUE;
CREATE CONSTRAINT memory_queue_owner IF NOT EXISTS FOR (n:MemoryQueue) REQUIRE n.owner_token IS UNIQUE;
CREATE CONSTRAINT memory_count_key IF NOT EXISTS FOR (n:MemoryCount) REQUIRE n.key IS UNIQUE;
CREATE CONSTRAINT user_id IF NOT EXISTS FOR (n:User) REQUIRE n.user_id IS UNIQUE;
CREATE CONSTRAINT usage_day IF NOT EXISTS FOR (n:UsageDay) REQUIRE (n.user_id, n.day) IS UNIQUE;

// An owner's conversations and insights, newest first, and what every turn of an owner has in its prompt alike.
CREATE INDEX conversation_owner IF NOT EXISTS FOR (n:Conversation) ON (n.user_id, n.project, n.updated_at);
CREATE INDEX insight_owner IF NOT EXISTS FOR (n:Insight) ON (n.user_id, n.project, n.created_at);
CREATE INDEX prompt_owner IF NOT EXISTS FOR (n:Prompt) ON (n.user_id, n.project);

// What must not get lost of a conversation, and an owner's notes, decisions, rules and things to do, newest first,
// without walking over the rest.
CREATE INDEX important_messages IF NOT EXISTS FOR (n:Important) ON (n.conversation_id, n.seq);
CREATE INDEX decisions_of_conversation IF NOT EXISTS FOR (n:Decision) ON (n.conversation_id, n.seq);
CREATE INDEX decisions_of_owner IF NOT EXISTS FOR (n:Decision) ON (n.user_id, n.project, n.timestamp);

// An owner's memories, newest first; those that stand in every prompt, the most important first; what says the same in
// whatever order (`words_key`); messages that are to become memories, and answers with tool calls; calls that failed.
CREATE INDEX memory_owner IF NOT EXISTS FOR (n:Memory) ON (n.user_id, n.project, n.created_at);
CREATE INDEX memory_words IF NOT EXISTS FOR (n:Memory) ON (n.words_key);
CREATE INDEX standing_owner IF NOT EXISTS FOR (n:Standing) ON (n.user_id, n.project, n.importance);
CREATE INDEX operations_of_memory IF NOT EXISTS FOR (n:MemoryOperation) ON (n.memory_id);
CREATE INDEX pending_operations IF NOT EXISTS FOR (n:PendingOperation) ON (n.user_id, n.project, n.number);
CREATE INDEX memory_counts IF NOT EXISTS FOR (n:MemoryCount) ON (n.user_id, n.project);
CREATE INDEX claimed_operations IF NOT EXISTS FOR (n:PendingOperation) ON (n.token);
CREATE INDEX ended_operations IF NOT EXISTS FOR (n:MemoryOperation) ON (n.user_id, n.project, n.ended_at);
CREATE INDEX pending_memories IF NOT EXISTS FOR (n:PendingMemory) ON (n.user_id, n.project);
CREATE INDEX pending_tool_memories IF NOT EXISTS FOR (n:PendingToolMemory) ON (n.user_id, n.project);
CREATE INDEX tool_failure_owner IF NOT EXISTS FOR (n:ToolFailure) ON (n.user_id, n.project, n.created_at);

// An owner's documents by source, and its chunks, which servers without filters in a vector index compare one by one.
CREATE INDEX document_owner IF NOT EXISTS FOR (n:Document) ON (n.user_id, n.project, n.source);
CREATE INDEX chunk_owner IF NOT EXISTS FOR (n:Chunk) ON (n.user_id, n.project);

// Messages that may say something to be remembered; what was only noted and grows old, the longest due first.
CREATE INDEX pending_extractions IF NOT EXISTS FOR (n:PendingExtraction) ON (n.user_id, n.project);
CREATE INDEX aging_memories IF NOT EXISTS FOR (n:AgingMemory) ON (n.user_id, n.project, n.due_at);

// The names that lead to a project.
CREATE INDEX names_of_project IF NOT EXISTS FOR (n:ProjectName) ON (n.project);

// A project's API keys, and what was done with them, the newest first.
CREATE INDEX api_keys IF NOT EXISTS FOR (n:ApiKey) ON (n.project, n.created_at);
CREATE INDEX audit_records IF NOT EXISTS FOR (n:AuditRecord) ON (n.project, n.at);

// Names of a project's scopes; what a file holds; who else has the tokens of an anchor, asked when it is made and when
// its code is gone; the anchors on a file, of a name, and where they stand.
CREATE INDEX scope_name IF NOT EXISTS FOR (n:Scope) ON (n.project, n.name);
CREATE INDEX scope_qualified_name IF NOT EXISTS FOR (n:Scope) ON (n.project, n.qualified_name);
CREATE INDEX scope_file IF NOT EXISTS FOR (n:Scope) ON (n.project, n.file);
CREATE INDEX scope_tokens IF NOT EXISTS FOR (n:Scope) ON (n.project, n.body_hash);
CREATE INDEX file_path IF NOT EXISTS FOR (n:File) ON (n.project, n.path);
CREATE INDEX code_anchor_file IF NOT EXISTS FOR (n:CodeAnchor) ON (n.project, n.file);
CREATE INDEX code_anchor_name IF NOT EXISTS FOR (n:CodeAnchor) ON (n.project, n.name);
CREATE INDEX code_anchor_qualified_name IF NOT EXISTS FOR (n:CodeAnchor) ON (n.project, n.qualified_name);
CREATE INDEX code_anchor_standing IF NOT EXISTS FOR (n:CodeAnchor) ON (n.project, n.at_file);

// What waits for a vector (messages have a user, scopes a file), for a summary or for a title, found without walking
// over other projects' backlogs.
CREATE INDEX pending_messages IF NOT EXISTS FOR (n:PendingEmbedding) ON (n.project, n.user_id);
CREATE INDEX pending_scopes IF NOT EXISTS FOR (n:PendingEmbedding) ON (n.project, n.file);
CREATE INDEX pending_summaries IF NOT EXISTS FOR (n:PendingSummary) ON (n.project, n.user_id);

// Eventually consistent: a synchronous full-text index makes an append three times an empty write instead of two.
// The owner's token and the conversation's uuid are fields of the index, since full text knows no other filter.
CREATE FULLTEXT INDEX message_text_index IF NOT EXISTS FOR (n:Message)
ON EACH [n.content, n.terms, n.conversation_id, n.owner_token]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'english', `fulltext.eventually_consistent`: true}};
CREATE FULLTEXT INDEX conversation_text_index IF NOT EXISTS FOR (n:Conversation)
ON EACH [n.title, n.summary, n.owner_token]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'english', `fulltext.eventually_consistent`: true}};
// `names` are a fact's type, key and value.
CREATE FULLTEXT INDEX memory_text_index IF NOT EXISTS FOR (n:Memory)
ON EACH [n.content, n.terms, n.names, n.owner_token]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'english', `fulltext.eventually_consistent`: true}};
// `heading` are all headings above a chunk.
CREATE FULLTEXT INDEX chunk_text_index IF NOT EXISTS FOR (n:Chunk)
ON EACH [n.content, n.heading, n.terms, n.owner_token]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'english', `fulltext.eventually_consistent`: true}};
// Of code `words` are stems already. A file is found by what is outside of every definition.
CREATE FULLTEXT INDEX scope_text_index IF NOT EXISTS FOR (n:Scope|File)
ON EACH [n.words, n.role, n.project_token]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'whitespace', `fulltext.eventually_consistent`: true}};
