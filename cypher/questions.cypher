// part: questions
// The questions of `c` behind its watermark that no answer followed, as `question`, and whether that is so for too long.
// Every message is looked at once, in one pass: grouping pairs answers with their questions. An answer that names no
// question (an import's) answers all before it.
  MATCH (m:Message {conversation_id: c.uuid})
  WHERE m.seq > coalesce(c.settled_seq, 0)
  WITH max(CASE WHEN m.role = 'assistant' AND m.in_reply_to IS NULL THEN m.seq ELSE 0 END) AS followed,
    collect(m) AS messages
  UNWIND messages AS m
  WITH followed, CASE m.role WHEN 'user' THEN m.uuid ELSE m.in_reply_to END AS asked, collect(m) AS turn
  WITH followed, turn[0] AS question, turn
  WHERE asked IS NOT NULL AND size(turn) = 1 AND question.role = 'user' AND question.state = 'complete'
    AND question.seq > followed
  WITH question, question.timestamp < datetime() - duration({seconds: $patience}) AS late

// name: unsettled_questions
// At a load: whether there is a question that nobody has answered for so long, and how far the watermark is behind.
MATCH (c:Conversation {uuid: $conversation_id})
WHERE c.user_id = $user_id AND c.project = $project AND c.status <> 'deleting'
  AND coalesce(c.settled_seq, 0) < c.head_seq
CALL (c) {
  // include: questions
  RETURN count(CASE WHEN late THEN 1 END) AS unanswered, min(CASE WHEN late THEN null ELSE question.seq END) AS waiting
}
RETURN unanswered, coalesce(waiting - 1, c.head_seq) - coalesce(c.settled_seq, 0) AS behind

// name: settle_questions
// at once
// A question that nobody has answered for so long is unanswered, whoever asked it and wherever they died; settled_seq is
// the watermark. SET comes first, for its lock.
MATCH (c:Conversation {uuid: $conversation_id})
WHERE c.user_id = $user_id AND c.project = $project AND c.status <> 'deleting'
  AND coalesce(c.settled_seq, 0) < c.head_seq
SET c.uuid = c.uuid
WITH c
CALL (c) {
  // include: questions
  ORDER BY question.uuid
  FOREACH (_ IN CASE WHEN late THEN [1] ELSE [] END | SET question.state = 'unanswered')
  RETURN count(CASE WHEN late THEN 1 END) AS unanswered, min(CASE WHEN late THEN null ELSE question.seq END) AS waiting
}
SET c.settled_seq = coalesce(waiting - 1, c.head_seq)
RETURN unanswered

// name: claim_question
// at once
// A question that is asked again is answered by one turn at a time, that of the answer `$answer`: its claim ends when that
// is stored or the turn gives it back, and after $patience seconds, since it may have died. One that has its whole answer
// is not claimed. SET comes first, for its lock.
MATCH (c:Conversation {uuid: $conversation_id})
WHERE c.user_id = $user_id AND c.project = $project AND c.status <> 'deleting'
SET c.uuid = $conversation_id
WITH c, EXISTS {
    MATCH (whole:Message {conversation_id: $conversation_id, in_reply_to: $uuid})
    WHERE whole.seq > $seq AND whole.state = 'complete'
  } OR coalesce(c['asked_again'] = $uuid AND c['asked_again_by'] <> $answer
    AND c['asked_again_at'] > datetime() - duration({seconds: $patience}), false)
    AND NOT EXISTS { MATCH (:Message {uuid: c['asked_again_by'], conversation_id: $conversation_id}) } AS taken
FOREACH (_ IN CASE WHEN taken THEN [] ELSE [1] END |
  SET c.asked_again = $uuid, c.asked_again_by = $answer, c.asked_again_at = datetime())
RETURN NOT taken AS claimed

// name: release_question
// at once
// The turn of this answer gives a question back that it was asked again and has said nothing to.
MATCH (c:Conversation {uuid: $conversation_id})
WHERE c.user_id = $user_id AND c.project = $project AND c.asked_again_by = $answer
SET c.asked_again_by = null
REMOVE c.asked_again, c.asked_again_at
