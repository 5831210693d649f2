// name: space_of_project
// No owner: which model a project's vectors come from, and where a model's vectors are, is the server's business.
OPTIONAL MATCH (p:RagforgeMeta {key: $project_key})
OPTIONAL MATCH (s:RagforgeMeta {key: $space_key})
RETURN p.model AS model, p.dimension AS dimension, s.number AS number, s.ready AS ready

// name: claim_space
// MERGE on unique keys takes their locks: two processes give one model one number, and a project one space. The
// counter is raised only for a space that is new.
MERGE (counter:RagforgeMeta {key: 'spaces'})
ON CREATE SET counter.count = 0
SET counter.touched = datetime()
MERGE (s:RagforgeMeta {key: $space_key})
ON CREATE SET s.model = $model, s.dimension = $dimension
FOREACH (_ IN CASE WHEN s.number IS NULL THEN [1] ELSE [] END |
  SET counter.count = counter.count + 1, s.number = counter.count)
MERGE (p:RagforgeMeta {key: $project_key})
ON CREATE SET p.project = $project, p.model = $model, p.dimension = $dimension
RETURN s.number AS number, s.ready AS ready, p.model AS model, p.dimension AS dimension

// name: space_ready
// Only now do others stop making the indexes themselves.
MATCH (s:RagforgeMeta {key: $space_key})
SET s.ready = true
RETURN s.number AS number

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
