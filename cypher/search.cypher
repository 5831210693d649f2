// name: search_history_text
// By words, in one conversation's lineage. How rare a word is is counted in what is searched (in a sample of $sample
// hits), not by Lucene over everybody's messages: each word is asked for alone, then weighed by its rarity here over
// its mean score there. Lucene's weights are whole numbers, since it reads no exponents. The full-text index is
// eventually consistent, so what was written within three seconds is looked through as well, by seq. `vectors` says
// which have a vector: one that has none is not known to be far. The words are optional beside the scope as in
// turn_context.
// include: read_lineage
WITH c, lineage, '+conversation_id:(' + reduce(ids = '', l IN lineage |
  ids + ' "' + replace(replace(l.id, '"', ''), '\\', '') + '"') + ')^0' AS scope,
  CASE WHEN c.head_seq < 4 * $sample THEN c.head_seq ELSE 4 * $sample END AS total
CALL (scope, total) {
  UNWIND $words AS word
  CALL (scope, word) {
    CALL db.index.fulltext.queryNodes('message_text_index',
      scope + ' +(content:"' + word.text + '" terms:"' + word.text + '")', {limit: $sample}) YIELD score
    RETURN count(*) AS found, avg(score) AS mean
  }
  RETURN collect({text: word.text, pattern: word.pattern, mean: mean, rarity: 1000 * log(1
    + (CASE WHEN found < total THEN total - found ELSE 0 END + 0.5) / (found + 0.5))}) AS words
}
WITH c, lineage, scope, words, reduce(asked = '', w IN [w IN words WHERE w.mean > 0] | asked + ' (content:"' + w.text
  + '" terms:"' + w.text + '")^' + toString(1 + toInteger(w.rarity / w.mean))) AS asked
CALL (c, lineage, scope, words, asked) {
  CALL (c, lineage, scope, words, asked) {
    WITH c, lineage, scope, asked
    WHERE asked <> ''
    CALL db.index.fulltext.queryNodes('message_text_index', scope
      + CASE WHEN c.head_seq > 20000 OR $filtered OR size(lineage) > 1 THEN ' +(' ELSE ' (' END + asked + ')',
      {limit: CASE WHEN $filtered OR size(lineage) > 1 THEN 1000000 ELSE $limit END}) YIELD node AS m, score
    WHERE score > 0 AND any(l IN lineage WHERE m.conversation_id = l.id AND m.seq <= l.top)
      AND ($role IS NULL OR m.role = $role)
      AND ($since IS NULL OR m.timestamp >= datetime($since)) AND ($until IS NULL OR m.timestamp < datetime($until))
      AND ($tool IS NULL OR EXISTS { (m)-[:MADE_TOOL_CALL]->(:ToolCall {tool_name: $tool}) })
    RETURN m, score
    LIMIT $limit
    UNION
    WITH c, lineage, words
    WHERE c.updated_at > datetime() - duration('PT3S')
    UNWIND lineage AS l
    MATCH (m:Message {conversation_id: l.id})
    WHERE m.seq > c.head_seq - 20 AND m.seq <= l.top
      AND ($role IS NULL OR m.role = $role)
      AND ($since IS NULL OR m.timestamp >= datetime($since)) AND ($until IS NULL OR m.timestamp < datetime($until))
      AND ($tool IS NULL OR EXISTS { (m)-[:MADE_TOOL_CALL]->(:ToolCall {tool_name: $tool}) })
    WITH m, reduce(sum = 0.0, w IN words |
      sum + CASE WHEN coalesce(m.content, '') + ' ' + coalesce(m.terms, '') =~ w.pattern THEN w.rarity ELSE 0 END) AS score
    WHERE score > 0
    RETURN m, score
  }
  RETURN collect(m.seq) AS seqs,
    collect(coalesce(toStringOrNull(m.timestamp), '')) AS times, collect(coalesce(m.role = 'user', false)) AS users, collect(score) AS scores,
    collect(m[$property] IS NOT NULL) AS vectors
}
RETURN seqs, times, users, scores, vectors, [l IN lineage | [l.id, l.top]] AS lineage

