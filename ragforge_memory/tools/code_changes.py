"""The tool that says what a commit changes, and what was decided about that: `impact`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragforge_memory.errors import InvalidInput, ToolError
from ragforge_memory.models.text import counted
from ragforge_memory.retrieval.excerpts import excerpt
from ragforge_memory.tools.conversation import EXCERPT, as_given, what_became
from ragforge_memory.tools.declare import tool
from ragforge_memory.tools.ports import ToolContext
from ragforge_memory.tools.shown import LIST_BYTES, fitting

if TYPE_CHECKING:
    from ragforge_memory.models.impact import Impact

MAX_DECISIONS = 20
"""Decisions behind changed code that are told."""


@tool
async def impact(context: ToolContext, revision: str = "") -> dict[str, Any]:
    """Lists the definitions that a commit changes, adds, moves or removes, and what was decided about them.

    `outside` are changed files in which no definition changes: texts, settings, code outside of definitions.

    Args:
        revision: a commit (`HEAD`, a tag, an id): what it changed; `A..B`: what changed from A to B; `A...B`: what B
            changed since both parted; empty: what is not committed yet.
    """
    root, found = await _impact(context, revision)
    return await _told(context, root, found, revision)


async def _impact(context: ToolContext, revision: str) -> tuple[Path, Impact]:
    if context.root is None or context.messages is None:
        raise ToolError("the project's files are not on this machine", hint="run it where they are")
    try:
        return context.root, await context.messages.impact(context.root, revision.strip() or None)
    except InvalidInput as error:
        raise ToolError(str(error), hint=error.hint) from error


async def _told(context: ToolContext, root: Path, found: Impact, revision: str) -> dict[str, Any]:
    scopes = [
        {
            "qualified_name": each.qualified_name,
            "type": each.type,
            "file": each.file,
            "change": each.change,
            **({"moved_to": f"{each.moved_to_file} {each.moved_to_name}"} if each.moved_to_name else {}),
        }
        for each in found.scopes
    ]
    return {
        "revision": revision.strip(),
        "before": found.before[:12],
        "after": found.after[:12] if found.after else None,
        **await _commit(root, found, revision),
        "totals": {"scopes": len(scopes), "outside": len(found.outside)},
        "scopes": fitting(scopes, LIST_BYTES // 2),
        "outside": list(found.outside[:100]),
        "messages": counted(len(found.messages), "message stands", "messages stand") + " on them",
        "decisions": _decisions(context, found),
    }


async def _commit(root: Path, found: Impact, revision: str) -> dict[str, Any]:
    """When and under which title one commit was made; nothing of several, or of none."""
    import anyio.to_thread

    from ragforge_memory.code.git import ask

    if found.after is None or ".." in revision:
        return {}
    after = found.after
    said = await anyio.to_thread.run_sync(lambda: ask(root, "log", "-1", "--format=%cs%x00%s", after, "--"))
    day, _, subject = (said or "").partition("\0")
    return {"date": day, "subject": subject}


def _decisions(context: ToolContext, found: Impact) -> list[dict[str, Any]]:
    """The messages that decide something, each once, as `list_decisions` has them."""
    told: dict[str, dict[str, Any]] = {}
    for each in (each for scope in found.scopes for each in scope.messages if each.decision is not None):
        message = each.message
        entry = told.setdefault(
            message.uuid,
            {
                "message_id": message.uuid,
                "conversation_id": message.conversation_id,
                "this_conversation": message.conversation_id == context.conversation_id,
                "role": message.role,
                "timestamp": message.timestamp.isoformat(),
                "excerpt": excerpt(each.decision or "", (), EXCERPT),
                **({"corrected": as_given(each.corrected)} if each.corrected is not None else {}),
                "code": [],
            },
        )
        entry["code"].append(what_became(each.reference))
    return list(told.values())[:MAX_DECISIONS]
