// An anchor asks who else has its tokens, when it is made and when its code is gone.
CREATE INDEX scope_tokens IF NOT EXISTS FOR (n:Scope) ON (n.project, n.body_hash);
