// All that an owner decided, in every conversation, newest first, without walking over what others said.
CREATE INDEX important_of_owner IF NOT EXISTS FOR (n:Important) ON (n.user_id, n.project, n.timestamp);
