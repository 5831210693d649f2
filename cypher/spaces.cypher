// name: space_of_project
// No owner: which model a project's vectors come from, and where a model's vectors are, is the server's business.
OPTIONAL MATCH (p:RagforgeMeta {key: $project_key})
OPTIONAL MATCH (s:RagforgeMeta {key: $space_key})
RETURN p.model AS model, p.dimension AS dimension, s.number AS number, s.ready AS ready

// name: chosen_space
MATCH (p:RagforgeMeta {key: $project_key})
MATCH (s:RagforgeMeta {key: 'space/' + p.model + '/' + p.dimension})
RETURN p.model AS model, p.dimension AS dimension, s.number AS number

// name: claim_space
// MERGE on unique keys takes their locks: two processes give one model one number, and a project one space. The
// counter is raised only for a space that is new; $least skips numbers whose indexes somebody else has made.
MERGE (counter:RagforgeMeta {key: 'spaces'})
ON CREATE SET counter.count = 0
SET counter.touched = datetime()
MERGE (s:RagforgeMeta {key: $space_key})
ON CREATE SET s.model = $model, s.dimension = $dimension
FOREACH (_ IN CASE WHEN s.number IS NULL THEN [1] ELSE [] END |
  SET counter.count = CASE WHEN counter.count + 1 < $least THEN $least ELSE counter.count + 1 END
  SET s.number = counter.count)
MERGE (p:RagforgeMeta {key: $project_key})
ON CREATE SET p.project = $project, p.model = $model, p.dimension = $dimension
RETURN s.number AS number, s.ready AS ready, p.model AS model, p.dimension AS dimension

// name: number_space
// As claim_space, for a space that no project has chosen yet.
MERGE (counter:RagforgeMeta {key: 'spaces'})
ON CREATE SET counter.count = 0
SET counter.touched = datetime()
MERGE (s:RagforgeMeta {key: $space_key})
ON CREATE SET s.model = $model, s.dimension = $dimension
FOREACH (_ IN CASE WHEN s.number IS NULL THEN [1] ELSE [] END |
  SET counter.count = CASE WHEN counter.count + 1 < $least THEN $least ELSE counter.count + 1 END
  SET s.number = counter.count)
RETURN s.number AS number, s.ready AS ready

// name: leave_space
// Only if the project's choice is still the one whose vectors were looked for, and none are on their way elsewhere.
MATCH (p:RagforgeMeta {key: $project_key})
WHERE p.model = $model AND p.dimension = $dimension AND p.next_model IS NULL AND p.clearing IS NULL
SET p.touched = datetime()
WITH p WHERE p['model'] = $model AND p['dimension'] = $dimension AND p['next_model'] IS NULL AND p['clearing'] IS NULL
DELETE p
RETURN true AS left

// name: project_has_vectors
// Asked only when a project's model was changed: whether something would be lost. A space is the whole project's, so
// no user is asked for.
RETURN EXISTS { MATCH (s:Scope) WHERE s.project = $project AND s[$property] IS NOT NULL }
  OR EXISTS { MATCH (m:Message) WHERE m.project = $project AND m[$property] IS NOT NULL }
  OR EXISTS { MATCH (y:Memory) WHERE y.project = $project AND y[$property] IS NOT NULL }
  OR EXISTS { MATCH (k:Chunk) WHERE k.project = $project AND k[$property] IS NOT NULL }
  OR EXISTS { MATCH (c:Conversation) WHERE c.project = $project AND c[$conversation_property] IS NOT NULL } AS used

// name: space_ready
// Only now do others stop making the indexes themselves. What we have made is written down: RagForge's own tools make
// indexes of the same names, and theirs are not ours to drop.
MATCH (s:RagforgeMeta {key: $space_key})
REMOVE s.retired
SET s.ready = true, s.made = coalesce(s.made, []) + $made
RETURN s.number AS number

// name: retire_space
// A space that no project uses, is moving to or has vectors left in; the lock on the counter comes before the look, as
// whoever claims a space takes it too. Its number stays its own.
MERGE (counter:RagforgeMeta {key: 'spaces'})
SET counter.touched = datetime()
WITH counter
MATCH (s:RagforgeMeta {key: $space_key})
WHERE NOT EXISTS {
  MATCH (p:RagforgeMeta)
  WHERE p.key STARTS WITH 'project/' AND ((p.model = s.model AND p.dimension = s.dimension)
    OR (p.next_model = s.model AND p.next_dimension = s.dimension) OR $space_key IN p.clearing)
}
REMOVE s.ready
SET s.retired = true
RETURN coalesce(s.made, []) AS made

// name: retired_spaces
// Those whose indexes could not be dropped at once: a drop waits for everybody who writes to the label.
MATCH (s:RagforgeMeta)
WHERE s.retired
RETURN s.model AS model, s.dimension AS dimension, s.number AS number

// name: space_dropped
MATCH (s:RagforgeMeta {key: $space_key})
WHERE s.retired
REMOVE s.retired, s.made
RETURN s.number AS number

// name: drop_vector_index
// autocommit
DROP INDEX {{index}} IF EXISTS

// name: create_message_vector_index
// requires: 2026.2
// autocommit
// Quantization is off: the default, binary, had a recall of .5 to .65. Scope properties are filters inside the index.
CYPHER 25
CREATE VECTOR INDEX {{index}} IF NOT EXISTS FOR (n:Message) ON n.{{property}}
WITH [n.conversation_id, n.user_id, n.project, n.seq]
OPTIONS {indexConfig: {`vector.dimensions`: {{dimension}}, `vector.similarity_function`: 'cosine', `vector.quantization.enabled`: false}}

