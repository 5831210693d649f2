"""The tools that say what a commit changes, and what has changed of something: `impact`, `code_changes`."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragforge_memory.errors import InvalidInput, ToolError
from ragforge_memory.models.text import counted
from ragforge_memory.text.excerpts import excerpt
from ragforge_memory.text.names import fits, lies_in, reference, same_file
from ragforge_memory.tools.conversation import EXCERPT, as_given, what_became
from ragforge_memory.tools.declare import tool
from ragforge_memory.tools.ports import ToolContext
from ragforge_memory.tools.project_files import inside, text_files
from ragforge_memory.tools.resolve import implementations, resolve
from ragforge_memory.tools.shown import LIST_BYTES, code_of, fitting, shown

if TYPE_CHECKING:
    from ragforge_memory.models.code import Scope
    from ragforge_memory.models.impact import Impact, ImpactedScope

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


@tool
async def code_changes(
    context: ToolContext, target: str, revision: str = "", since: str = "", file: str = "", kind: str = ""
) -> dict[str, Any]:
    """Lists what has changed of a definition (with what is inside of it), a file or a folder, as `impact` does.

    `known` is false where there is nothing of that name, then or now.

    Args:
        target: a name, as for `read_scope`, or the path of a file or folder, or the end of it.
        revision: as for `impact`.
        since: a day (`2026-01-31`): what was committed from then on; used in place of `revision`.
        file: path of the file that has the name, or the end of that path, where more than one does.
        kind: what it is (`class`, `function`, `method`), where other things have that name too.
    """
    import anyio.to_thread

    if since and context.root is not None:
        commit = await anyio.to_thread.run_sync(_before_day, context.root, since)
        revision = f"{commit}..HEAD"
    root, found = await _impact(context, revision)
    target = target.strip().strip("`'\"").removeprefix("./")
    meant: Sequence[Scope] = ()
    match = "exact"
    path = await anyio.to_thread.run_sync(_path, root, target, [each.file for each in found.scopes] + [*found.outside])
    if not path:
        resolved = await resolve(code_of(context), context.owner.project, target, file, kind, root, context.messages)
        if resolved.match not in ("partial", "none"):
            meant = implementations(resolved.scopes)
        match = resolved.match if meant else "exact"
    concerns = partial(lies_in, path) if path else None
    names = {(each.file, each.qualified_name) for each in meant}
    asked = reference(target)
    scopes = [
        each
        for each in found.scopes
        if (
            any(map(concerns, filter(None, (each.file, each.moved_to_file))))
            if concerns
            else _is_of(each, names, asked.parts, file or asked.file)
        )
    ]
    outside = [each for each in found.outside if concerns and concerns(each)]
    own = found.model_copy(update={"scopes": tuple(scopes), "outside": tuple(outside)})
    told = await _told(context, root, own, revision)
    return {
        **told,
        "asked": target,
        "path": path,
        "match": match,
        "known": bool(path or meant or scopes),
        "meant": [shown(each) for each in meant[:1]],
    }


async def _impact(context: ToolContext, revision: str) -> tuple[Path, Impact]:
    if context.root is None or context.messages is None:
        raise ToolError("the project's files are not on this machine", hint="run it where they are")
    try:
        return context.root, await context.messages.impact(context.root, revision.strip() or None)
    except InvalidInput as error:
        raise ToolError(str(error), hint=error.hint) from error


def _before_day(root: Path, day: str) -> str:
    """The newest commit before a day, of those that HEAD comes from."""
    from ragforge_memory.code.git import ask

    commit = ask(root, "rev-list", "-1", f"--before={day}T00:00:00", "HEAD", "--")
    if not commit:
        raise ToolError(f"git has no commit here that is older than {day}", hint="name a commit or a tag instead")
    return commit


def _path(root: Path, target: str, changed: Sequence[str]) -> str:
    """The file or folder that a path means, of those that are there and those that a change tells; ``''``: none."""
    if inside(root, target) is not None or any(each == target for each in changed):
        return target
    parts = target.replace("\\", "/").strip("/").split("/")
    if ".." not in parts and "" not in parts and (root / Path(*parts)).is_dir():
        return "/".join(parts) + "/"
    if "." not in parts[-1]:
        return ""
    named = [each for each in (*text_files(root), *changed) if same_file(target, each)]
    return min(named, key=lambda each: (each.count("/"), each), default="")


def _is_of(scope: ImpactedScope, names: Collection[tuple[str, str]], asked: Sequence[str], file: str) -> bool:
    """Whether a changed definition is one of these, or inside of one; of what is gone only its name tells."""
    places = [(scope.file, scope.qualified_name)]
    if scope.moved_to_file and scope.moved_to_name:
        places.append((scope.moved_to_file, scope.moved_to_name))
    for path, name in places:
        parts = name.split(".")
        outer = [".".join(parts[:count]) for count in range(1, len(parts) + 1)]
        if any((path, each) in names for each in outer):
            return True
        if (not file or same_file(file, path)) and any(fits(asked, each, path) for each in outer):
            return True
    return False


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
