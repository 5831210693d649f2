// name: graph_labels
// Every label, and how many nodes have it. What a graph is made of, whoever made it: names and counts, no value.
CALL db.labels() YIELD label
CALL (label) {
  MATCH (n:$(label))
  RETURN count(n) AS nodes
}
WITH label, nodes WHERE nodes > 0
RETURN label, nodes ORDER BY label

// name: label_properties
// The properties of some nodes of a label with the types of their values, and which other labels these nodes have.
MATCH (n:$($label))
WITH n LIMIT $sample
WITH collect(n) AS nodes
RETURN size(nodes) AS nodes, COLLECT {
  UNWIND nodes AS n
  UNWIND keys(n) AS name
  WITH name, valueType(n[name]) AS type
  WITH name, collect(DISTINCT type) AS types, count(*) AS having
  RETURN {name: name, types: types, nodes: having} AS property ORDER BY name
} AS properties, COLLECT {
  UNWIND nodes AS n
  UNWIND labels(n) AS other
  WITH other, count(*) AS having WHERE other <> $label
  RETURN {label: other, nodes: having} AS beside ORDER BY other
} AS labels

// name: graph_relationships
// Every type of relationship, how many there are, and between which labels some of them run.
CALL db.relationshipTypes() YIELD relationshipType AS type
CALL (type) {
  MATCH ()-[r:$(type)]->()
  RETURN count(r) AS total
}
WITH type, total WHERE total > 0
RETURN type, total, COLLECT {
  MATCH (a)-[r:$(type)]->(b)
  WITH labels(a) AS from_labels, labels(b) AS to_labels LIMIT $sample
  WITH DISTINCT from_labels, to_labels
  RETURN {from: from_labels, to: to_labels} AS ends
} AS ends ORDER BY type

// name: graph_indexes
SHOW INDEXES YIELD name, type, entityType, labelsOrTypes, properties, options, owningConstraint
RETURN name, type, entityType AS entity, coalesce(labelsOrTypes, []) AS labels, coalesce(properties, []) AS properties,
  owningConstraint IS NOT NULL AS unique, options.indexConfig['vector.dimensions'] AS dimensions ORDER BY name