// name: search_history_vector
// requires: 2026.2
// By meaning, in one conversation's lineage: the scope is a filter inside the index (recall 1.0 against an exact scan
// in conversations of 200, 2,000 and 5,000 messages, 20,000 in all, and faster than it from some 150 on). Other filters
// come after it, on $take neighbours; `more` says that they have left too few although there were more to look at,
// `moved`, asked last, that the project's vectors are another model's by now, so that what was found is not all.
// The conversation's own messages need no filter by seq: with it a search among 100,000 took a tenth longer.
CYPHER 25
// include: read_lineage
CALL (c, lineage) {
  CALL (c, lineage) {
    MATCH (m:Message)
    SEARCH m IN (VECTOR INDEX {{index}} FOR $vector WHERE m.conversation_id = c.uuid LIMIT $take) SCORE AS score
    RETURN m, score
    UNION ALL
    WITH lineage[..-1] AS ancestors
    UNWIND ancestors AS l
    CALL (l) {
      MATCH (m:Message)
      SEARCH m IN (VECTOR INDEX {{index}} FOR $vector WHERE m.conversation_id = l.id AND m.seq <= l.top LIMIT $take) SCORE AS score
      RETURN m, score
    }
    RETURN m, score
  }
  WITH m, score, ($role IS NULL OR m.role = $role)
    AND ($since IS NULL OR m.timestamp >= datetime($since)) AND ($until IS NULL OR m.timestamp < datetime($until))
    AND ($tool IS NULL OR EXISTS { (m)-[:MADE_TOOL_CALL]->(:ToolCall {tool_name: $tool}) }) AS fits
  ORDER BY score DESC
  WITH count(*) AS seen, collect(CASE WHEN fits THEN m END)[..$limit] AS kept,
    collect(CASE WHEN fits THEN score END)[..$limit] AS scores
  RETURN [m IN kept | m.seq] AS seqs,
    [m IN kept | coalesce(toStringOrNull(m.timestamp), '')] AS times, [m IN kept | coalesce(m.role = 'user', false)] AS users, scores,
    seen >= $take AND size(kept) < $limit AS more
}
OPTIONAL MATCH (p:RagforgeMeta {key: 'project/' + $project})
RETURN seqs, times, users, scores, more, [l IN lineage | [l.id, l.top]] AS lineage, c.head_seq AS head,
  coalesce([p.model, p.dimension] <> [$space_model, $space_dimension], false) AS moved

// name: search_history_vector
// Older servers filter nothing inside the index: up to $scan messages, and what a filter leaves, are compared one by
// one; of more, $overfetch neighbours are taken and the lineage's kept.
// include: read_lineage
CALL (c, lineage) {
  CALL (c, lineage) {
    WITH c, lineage
    WHERE c.head_seq <= $scan OR $filtered
    UNWIND lineage AS l
    MATCH (m:Message {conversation_id: l.id})
    WHERE m.seq > 0 AND m.seq <= l.top AND m[$property] IS NOT NULL
      AND ($role IS NULL OR m.role = $role)
      AND ($since IS NULL OR m.timestamp >= datetime($since)) AND ($until IS NULL OR m.timestamp < datetime($until))
      AND ($tool IS NULL OR EXISTS { (m)-[:MADE_TOOL_CALL]->(:ToolCall {tool_name: $tool}) })
    RETURN m, vector.similarity.cosine(m[$property], $vector) AS score
    UNION
    WITH c, lineage
    WHERE c.head_seq > $scan AND NOT $filtered
    CALL db.index.vector.queryNodes('{{index}}', $overfetch, $vector) YIELD node AS m, score
    WHERE any(l IN lineage WHERE m.conversation_id = l.id AND m.seq <= l.top)
    RETURN m, score
  }
  WITH m, score
  ORDER BY score DESC
  LIMIT $limit
  RETURN collect(m.seq) AS seqs,
    collect(coalesce(toStringOrNull(m.timestamp), '')) AS times, collect(coalesce(m.role = 'user', false)) AS users, collect(score) AS scores
}
OPTIONAL MATCH (p:RagforgeMeta {key: 'project/' + $project})
RETURN seqs, times, users, scores, false AS more, [l IN lineage | [l.id, l.top]] AS lineage,
  coalesce([p.model, p.dimension] <> [$space_model, $space_dimension], false) AS moved