// name: create_message_vector_index
// autocommit
// Older servers know no filters inside the index: searches take more and filter afterwards.
CREATE VECTOR INDEX {{index}} IF NOT EXISTS FOR (n:Message) ON (n.{{property}})
OPTIONS {indexConfig: {`vector.dimensions`: {{dimension}}, `vector.similarity_function`: 'cosine', `vector.quantization.enabled`: false}}

// name: create_scope_vector_index
// requires: 2026.2
// autocommit
CYPHER 25
CREATE VECTOR INDEX {{index}} IF NOT EXISTS FOR (n:Scope) ON n.{{property}}
WITH [n.project]
OPTIONS {indexConfig: {`vector.dimensions`: {{dimension}}, `vector.similarity_function`: 'cosine', `vector.quantization.enabled`: false}}

// name: create_scope_vector_index
// autocommit
CREATE VECTOR INDEX {{index}} IF NOT EXISTS FOR (n:Scope) ON (n.{{property}})
OPTIONS {indexConfig: {`vector.dimensions`: {{dimension}}, `vector.similarity_function`: 'cosine', `vector.quantization.enabled`: false}}

// name: create_conversation_vector_index
// requires: 2026.2
// autocommit
CYPHER 25
CREATE VECTOR INDEX {{index}} IF NOT EXISTS FOR (n:Conversation) ON n.{{property}}
WITH [n.user_id, n.project, n.status]
OPTIONS {indexConfig: {`vector.dimensions`: {{dimension}}, `vector.similarity_function`: 'cosine', `vector.quantization.enabled`: false}}

// name: create_conversation_vector_index
// autocommit
CREATE VECTOR INDEX {{index}} IF NOT EXISTS FOR (n:Conversation) ON (n.{{property}})
OPTIONS {indexConfig: {`vector.dimensions`: {{dimension}}, `vector.similarity_function`: 'cosine', `vector.quantization.enabled`: false}}

// name: create_summary_vector_index
// requires: 2026.2
// autocommit
CYPHER 25
CREATE VECTOR INDEX {{index}} IF NOT EXISTS FOR (n:Summary) ON n.{{property}}
WITH [n.conversation_id, n.user_id, n.project, n.level]
OPTIONS {indexConfig: {`vector.dimensions`: {{dimension}}, `vector.similarity_function`: 'cosine', `vector.quantization.enabled`: false}}

// name: create_summary_vector_index
// autocommit
CREATE VECTOR INDEX {{index}} IF NOT EXISTS FOR (n:Summary) ON (n.{{property}})
OPTIONS {indexConfig: {`vector.dimensions`: {{dimension}}, `vector.similarity_function`: 'cosine', `vector.quantization.enabled`: false}}

// name: create_memory_vector_index
// requires: 2026.2
// autocommit
CYPHER 25
CREATE VECTOR INDEX {{index}} IF NOT EXISTS FOR (n:Memory) ON n.{{property}}
WITH [n.user_id, n.project, n.is_active]
OPTIONS {indexConfig: {`vector.dimensions`: {{dimension}}, `vector.similarity_function`: 'cosine', `vector.quantization.enabled`: false}}

// name: create_memory_vector_index
// autocommit
CREATE VECTOR INDEX {{index}} IF NOT EXISTS FOR (n:Memory) ON (n.{{property}})
OPTIONS {indexConfig: {`vector.dimensions`: {{dimension}}, `vector.similarity_function`: 'cosine', `vector.quantization.enabled`: false}}

// name: create_chunk_vector_index
// requires: 2026.2
// autocommit
CYPHER 25
CREATE VECTOR INDEX {{index}} IF NOT EXISTS FOR (n:Chunk) ON n.{{property}}
WITH [n.user_id, n.project]
OPTIONS {indexConfig: {`vector.dimensions`: {{dimension}}, `vector.similarity_function`: 'cosine', `vector.quantization.enabled`: false}}

// name: create_chunk_vector_index
// autocommit
CREATE VECTOR INDEX {{index}} IF NOT EXISTS FOR (n:Chunk) ON (n.{{property}})
OPTIONS {indexConfig: {`vector.dimensions`: {{dimension}}, `vector.similarity_function`: 'cosine', `vector.quantization.enabled`: false}}

// name: vector_indexes
// autocommit
// Of everybody: names and places that are taken. No owner: indexes are the server's.
SHOW VECTOR INDEXES YIELD name, labelsOrTypes, properties, options
RETURN name, labelsOrTypes[0] AS label, properties[0] AS property, options.indexConfig['vector.dimensions'] AS dimension

// name: last_space
OPTIONAL MATCH (counter:RagforgeMeta {key: 'spaces'})
RETURN coalesce(counter.count, 0) AS number

// name: other_vectors
// Whether any node has something else than a vector of this dimension in the property of a space's number: another tool
// keeps its own there, without an index. No owner: a space is the server's.
RETURN EXISTS { MATCH (s:Scope) WHERE s[$property] IS NOT NULL
    AND coalesce(CASE WHEN valueType(s[$property]) STARTS WITH 'LIST' THEN size(s[$property]) END <> $dimension, true) }
  OR EXISTS { MATCH (m:Message) WHERE m[$property] IS NOT NULL
    AND coalesce(CASE WHEN valueType(m[$property]) STARTS WITH 'LIST' THEN size(m[$property]) END <> $dimension, true) }
  OR EXISTS { MATCH (y:Memory) WHERE y[$property] IS NOT NULL
    AND coalesce(CASE WHEN valueType(y[$property]) STARTS WITH 'LIST' THEN size(y[$property]) END <> $dimension, true) }
  OR EXISTS { MATCH (k:Chunk) WHERE k[$property] IS NOT NULL
    AND coalesce(CASE WHEN valueType(k[$property]) STARTS WITH 'LIST' THEN size(k[$property]) END <> $dimension, true) }
  AS found
