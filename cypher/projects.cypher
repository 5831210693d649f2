// What a project is known by. `ProjectName.project` is what all nodes of the project have as `project`: the name that it
// was first known by. It never changes, so another name costs one node, and nothing that is keyed or indexed by it. The
// lists `roots`, `insides`, `remotes` and `first_commits` have one entry for each place that has had the name, '' for none:
// two repositories may share a name, and each is known by its own.

// name: named_project
// At every opening, by the unique name.
MATCH (n:ProjectName {name: $name})
RETURN n {.name, .project, .roots, .insides, .remotes, .first_commits} AS found

// name: similar_projects
// Once for a name that is new: what was at the same place, has the same remote, or begins with the same commit. One that
// begins with another commit is another repository, whatever stood at its place before.
MATCH (n:ProjectName)
WHERE n.name <> $name AND any(i IN range(0, coalesce(size(n.roots), 0) - 1) WHERE n.insides[i] = $inside
  AND (n.roots[i] = $root OR n.remotes[i] = $remote OR n.first_commits[i] = $first_commit)
  AND coalesce(n.first_commits[i] = '' OR n.first_commits[i] = $first_commit, true))
WITH n ORDER BY $root IN n.roots DESC, n.named_at DESC
RETURN n {.name, .project, .roots, .insides, .remotes, .first_commits} AS found,
  COUNT { MATCH (c:Conversation) WHERE c.project = n.project AND c.status <> 'deleting' } AS conversations
LIMIT $limit

// name: projects_called
// What projects are, or were first, called so, or as the next of that name: one that was renamed may have left its name to
// another, whose nodes say the next one.
MATCH (n:ProjectName)
WHERE n.project = $name OR n.project STARTS WITH $name + '#'
RETURN DISTINCT n.project AS project

// name: project_is_used
// Whether anything is kept under a name that was never written down: by a program that says it itself, or before there
// were names. Asked once for a name that is new.
RETURN EXISTS { MATCH (c:Conversation) WHERE c.project = $project AND c.status <> 'deleting' }
  OR EXISTS { MATCH (m:Memory) WHERE m.project = $project }
  OR EXISTS { MATCH (d:Document) WHERE d.project = $project } AS used

// name: name_project
// at once
// A name leads to one project, whoever writes it first. The places that are written stand before those that it had.
MERGE (n:ProjectName {name: $name})
ON CREATE SET n.uuid = $uuid, n.project = $of_project, n.named_at = datetime()
SET n.name = $name
WITH n, [i IN range(0, coalesce(size(n['roots']), 0) - 1) WHERE NOT n['roots'][i] IN $left] AS kept
WITH n, [p IN $places | p.root] + [i IN kept | n['roots'][i]] AS roots,
  [p IN $places | p.inside] + [i IN kept | n['insides'][i]] AS insides,
  [p IN $places | p.remote] + [i IN kept | n['remotes'][i]] AS remotes,
  [p IN $places | p.first_commit] + [i IN kept | n['first_commits'][i]] AS first_commits
SET n.roots = roots[..$most], n.insides = insides[..$most], n.remotes = remotes[..$most],
  n.first_commits = first_commits[..$most]
RETURN n.project AS project

// name: forget_project_name
// at once
MATCH (n:ProjectName {name: $name})
WHERE n.project = $project
SET n.name = $name
DELETE n
RETURN count(*) AS forgotten

// name: move_project
// at once
// Its folder is elsewhere now, and so are its files: the next ingest reads them there.
MATCH (p:Project)
WHERE p.project = $project
SET p.project = p.project
WITH p, coalesce(p['root'], p['rootPath']) AS root
WHERE root = $old_root OR root STARTS WITH $old_root + '/'
WITH p, $new_root + substring(root, size($old_root)) AS now
FOREACH (_ IN CASE WHEN p['root'] IS NULL THEN [1] ELSE [] END | SET p.rootPath = now)
FOREACH (_ IN CASE WHEN p['root'] IS NULL THEN [] ELSE [1] END | SET p.root = now)
RETURN now AS root

// name: all_projects
// Of everybody: what there is by project, with the names that lead there, the newest name first. Told to whoever has the
// server: names, places and counts, and nothing that was said.
CALL () {
  MATCH (c:Conversation)
  WHERE c.project <> '' AND c.status <> 'deleting'
  RETURN c.project AS project, count(c) AS conversations, sum(c.message_count) AS messages, max(c.updated_at) AS used_at
  UNION ALL
  MATCH (p:Project)
  WHERE p.project <> ''
  RETURN p.project AS project, 0 AS conversations, 0 AS messages, p.indexedAt AS used_at
  UNION ALL
  MATCH (n:ProjectName)
  RETURN n.project AS project, 0 AS conversations, 0 AS messages, null AS used_at
}
WITH project, sum(conversations) AS conversations, sum(messages) AS messages, max(used_at) AS used_at
RETURN project, conversations, messages, used_at, COLLECT {
  MATCH (n:ProjectName {project: project})
  WITH n ORDER BY n.named_at DESC, n.name
  RETURN n {.name, .roots}
} AS names, head(COLLECT { MATCH (p:Project {project: project}) RETURN coalesce(p.root, p.rootPath) }) AS root
ORDER BY used_at IS NULL, used_at DESC, project
