// name: settle_questions
// At a load: a question that nobody has answered for so long is unanswered, whoever asked it and wherever they died.
// Every message is looked at once, for settled_seq is a watermark, and in one pass: grouping pairs answers with their
// questions. An answer that names no question (an import's) answers all before it. SET comes first, for its lock.
MATCH (c:Conversation {uuid: $conversation_id})
WHERE c.user_id = $user_id AND c.project = $project AND c.status <> 'deleting'
  AND coalesce(c.settled_seq, 0) < c.head_seq
SET c.settled_seq = coalesce(c.settled_seq, 0)
WITH c
CALL (c) {
  MATCH (m:Message {conversation_id: $conversation_id})
  WHERE m.seq > c.settled_seq
  WITH max(CASE WHEN m.role = 'assistant' AND m.in_reply_to IS NULL THEN m.seq ELSE 0 END) AS followed,
    collect(m) AS messages
  UNWIND messages AS m
  WITH followed, CASE m.role WHEN 'user' THEN m.uuid ELSE m.in_reply_to END AS asked, collect(m) AS turn
  WITH followed, turn[0] AS question, turn
  WHERE asked IS NOT NULL AND size(turn) = 1 AND question.role = 'user' AND question.state = 'complete'
    AND question.seq > followed
  WITH question, question.timestamp < datetime() - duration({seconds: $patience}) AS late
  FOREACH (_ IN CASE WHEN late THEN [1] ELSE [] END | SET question.state = 'unanswered')
  RETURN count(CASE WHEN late THEN 1 END) AS unanswered, min(CASE WHEN late THEN null ELSE question.seq END) AS waiting
}
SET c.settled_seq = coalesce(waiting - 1, c.head_seq)
RETURN unanswered