// name: scan_history_vector
// What a narrow filter leaves of a lineage, compared one by one; asked only where the index had too few that fit.
// include: read_lineage
CALL (lineage) {
  UNWIND lineage AS l
  MATCH (m:Message {conversation_id: l.id})
  WHERE m.seq > 0 AND m.seq <= l.top AND m[$property] IS NOT NULL
    AND ($role IS NULL OR m.role = $role)
    AND ($since IS NULL OR m.timestamp >= datetime($since)) AND ($until IS NULL OR m.timestamp < datetime($until))
    AND ($tool IS NULL OR EXISTS { (m)-[:MADE_TOOL_CALL]->(:ToolCall {tool_name: $tool}) })
  WITH m, vector.similarity.cosine(m[$property], $vector) AS score
  ORDER BY score DESC
  LIMIT $limit
  RETURN collect(m.seq) AS seqs,
    collect(coalesce(toStringOrNull(m.timestamp), '')) AS times, collect(coalesce(m.role = 'user', false)) AS users, collect(score) AS scores
}
OPTIONAL MATCH (p:RagforgeMeta {key: 'project/' + $project})
RETURN seqs, times, users, scores, false AS more, [l IN lineage | [l.id, l.top]] AS lineage,
  coalesce([p.model, p.dimension] <> [$space_model, $space_dimension], false) AS moved

// name: search_history_vector_after
// requires: 2026.2
// As search_history_vector, for a lineage of which this process has vectors itself: $kept says up to which seq of which
// conversation, and the index is asked for what came after it. `stale` says that the last message of which it has one is
// not there any more, since the conversation was deleted, or that it was restored since. `head` is the conversation's last
// seq.
CYPHER 25
// include: read_lineage
CALL (lineage) {
  UNWIND lineage AS l
  WITH l.id AS id, l.top AS top, coalesce($kept[l.id].top, 0) AS kept
  WHERE kept < top
  CALL (id, top, kept) {
    MATCH (m:Message)
    SEARCH m IN (VECTOR INDEX {{index}} FOR $vector WHERE m.conversation_id = id AND m.seq > kept AND m.seq <= top LIMIT $take) SCORE AS score
    RETURN m, score
  }
  WITH m, score
  ORDER BY score DESC
  LIMIT $limit
  RETURN collect(m.seq) AS seqs,
    collect(coalesce(toStringOrNull(m.timestamp), '')) AS times, collect(coalesce(m.role = 'user', false)) AS users, collect(score) AS scores
}
OPTIONAL MATCH (p:RagforgeMeta {key: 'project/' + $project})
RETURN seqs, times, users, scores, false AS more, [l IN lineage | [l.id, l.top]] AS lineage, c.head_seq AS head,
  any(l IN lineage WHERE $kept[l.id] IS NOT NULL AND NOT EXISTS {
    MATCH (held:Conversation {uuid: l.id}), (m:Message {uuid: $kept[l.id].last})
    WHERE m.conversation_id = held.uuid AND m.seq = $kept[l.id].seq
      AND coalesce(toStringOrNull(held.restored_at), '') = $kept[l.id].restored
  }) AS stale,
  coalesce([p.model, p.dimension] <> [$space_model, $space_dimension], false) AS moved

// name: near_messages
// requires: 2026.2
// What a turn is given by meaning, in one read: the $limit messages of a lineage up to $floor that are nearest, with their
// texts. Of what this process has vectors itself ($kept, `stale`: as in search_history_vector_after) it says which are
// nearest ($places: conversation and seq).
CYPHER 25
// include: read_lineage
CALL (lineage) {
  CALL (lineage) {
    UNWIND lineage AS l
    WITH l.id AS id, CASE WHEN l.top < $floor THEN l.top ELSE $floor END AS top, coalesce($kept[l.id].top, 0) AS kept
    WHERE kept < top
    CALL (id, top, kept) {
      MATCH (m:Message)
      SEARCH m IN (VECTOR INDEX {{index}} FOR $vector WHERE m.conversation_id = id AND m.seq > kept AND m.seq <= top LIMIT $take) SCORE AS score
      RETURN m, score
    }
    RETURN m, score
    ORDER BY score DESC
    LIMIT $limit
    UNION ALL
    UNWIND $places AS place
    MATCH (m:Message {conversation_id: place[0], seq: place[1]})
    WHERE any(l IN lineage WHERE m.conversation_id = l.id AND m.seq <= l.top)
    RETURN m, null AS score
  }
  RETURN collect({score: score, message: m {.uuid, .conversation_id, .seq, .role, .content, .token_count, .state,
    .in_reply_to, .model, .importance, .trust, .kind, .echo, timestamp: toStringOrNull(m.timestamp)}}) AS found
}
OPTIONAL MATCH (p:RagforgeMeta {key: 'project/' + $project})
RETURN found, [l IN lineage | [l.id, l.top]] AS lineage, c.head_seq AS head,
  any(l IN lineage WHERE $kept[l.id] IS NOT NULL AND NOT EXISTS {
    MATCH (held:Conversation {uuid: l.id}), (m:Message {uuid: $kept[l.id].last})
    WHERE m.conversation_id = held.uuid AND m.seq = $kept[l.id].seq
      AND coalesce(toStringOrNull(held.restored_at), '') = $kept[l.id].restored
  }) AS stale,
  coalesce([p.model, p.dimension] <> [$space_model, $space_dimension], false) AS moved

