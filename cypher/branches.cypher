// name: branch_point
// Where a branch would begin: the conversation's lineage, its head, and the message if one is named. A message outside
// the lineage is not found.
MATCH (c:Conversation {uuid: $conversation_id})
WHERE c.user_id = $user_id AND c.project = $project AND c.status <> 'deleting'
WITH c, [i IN range(0, size(coalesce(c.lineage_ids, [])) - 1) | {id: c.lineage_ids[i], top: c.lineage_tops[i]}]
  + [{id: c.uuid, top: c.head_seq}] AS lineage
RETURN lineage, c.head_seq AS head_seq, c.title AS title, coalesce(c.summary_seq, c.summarized_seq, 0) AS summary_seq, head(COLLECT {
  MATCH (m:Message {uuid: $message_id})
  WHERE any(l IN lineage WHERE m.conversation_id = l.id AND m.seq <= l.top)
  RETURN m {.uuid, .seq, .role, .content, .in_reply_to}
}) AS message

// name: create_branch
// at once
// Copies nothing: the branch knows its lineage (whose messages, up to which seq) and goes on from there. SET first, so
// that a delete of the same conversation comes before or after, never in between. The edge goes out from the
// conversation that owns the last shared message, be it hidden. Its watermark is the last summary that it shares, which
// min(parent's, from_seq) is not where a branch begins inside a summarised stretch. Where its parent's summary says more
// than the branch shares, $summary is composed of those that it shares, or the label has it done. A repeated write makes one branch.
MATCH (c:Conversation {uuid: $conversation_id})
WHERE c.user_id = $user_id AND c.project = $project AND c.status <> 'deleting'
MATCH (parent:Conversation {uuid: $lineage_ids[-1]})
WHERE parent.user_id = $user_id AND parent.project = $project
CALL (c, parent) {
  UNWIND [c, parent] AS n
  // include: locks
}
// A delete that was first has the lock until now; what was read of the status before it does not count.
WITH c, parent WHERE c['status'] <> 'deleting'
SET c.branched_at = datetime()
WITH c, parent, reduce(last = 0, to_seq IN COLLECT {
  UNWIND range(0, size($lineage_ids) - 1) AS i
  CALL (i) {
    // The last one that ends inside the part; the index gives them from behind.
    MATCH (s:Summary {conversation_id: $lineage_ids[i], kind: 'rolling', level: 1})
    WHERE s.from_seq > 0 AND s.from_seq <= $lineage_tops[i] AND s.to_seq <= $lineage_tops[i]
    RETURN s.to_seq AS to_seq ORDER BY s.from_seq DESC LIMIT 1
  }
  RETURN to_seq
} | CASE WHEN to_seq > last THEN to_seq ELSE last END) AS summarized
WITH c, summarized, parent,
  head(COLLECT { MATCH (m:Message {conversation_id: parent.uuid, seq: $seq}) RETURN m.uuid }) AS from_message_id,
  coalesce(c['token_total'], 0) AS tokens, coalesce(c['compressed_total'], 0) AS compressed, COLLECT {
    UNWIND [i IN range(0, size(coalesce(c.lineage_ids, [])) - 1) | {id: c.lineage_ids[i], top: c.lineage_tops[i]}]
      + [{id: c.uuid, top: 9223372036854775807}] AS l
    MATCH (s:Summary {conversation_id: l.id, kind: 'compression', level: 1})
    WHERE s.from_seq > 0 AND s.to_seq <= l.top
    RETURN s.to_seq
  } AS ends
WITH c, summarized, parent, from_message_id, tokens, compressed,
  reduce(last = 0, to_seq IN ends | CASE WHEN to_seq > last THEN to_seq ELSE last END) AS condensed,
  reduce(last = 0, to_seq IN ends | CASE WHEN to_seq > last AND to_seq <= $seq THEN to_seq ELSE last END) AS shared
MERGE (b:Conversation {uuid: $uuid})
ON CREATE SET b += $properties, b.user_id = c.user_id, b.project = c.project, b.owner_token = c.owner_token,
  b.tags = c.tags, b.head_seq = $seq, b.lineage_ids = $lineage_ids, b.lineage_tops = $lineage_tops,
  b.summary = CASE WHEN coalesce(c.summary_seq, c.summarized_seq, 0) <= $seq THEN c.summary ELSE $summary END,
  b.summary_seq = CASE WHEN coalesce(c.summary_seq, c.summarized_seq, 0) <= $seq THEN c.summary_seq END,
  b.summarized_seq = summarized,
  b.token_total = CASE WHEN $seq = c['head_seq'] THEN tokens
    WHEN condensed <= $seq THEN compressed + (tokens - compressed) * ($seq - condensed) / (c['head_seq'] - condensed)
    ELSE compressed * $seq / condensed END,
  b.compressed_total = CASE WHEN condensed <= $seq THEN compressed ELSE compressed * shared / condensed END,
  b.extracted_seq = CASE WHEN coalesce(c.extracted_seq, 0) < $seq THEN coalesce(c.extracted_seq, 0) ELSE $seq END,
  b.created_at = datetime(), b.updated_at = datetime()
