// A user apart from what they said: plan and preferences on `:User`, in every project; usage by days (`:UsageDay`), over all
// projects, so of no project (`project: ''`).

// name: user_context
// Plan and preferences, and the newest days with any usage.
OPTIONAL MATCH (u:User {user_id: $user_id})
RETURN u.plan AS plan, u.preferences AS preferences, COLLECT {
  MATCH (d:UsageDay)
  WHERE d.user_id = $user_id
  RETURN d {.day, .turns, .input_tokens, .output_tokens, .cost_usd} ORDER BY d.day DESC LIMIT $days
} AS days

// name: set_user_context
// at once
// Preferences are merged by whoever sets them, so they are set where they still are what they were ($before) when that was
// done; nothing comes back where they are not. `context_at` says whether they are from before an erasure.
MERGE (u:User {user_id: $user})
ON CREATE SET u.created_at = datetime()
SET u.user_id = $user
WITH u
WHERE coalesce(u.preferences, '{}') = $before
SET u.plan = coalesce($plan, u.plan), u.preferences = $preferences, u.context_at = datetime()
RETURN u.plan AS plan

// name: usage_day
MATCH (d:UsageDay {user_id: $user_id, day: $day})
RETURN d {.day, .turns, .input_tokens, .output_tokens, .cost_usd} AS day

// name: count_usage
// at once
// Adds to a day. What was counted lately is known by its uuid and is not counted again: a write may be sent twice.
MERGE (d:UsageDay {user_id: $user, day: $day})
ON CREATE SET d.uuid = $uuid, d.project = '', d.created_at = datetime(), d.turns = 0, d.input_tokens = 0, d.output_tokens = 0,
  d.cost_usd = 0.0, d.lately = []
SET d.user_id = $user
WITH d
CALL (d) {
  WITH d
  WHERE NOT $uuid IN d.lately
  SET d.turns = d.turns + $turns, d.input_tokens = d.input_tokens + $input_tokens,
    d.output_tokens = d.output_tokens + $output_tokens, d.cost_usd = d.cost_usd + $cost_usd,
    d.lately = ([$uuid] + d.lately)[..100]
}
RETURN d {.day, .turns, .input_tokens, .output_tokens, .cost_usd} AS day