// name: near_messages
// Older servers: as search_history_vector there. They keep no vectors.
// include: read_lineage
CALL (c, lineage) {
  CALL (c, lineage) {
    WITH c, lineage
    WHERE c.head_seq <= $scan
    UNWIND lineage AS l
    MATCH (m:Message {conversation_id: l.id})
    WHERE m.seq > 0 AND m.seq <= l.top AND m.seq <= $floor AND m[$property] IS NOT NULL
    RETURN m, vector.similarity.cosine(m[$property], $vector) AS score
    UNION
    WITH c, lineage
    WHERE c.head_seq > $scan
    CALL db.index.vector.queryNodes('{{index}}', $overfetch, $vector) YIELD node AS m, score
    WHERE m.seq <= $floor AND any(l IN lineage WHERE m.conversation_id = l.id AND m.seq <= l.top)
    RETURN m, score
  }
  WITH m, score
  ORDER BY score DESC
  LIMIT $limit
  RETURN collect({score: score, message: m {.uuid, .conversation_id, .seq, .role, .content, .token_count, .state,
    .in_reply_to, .model, .importance, .trust, .kind, .echo, timestamp: toStringOrNull(m.timestamp)}}) AS found
}
OPTIONAL MATCH (p:RagforgeMeta {key: 'project/' + $project})
RETURN found, [l IN lineage | [l.id, l.top]] AS lineage, c.head_seq AS head, false AS stale,
  coalesce([p.model, p.dimension] <> [$space_model, $space_dimension], false) AS moved

// name: vectors_of_history
// requires: 2026.2
// The vectors of one conversation's messages after $above, up to $up_to, every $step-th, but not from `waiting` on, which
// is the first of them that waits for its own. Packed, 2,000 vectors of 384 floats are read in 40 ms, as lists in 200.
CYPHER 25
MATCH (c:Conversation {uuid: $conversation_id})
WHERE c.user_id = $user_id AND c.project = $project
CALL (c) {
  MATCH (m:Message {conversation_id: c.uuid})
  WHERE m.seq > $above AND m.seq <= $up_to AND m.seq % $step = 0
  WITH m ORDER BY m.seq
  WITH collect(m) AS page, min(CASE WHEN m:PendingEmbedding THEN m.seq END) AS waiting
  RETURN waiting, [m IN page WHERE m.seq < coalesce(waiting, m.seq + 1) AND size(m[$property]) = $dimension] AS kept
}
RETURN [m IN kept | m.seq] AS seqs, [m IN kept | coalesce(toStringOrNull(m.timestamp), '')] AS times, [m IN kept | coalesce(m.role = 'user', false)] AS users,
  [m IN kept | vector(m[$property], $dimension, FLOAT32)] AS vectors, [m IN kept | m.uuid] AS uuids, waiting,
  coalesce(toStringOrNull(c.restored_at), '') AS restored

// name: search_owner_text
// By words, in every conversation of an owner; otherwise as search_history_text. Some hits are those of conversations
// that are being deleted, so more are taken than are wanted. What living branches share of a deleted conversation is
// found as theirs; `hidden` names such conversations. One that lives costs nothing for that.
WITH '+owner_token:' + $owner_token + '^0' AS scope
CALL (scope) {
  UNWIND $words AS word
  CALL (scope, word) {
    CALL db.index.fulltext.queryNodes('message_text_index',
      scope + ' +(content:"' + word.text + '" terms:"' + word.text + '")', {limit: $sample}) YIELD score
    RETURN count(*) AS found, avg(score) AS mean
  }
  RETURN collect({text: word.text, pattern: word.pattern, mean: mean,
    rarity: 1000 * log(1 + (4 * $sample - found + 0.5) / (found + 0.5))}) AS words
}
WITH scope, words, reduce(asked = '', w IN [w IN words WHERE w.mean > 0] | asked + ' (content:"' + w.text
  + '" terms:"' + w.text + '")^' + toString(1 + toInteger(w.rarity / w.mean))) AS asked
