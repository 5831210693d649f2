// part: locks
// Locks the nodes `n` before they are written, in the order that every statement keeps to: label by label as below, and
// those of one label by uuid. A SET of a value that is not read from the node in the same clause takes one lock; a SET
// that reads what it sets, an edge and a delete take another one before it, and wait for whoever has the first. Nodes come
// from a MATCH: of what comes out of a map or a mixed list the planner does not know that it is a node, and has the SET
// take both. What is looked for by its unique key in a write, and is not there, is locked by its key: such keys come in
// order, after the locks of all labels before.
  WITH DISTINCT n, n.uuid AS uuid, CASE WHEN n:User THEN 0 WHEN n:Conversation THEN 1 WHEN n:Prompt THEN 2 WHEN n:Insight THEN 3
    WHEN n:Summary THEN 4 WHEN n:Message THEN 5 WHEN n:ToolCall THEN 6 WHEN n:ToolResult THEN 7 WHEN n:Memory THEN 8
    WHEN n:Document THEN 9 WHEN n:Chunk THEN 10 WHEN n:Scope THEN 11 WHEN n:File THEN 12 ELSE 13 END AS place
  ORDER BY place, uuid
  SET n.uuid = uuid
