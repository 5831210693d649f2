// Conversations that wait for a summary or for a title, found without looking at the others.
CREATE INDEX pending_summaries IF NOT EXISTS FOR (n:PendingSummary) ON (n.project, n.user_id);