CALL (scope, words, asked) {
  CALL (scope, words, asked) {
    WITH scope, asked
    WHERE asked <> ''
    CALL db.index.fulltext.queryNodes('message_text_index', scope + ' +(' + asked + ')',
      {limit: CASE WHEN $filtered THEN 1000000 ELSE 10 * $limit END}) YIELD node AS m, score
    WHERE m.user_id = $user_id AND m.project = $project
      AND ($role IS NULL OR m.role = $role)
      AND ($since IS NULL OR m.timestamp >= datetime($since)) AND ($until IS NULL OR m.timestamp < datetime($until))
      AND ($tool IS NULL OR EXISTS { (m)-[:MADE_TOOL_CALL]->(:ToolCall {tool_name: $tool}) })
    MATCH (c:Conversation {uuid: m.conversation_id})
    WHERE CASE WHEN c.status <> 'deleting' THEN ($tags IS NULL OR any(tag IN $tags WHERE tag IN c.tags))
      ELSE EXISTS {
        MATCH (c)-[:HAS_BRANCH*1..]->(b:Conversation)
        WHERE b.status <> 'deleting' AND ($tags IS NULL OR any(tag IN $tags WHERE tag IN b.tags))
          AND any(i IN range(0, size(b.lineage_ids) - 1) WHERE b.lineage_ids[i] = c.uuid AND b.lineage_tops[i] >= m.seq)
      } END
    RETURN m, score, c.status = 'deleting' AS hidden
    LIMIT $limit
    UNION
    WITH words
    MATCH (c:Conversation)
    WHERE c.user_id = $user_id AND c.project = $project AND c.updated_at > datetime() - duration('PT3S')
      AND CASE WHEN c.status <> 'deleting' THEN ($tags IS NULL OR any(tag IN $tags WHERE tag IN c.tags))
        ELSE EXISTS { (c)-[:HAS_BRANCH]->() } END
    WITH c, words
    ORDER BY c.updated_at DESC
    LIMIT 20
    MATCH (m:Message {conversation_id: c.uuid})
    WHERE m.seq > CASE WHEN c.status <> 'deleting' THEN c.head_seq ELSE coalesce(c.kept_to, c.head_seq) END - 20
      AND ($role IS NULL OR m.role = $role)
      AND ($since IS NULL OR m.timestamp >= datetime($since)) AND ($until IS NULL OR m.timestamp < datetime($until))
      AND ($tool IS NULL OR EXISTS { (m)-[:MADE_TOOL_CALL]->(:ToolCall {tool_name: $tool}) })
    WITH c, m, reduce(sum = 0.0, w IN words |
      sum + CASE WHEN coalesce(m.content, '') + ' ' + coalesce(m.terms, '') =~ w.pattern THEN w.rarity ELSE 0 END) AS score
    WHERE score > 0 AND CASE WHEN c.status <> 'deleting' THEN true
      ELSE EXISTS {
        MATCH (c)-[:HAS_BRANCH*1..]->(b:Conversation)
        WHERE b.status <> 'deleting' AND ($tags IS NULL OR any(tag IN $tags WHERE tag IN b.tags))
          AND any(i IN range(0, size(b.lineage_ids) - 1) WHERE b.lineage_ids[i] = c.uuid AND b.lineage_tops[i] >= m.seq)
      } END
    RETURN m, score, c.status = 'deleting' AS hidden
  }
  RETURN collect(m.conversation_id) AS conversations, collect(m.seq) AS seqs,
    collect(coalesce(toStringOrNull(m.timestamp), '')) AS times, collect(coalesce(m.role = 'user', false)) AS users, collect(score) AS scores,
    collect(m[$property] IS NOT NULL) AS vectors,
    collect(DISTINCT CASE WHEN hidden THEN m.conversation_id END) AS hidden
}
RETURN conversations, seqs, times, users, scores, vectors, hidden