WITH parent, b, from_message_id
WHERE b.user_id = $user_id AND b.project = $project
SET b.uuid = $uuid
FOREACH (_ IN CASE WHEN b.summary IS NULL AND b.summarized_seq > 0
    OR b.head_seq - b.summarized_seq >= $summarize_every THEN [1] ELSE [] END | SET b:PendingSummary)
FOREACH (_ IN CASE WHEN b.summary IS NOT NULL THEN [1] ELSE [] END | SET b:PendingEmbedding)
MERGE (parent)-[edge:HAS_BRANCH]->(b)
ON CREATE SET edge.from_seq = $seq, edge.from_message_id = from_message_id
RETURN b {.uuid, .session_id, .title, .summary, .tags, .status, .message_count, .head_seq, .lineage_ids, .lineage_tops,
  .user_id, .project, .summarized_seq, .extracted_seq, .file_path, .metadata,
  created_at: toStringOrNull(b.created_at), updated_at: toStringOrNull(b.updated_at)} AS conversation

// name: branch_tree
// The whole family of a conversation, parents before their branches; what was deleted and is still shared is told by
// its uuid alone.
MATCH (c:Conversation {uuid: $conversation_id})
WHERE c.user_id = $user_id AND c.project = $project AND c.status <> 'deleting'
MATCH (root:Conversation)-[:HAS_BRANCH*0..]->(c)
WHERE NOT EXISTS { (:Conversation)-[:HAS_BRANCH]->(root) }
MATCH path = (root)-[:HAS_BRANCH*0..]->(member:Conversation)
WHERE member.user_id = $user_id AND member.project = $project
WITH member, length(path) AS depth, last(relationships(path)) AS edge
OPTIONAL MATCH (parent:Conversation)-[edge]->(member)
RETURN parent.uuid AS parent_id, edge.from_seq AS from_seq, edge.from_message_id AS from_message_id,
  member.uuid AS uuid, CASE WHEN member.status <> 'deleting' THEN
    member {.uuid, .session_id, .title, .summary, .tags, .status, .message_count, .head_seq, .lineage_ids,
      .lineage_tops, .user_id, .project, .summarized_seq, .extracted_seq, .file_path, .metadata,
      created_at: toStringOrNull(member.created_at), updated_at: toStringOrNull(member.updated_at)} END AS conversation
ORDER BY depth, from_seq, member.created_at, uuid

// name: merge_known
// Whether a conversation has brought in another one, up to $to_seq or further, anywhere in its lineage. A merge that was
// read back from an archive is known by what it says of itself.
MATCH (c:Conversation {uuid: $conversation_id})
WHERE c.user_id = $user_id AND c.project = $project AND c.status <> 'deleting'
WITH [i IN range(0, size(coalesce(c.lineage_ids, [])) - 1) | {id: c.lineage_ids[i], top: c.lineage_tops[i]}]
  + [{id: c.uuid, top: c.head_seq}] AS lineage
MATCH (other:Conversation {uuid: $other_id})
WHERE other.user_id = $user_id AND other.project = $project
RETURN EXISTS {
  MATCH (m:Message)-[brought:MERGED_FROM]->(other)
  WHERE (brought.to_seq >= $to_seq OR m.metadata = $metadata)
    AND any(l IN lineage WHERE m.conversation_id = l.id AND m.seq <= l.top)
} AS brought

// name: merge_branch
// at once
// One statement, in append_message's order: SET on both conversations takes their locks; only then is looked whether
// somebody has brought the other one in meanwhile, up to $to_seq or further, anywhere in the lineage; only then is the
// message made, with its edge and its ties to all code that either side has talked about since they parted. Repeated
// with the same uuid, it changes nothing. No seq: it was brought in already.
MATCH (c:Conversation {uuid: $conversation_id})
WHERE c.user_id = $user_id AND c.project = $project AND c.status <> 'deleting'
MATCH (other:Conversation {uuid: $other_id})
WHERE other.user_id = $user_id AND other.project = $project AND other.status <> 'deleting'
CALL (c, other) {
  UNWIND [c, other] AS n
  // include: locks
}
WITH c, other WHERE c['status'] <> 'deleting' AND other['status'] <> 'deleting'
SET c.updated_at = datetime()
WITH c, other, [i IN range(0, size(coalesce(c.lineage_ids, [])) - 1) | {id: c.lineage_ids[i], top: c.lineage_tops[i]}]
  + [{id: c.uuid, top: c['head_seq']}] AS lineage
