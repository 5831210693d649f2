"""What a file of another program holds, counted from the file alone: by `jq`, and by `awk` where it is Markdown.

Nothing here knows the importers. Every expression gives, for a whole file, the numbers of `KEYS`; a result without a
call makes a call and a message of its own, and a call without a result has failed, as docs/archive.md says.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

KEYS = ("conversations", "user", "assistant", "system", "tool_calls", "results", "failures")
"""Results are calls that something came of; failures are calls that failed or that nothing came of."""

AIDER_FORMAT = "aider chat history"
OPENAI_FORMAT = "OpenAI chat messages"
PLAIN_FORMAT = "plain list"

# Which format a file has, by the keys of its first record.
FORMAT = """
[limit(1; inputs | if type == "array" then .[0] else . end)] | .[0]
| if has("mapping") then "ChatGPT export"
  elif (.data | type) == "object" then "LangChain messages"
  elif has("messages") or has("role") then "OpenAI chat messages"
  elif has("type") then "Claude Code session"
  else error("no known format") end
"""

# Calls and results of one conversation by their ids. A result is paired with a call of its id; what is left of either
# has no counterpart. Calls without ids (the older function_call) are answered in their order.
PAIRED = """
def paired($calls; $results):
  ($calls | map(. // "") | group_by(.) | map({key: .[0], value: length}) | from_entries) as $asked
  | ($results | map(.id // "") | group_by(.) | map({key: .[0], value: length}) | from_entries) as $given
  | ($asked | to_entries | map([.value, $given[.key] // 0] | min) | add // 0) as $matched
  | {alone: (($results | length) - $matched),
     unanswered: (($calls | length) - $matched),
     errors: ($results | map(select(.error)) | length)};
def counts($user; $assistant; $system; $calls; $results):
  paired($calls; $results) as $pairs
  | {conversations: 1, user: $user, assistant: ($assistant + $pairs.alone), system: $system,
     tool_calls: (($calls | length) + $pairs.alone), results: ($results | length),
     failures: ($pairs.unanswered + $pairs.errors)};
def total: reduce .[] as $one ({}; reduce ($one | to_entries[]) as $each (.; .[$each.key] += $each.value));
"""

# A conversation is a list, or a record with `messages`; records without are one conversation together. `developer`
# speaks as the system; `tool` and `function` are results; a call is an item of tool_calls, else the function_call.
OPENAI = """
[inputs | if type == "array" then .[] else . end]
| (if any(has("messages")) then map(.messages) else [.] end)
| map(
    [.[] | select(.role == "assistant")
     | if (.tool_calls // []) != [] then .tool_calls[].id elif .function_call then null else empty end] as $calls
    | [.[] | select(.role == "tool" or .role == "function") | {id: .tool_call_id, error: false}] as $results
    | counts(
        map(select(.role == "user")) | length;
        map(select(.role == "assistant")) | length;
        map(select(.role == "system" or .role == "developer")) | length;
        $calls; $results))
| total
"""

# Lines of one sessionId are a session; of these its main chain counts, unless it is a subagent's altogether. An answer
# is all lines of one message id. A user's line is one of theirs if it has more than results; the program's own
# (isMeta, isCompactSummary) are the system's.
CLAUDE_CODE = """
[inputs | select(.type == "user" or .type == "assistant")]
| group_by(.sessionId)
| map(
    (if all(.isSidechain == true) then . else map(select(.isSidechain != true)) end)
    | map(.blocks = (.message.content | if type == "string" then [{type: "text"}] else . end))
    | map(select(.type == "assistant")) as $answers
    | map(select(.type == "user")) as $lines
    | [$lines[] | select((.blocks == []) or any(.blocks[]; .type != "tool_result"))] as $said
    | [$said[] | select(.isMeta == true or .isCompactSummary == true)] as $own
    | [$answers[].blocks[] | select(.type == "tool_use" or .type == "server_tool_use") | .id] as $calls
    | [$lines[].blocks[] | select(.type == "tool_result") | {id: .tool_use_id, error: (.is_error == true)}] as $results
    | ($answers | map(.message.id)) as $ids
    | counts(
        ($said | length) - ($own | length);
        ([$ids[] | select(. != null)] | unique | length) + ([$ids[] | select(. == null)] | length);
        $own | length;
        $calls; $results))
| total
"""

# The nodes from current_node (else the newest leaf) up to the root, as letters: U and S said something, C called a
# tool, R is what a tool gave and E its error, T thought, X answered. An answer is all that leads to an X, with it; a
# result that stands there before any call is one more call. Several results behind one call are one.
CHATGPT = """
def words:
  (if .content_type == "tether_browsing_display" then (.result // .summary // "")
   elif .content_type == "user_editable_context" or .content_type == "model_editable_context"
   then [.user_profile, .user_instructions, .model_set_context | strings] | join("\\n")
   elif .parts != null then [.parts[] | if type == "string" then . else "[part]" end] | join("\\n")
   else (.text // "") end)
  | gsub("^\\n+|\\n+$"; "");
def letter:
  .message | .author.role as $role
  | if . == null then ""
    elif $role == "user" or $role == "system" then
      (if (.content | words) == "" then ""
       elif $role == "system" or .metadata.is_visually_hidden_from_conversation == true then "S" else "U" end)
    elif $role == "tool" then (if .content.content_type == "system_error" then "E" else "R" end)
    elif .content.content_type == "reasoning_recap" then ""
    elif (.recipient // "all") != "all" then "C"
    elif .content.content_type == "thoughts" then
      (if any(.content.thoughts[]; .summary or .content) then "T" else "" end)
    elif (.content | words) == "" then ""
    else "X" end;
def leaf: .mapping as $nodes | [$nodes[].parent] as $parents
  | [$nodes | to_entries[] | select(.key | IN($parents[]) | not)] | max_by(.value.message.create_time // 0) | .key;
def path: .mapping as $nodes | (.current_node // leaf)
  | [recurse($nodes[.].parent; . != null)] | reverse | map($nodes[.] | letter) | join("");
[inputs | if type == "array" then .[] else . end]
| map(path
    | [scan("[TCRE]*X|[TCRE]+")] as $answers
    | ($answers | map(
        reduce (explode[] | [.] | implode) as $one ({open: 0, calls: 0, results: 0, errors: 0};
          if $one == "C" then .open += 1 | .calls += 1
          elif $one == "R" or $one == "E" then
            (if .open > 0 then .open -= 1 | .results += 1 | .errors += (if $one == "E" then 1 else 0 end)
             elif .calls == 0 then .calls += 1 | .results += 1 | .errors += (if $one == "E" then 1 else 0 end)
             else . end)
          else . end)) ) as $tools
    | {conversations: 1, user: ([scan("U")] | length), assistant: ($answers | length),
       system: ([scan("S")] | length), tool_calls: ([$tools[].calls] | add // 0),
       results: ([$tools[].results] | add // 0), failures: ([$tools[] | .errors + .open] | add // 0)})
| total
"""

# A chunk is a message; `chat` names its role, and who is neither the user nor the assistant speaks as the system.
# LangChain's own calls count, those that it could not read too; where a message has neither, the vendor's.
LANGCHAIN = """
def speaker:
  (.type | sub("MessageChunk$"; "") | ascii_downcase) as $type
  | (if $type == "chat" then (.data.role | ascii_downcase) else $type end) as $role
  | {human: "user", user: "user", ai: "assistant", assistant: "assistant"}[$role]
    // (if $type == "tool" or $type == "function" then "result" else "system" end);
[inputs | if type == "array" then .[] else . end]
| ([.[] | select(speaker == "assistant") | .data
    | ((.tool_calls // []) + (.invalid_tool_calls // [])) as $own
    | if $own != [] then $own[].id
      elif (.additional_kwargs.tool_calls // []) != [] then .additional_kwargs.tool_calls[].id
      elif .additional_kwargs.function_call then null
      else empty end]) as $calls
| [.[] | select(speaker == "result") | {id: .data.tool_call_id, error: (.data.status == "error")}] as $results
| counts(
    map(select(speaker == "user")) | length;
    map(select(speaker == "assistant")) | length;
    map(select(speaker == "system")) | length;
    $calls; $results)
"""

EXPRESSIONS = {
    OPENAI_FORMAT: OPENAI,
    "Claude Code session": CLAUDE_CODE,
    "ChatGPT export": CHATGPT,
    "LangChain messages": LANGCHAIN,
}

# Runs of lines of one speaker, blank ones apart; a session counts in which the user or the model has a run.
AIDER = r"""
function close_run() {
  if (text && who != "aider") { said[who]++; if (!counted) { sessions++; counted = 1 } }
  who = ""; text = 0
}
/^# aider chat started at [0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9] / { close_run(); counted = 0; next }
{
  speaker = "assistant"; line = $0
  if (line ~ /^#### / || line ~ /^####[ \t\r]*$/) { speaker = "user"; line = substr(line, 6) }
  else if (line ~ /^> / || line ~ /^>[ \t\r]*$/) { speaker = "aider" }
  if (speaker != who) close_run()
  who = speaker
  if (line ~ /[^ \t\r]/) text = 1
}
END {
  close_run()
  printf "{\"conversations\": %d, \"user\": %d, \"assistant\": %d}", sessions, said["user"], said["assistant"]
}
"""


def counted(file: Path) -> tuple[str, dict[str, int]]:
    """Which format a file has, and its numbers.

    Raises:
        ValueError: the file is malformed, as `jq` says.
    """
    if file.read_bytes()[:1] not in (b"[", b"{"):
        return AIDER_FORMAT, _numbers(_run("awk", AIDER, str(file)))
    form = json.loads(_run("jq", "-n", FORMAT, str(file)))
    return form, _numbers(_run("jq", "-n", PAIRED + EXPRESSIONS[form], str(file)))


def missing_programs() -> list[str]:
    """Which of the programs that count are not on this machine."""
    return [name for name in ("jq", "awk") if shutil.which(name) is None]


def _numbers(found: str) -> dict[str, int]:
    counts = json.loads(found)
    return {key: counts.get(key) or 0 for key in KEYS}


def _run(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ValueError(done.stderr.strip().splitlines()[-1])
    return done.stdout