// name: search_owner_vector
// requires: 2026.2
// The owner is filtered inside the index, what the index does not know after it.
CYPHER 25
CALL () {
  MATCH (m:Message)
  SEARCH m IN (VECTOR INDEX {{index}} FOR $vector WHERE m.user_id = $user_id AND m.project = $project LIMIT $take) SCORE AS score
  OPTIONAL MATCH (c:Conversation {uuid: m.conversation_id})
  WITH m, score, coalesce(c.status, 'deleting') = 'deleting' AS hidden, ($role IS NULL OR m.role = $role)
    AND ($since IS NULL OR m.timestamp >= datetime($since)) AND ($until IS NULL OR m.timestamp < datetime($until))
    AND ($tool IS NULL OR EXISTS { (m)-[:MADE_TOOL_CALL]->(:ToolCall {tool_name: $tool}) })
    AND CASE WHEN c.status <> 'deleting' THEN ($tags IS NULL OR any(tag IN $tags WHERE tag IN c.tags))
      ELSE EXISTS {
        MATCH (c)-[:HAS_BRANCH*1..]->(b:Conversation)
        WHERE b.status <> 'deleting' AND ($tags IS NULL OR any(tag IN $tags WHERE tag IN b.tags))
          AND any(i IN range(0, size(b.lineage_ids) - 1) WHERE b.lineage_ids[i] = c.uuid AND b.lineage_tops[i] >= m.seq)
      } END AS fits
  ORDER BY score DESC
  WITH count(*) AS seen, collect(CASE WHEN fits THEN m END)[..$limit] AS kept,
    collect(CASE WHEN fits THEN score END)[..$limit] AS scores,
    collect(DISTINCT CASE WHEN fits AND hidden THEN m.conversation_id END) AS hidden
  RETURN [m IN kept | m.conversation_id] AS conversations, [m IN kept | m.seq] AS seqs,
    [m IN kept | coalesce(toStringOrNull(m.timestamp), '')] AS times, [m IN kept | coalesce(m.role = 'user', false)] AS users, scores, hidden,
    seen >= $take AND size(kept) < $limit AS more
}
OPTIONAL MATCH (p:RagforgeMeta {key: 'project/' + $project})
RETURN conversations, seqs, times, users, scores, hidden, more,
  coalesce([p.model, p.dimension] <> [$space_model, $space_dimension], false) AS moved

// name: search_owner_vector
// Older servers: $overfetch neighbours of anybody's, and the owner's kept. Few of them: `more`, for there may be others.
CALL () {
  CALL db.index.vector.queryNodes('{{index}}', $overfetch, $vector) YIELD node AS m, score
  WHERE m.user_id = $user_id AND m.project = $project
    AND ($role IS NULL OR m.role = $role)
    AND ($since IS NULL OR m.timestamp >= datetime($since)) AND ($until IS NULL OR m.timestamp < datetime($until))
    AND ($tool IS NULL OR EXISTS { (m)-[:MADE_TOOL_CALL]->(:ToolCall {tool_name: $tool}) })
  MATCH (c:Conversation {uuid: m.conversation_id})
  WHERE CASE WHEN c.status <> 'deleting' THEN ($tags IS NULL OR any(tag IN $tags WHERE tag IN c.tags))
    ELSE EXISTS {
      MATCH (c)-[:HAS_BRANCH*1..]->(b:Conversation)
      WHERE b.status <> 'deleting' AND ($tags IS NULL OR any(tag IN $tags WHERE tag IN b.tags))
        AND any(i IN range(0, size(b.lineage_ids) - 1) WHERE b.lineage_ids[i] = c.uuid AND b.lineage_tops[i] >= m.seq)
    } END
  WITH m, score, c.status = 'deleting' AS hidden
  ORDER BY score DESC
  LIMIT $limit
  RETURN collect(m.conversation_id) AS conversations, collect(m.seq) AS seqs,
    collect(coalesce(toStringOrNull(m.timestamp), '')) AS times, collect(coalesce(m.role = 'user', false)) AS users, collect(score) AS scores,
    collect(DISTINCT CASE WHEN hidden THEN m.conversation_id END) AS hidden
}
OPTIONAL MATCH (p:RagforgeMeta {key: 'project/' + $project})
RETURN conversations, seqs, times, users, scores, hidden, size(seqs) < $limit AS more,
  coalesce([p.model, p.dimension] <> [$space_model, $space_dimension], false) AS moved