WITH c, other, lineage, EXISTS {
  MATCH (m:Message)-[brought:MERGED_FROM]->(other)
  WHERE (brought.to_seq >= $to_seq OR m.metadata = $message.metadata)
    AND any(l IN lineage WHERE m.conversation_id = l.id AND m.seq <= l.top)
} AS brought
FOREACH (_ IN CASE WHEN brought THEN [] ELSE [1] END |
  SET c.head_seq = c.head_seq + 1, c.message_count = c.message_count + 1,
    c.token_total = coalesce(c.token_total, 0) + $tokens
  CREATE (c)-[:HAS_MESSAGE]->(m:Message:PendingEmbedding)
  SET m = $message, m.uuid = $uuid, m.conversation_id = c.uuid, m.user_id = c.user_id, m.project = c.project,
    m.owner_token = c.owner_token, m.seq = c.head_seq, m.timestamp = datetime()
  CREATE (m)-[:MERGED_FROM {to_seq: $to_seq}]->(other)
  FOREACH (_ IN CASE WHEN c.head_seq - coalesce(c.summarized_seq, 0) >= $summarize_every THEN [1] ELSE [] END |
    SET c:PendingSummary)
)
WITH c, other, brought
CALL (c, other, brought) {
  WITH c, other WHERE NOT brought
  MATCH (m:Message {uuid: $uuid})
  WHERE m.conversation_id = c.uuid
  UNWIND [i IN range(0, size(coalesce(c.lineage_ids, [])) - 1) | {id: c.lineage_ids[i], top: c.lineage_tops[i]}]
    + [i IN range(0, size(coalesce(other.lineage_ids, [])) - 1) | {id: other.lineage_ids[i], top: other.lineage_tops[i]}]
    + [{id: c.uuid, top: m.seq}, {id: other.uuid, top: other.head_seq}] AS l
  MATCH (said:Message {conversation_id: l.id})
  WHERE said.seq > $fork_seq AND said.seq <= l.top AND said.uuid <> $uuid
  MATCH (said)-[tie:REFERENCES_CODE|ANCHORED_AT]->(code)
  WITH DISTINCT m, type(tie) AS kind, code, tie.kind AS how, tie.scope_hash AS scope_hash, tie.commit AS commit
  WITH *, code.uuid AS uuid ORDER BY code:CodeAnchor, uuid
  SET code.uuid = uuid
  FOREACH (_ IN CASE WHEN kind = 'REFERENCES_CODE' THEN [1] ELSE [] END |
    MERGE (m)-[r:REFERENCES_CODE {kind: how}]->(code)
    ON CREATE SET r.scope_hash = scope_hash, r.commit = commit)
  FOREACH (_ IN CASE WHEN kind = 'ANCHORED_AT' THEN [1] ELSE [] END |
    MERGE (m)-[a:ANCHORED_AT {kind: how}]->(code)
    ON CREATE SET a.scope_hash = scope_hash, a.commit = commit)
  RETURN count(*) AS ties
}
RETURN brought, head(COLLECT { MATCH (m:Message {uuid: $uuid}) WHERE m.conversation_id = c.uuid RETURN m.seq }) AS seq, ties

// part: read_lineage
// The conversation that is read, as `c`, and its lineage: of each part which conversation it is of and up to which seq;
// its own is open, so that what is written meanwhile is read too.
MATCH (c:Conversation {uuid: $conversation_id})
WHERE c.user_id = $user_id AND c.project = $project AND c.status <> 'deleting'
WITH c, [i IN range(0, size(coalesce(c.lineage_ids, [])) - 1) | {id: c.lineage_ids[i], top: c.lineage_tops[i]}]
  + [{id: c.uuid, top: 9223372036854775807}] AS lineage

// part: living
// Who tells of the message `m` of the conversation `held`, as `c`: `held` while it lives, else of the living branches
// that share the message the one updated last; null where there is none.
  CASE WHEN held.status <> 'deleting' THEN held ELSE head(COLLECT {
    MATCH (held)-[:HAS_BRANCH*1..]->(b:Conversation)
    WHERE b.status <> 'deleting' AND any(i IN range(0, size(b.lineage_ids) - 1)
      WHERE b.lineage_ids[i] = held.uuid AND b.lineage_tops[i] >= m.seq)
    RETURN b ORDER BY b.updated_at DESC, b.uuid LIMIT 1
  }) END AS c