// name: scan_owner_vector
// What a narrow filter leaves of an owner's messages, compared one by one; asked only where the index had too few.
CALL () {
  MATCH (c:Conversation)
  WHERE c.user_id = $user_id AND c.project = $project
    AND CASE WHEN c.status <> 'deleting' THEN ($tags IS NULL OR any(tag IN $tags WHERE tag IN c.tags))
      ELSE EXISTS { (c)-[:HAS_BRANCH]->() } END
  MATCH (m:Message {conversation_id: c.uuid})
  WHERE m.seq > 0 AND m[$property] IS NOT NULL AND ($role IS NULL OR m.role = $role)
    AND ($since IS NULL OR m.timestamp >= datetime($since)) AND ($until IS NULL OR m.timestamp < datetime($until))
    AND ($tool IS NULL OR EXISTS { (m)-[:MADE_TOOL_CALL]->(:ToolCall {tool_name: $tool}) })
    AND CASE WHEN c.status <> 'deleting' THEN true
      ELSE EXISTS {
        MATCH (c)-[:HAS_BRANCH*1..]->(b:Conversation)
        WHERE b.status <> 'deleting' AND ($tags IS NULL OR any(tag IN $tags WHERE tag IN b.tags))
          AND any(i IN range(0, size(b.lineage_ids) - 1) WHERE b.lineage_ids[i] = c.uuid AND b.lineage_tops[i] >= m.seq)
      } END
  WITH m, c.status = 'deleting' AS hidden, vector.similarity.cosine(m[$property], $vector) AS score
  ORDER BY score DESC
  LIMIT $limit
  RETURN collect(m.conversation_id) AS conversations, collect(m.seq) AS seqs,
    collect(coalesce(toStringOrNull(m.timestamp), '')) AS times, collect(coalesce(m.role = 'user', false)) AS users, collect(score) AS scores,
    collect(DISTINCT CASE WHEN hidden THEN m.conversation_id END) AS hidden
}
OPTIONAL MATCH (p:RagforgeMeta {key: 'project/' + $project})
RETURN conversations, seqs, times, users, scores, hidden, false AS more,
  coalesce([p.model, p.dimension] <> [$space_model, $space_dimension], false) AS moved

// name: found_messages
// What a search shows, read by place once the lists are fused; neighbours that a filter leaves out are left out here.
// The cosine only where a threshold asks for it. No embedding comes back. One row: the driver takes longer over twenty.
// What a conversation of $hidden has is told as that of the living branch that shares it ($reader, if it is one), the
// last updated.
UNWIND $places AS place
MATCH (m:Message {conversation_id: place[0], seq: place[1]})
WHERE m.user_id = $user_id AND m.project = $project
  AND ($role IS NULL OR m.role = $role)
  AND ($since IS NULL OR m.timestamp >= datetime($since)) AND ($until IS NULL OR m.timestamp < datetime($until))
  AND ($tool IS NULL OR EXISTS { (m)-[:MADE_TOOL_CALL]->(:ToolCall {tool_name: $tool}) })
WITH m, CASE WHEN NOT m.conversation_id IN $hidden THEN m.conversation_id ELSE head(COLLECT {
  MATCH (held:Conversation {uuid: m.conversation_id})-[:HAS_BRANCH*0..]->(c:Conversation)
  WHERE c.status <> 'deleting' AND (c = held OR any(i IN range(0, size(c.lineage_ids) - 1)
    WHERE c.lineage_ids[i] = held.uuid AND c.lineage_tops[i] >= m.seq)
    AND ($tags IS NULL OR any(tag IN $tags WHERE tag IN c.tags)))
  WITH held, c
  ORDER BY c = held DESC, c.uuid = coalesce($reader, '') DESC, c.updated_at DESC, c.uuid
  RETURN c.uuid LIMIT 1
}) END AS living
WHERE living IS NOT NULL
WITH m, living,
// include: corrected
RETURN collect({stored: m.conversation_id, corrected: corrected, message: m {.uuid, conversation_id: living, .seq, .role, .content, .reasoning,
  .token_count, .state, .in_reply_to, .model, .usage, .importance, .trust, .kind, .echo, .metadata, .user_id, .project,
  timestamp: toStringOrNull(m.timestamp)},
  score: CASE WHEN $vector IS NULL OR m[$property] IS NULL THEN null
    ELSE vector.similarity.cosine(m[$property], $vector) END}) AS found
