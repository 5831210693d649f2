"""Which scope of the graph a scope that was read now is: what keeps its uuid, what is new and what is gone.

In its file a scope is known by its qualified name (and, among duplicates, by its tokens, then by its place); what is
left is looked for by its tokens, in the file first, then among all that other files lost. Pure functions of values.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from ragforge_memory.anchors.likeness import path_likeness
from ragforge_memory.code.fingerprint import whole
from ragforge_memory.code.parsed import ParsedFile, ParsedScope

# A renamed scope shorter than this has too few tokens to be told from others of its shape.
_TELLING_LINES = 3
# A new file is an old one under another name when it holds at least this share of its scopes, token by token.
_RENAMED_SHARE = 0.5
# Of so many files of the same content (empty ones) each is looked at; of more those that end in the same two names.
_MOST_COPIES = 64

Stored = Mapping[str, Any]


@dataclass(slots=True)
class FileMatch:
    """One file's scopes: by key the stored scope that each one is, and the stored ones that none is."""

    known: dict[str, Stored] = field(default_factory=dict)
    lost: list[Stored] = field(default_factory=list)


def match_file(stored: Sequence[Stored], scopes: Sequence[ParsedScope]) -> FileMatch:
    """Finds a file's scopes among those that the graph has in it.

    Args:
        stored: properties, by first line; those that RagForge's own tools made have neither ``qualified_name`` nor
            ``body_hash``: they are known by name and the parent's name.
        scopes: what was read, in order.
    """
    result = FileMatch()
    waiting: dict[str, list[Stored]] = defaultdict(list)
    for old in stored:
        waiting[_qualified(old)].append(old)
    groups: dict[str, list[ParsedScope]] = defaultdict(list)
    for scope in scopes:
        groups[scope.qualified_name].append(scope)
    fresh: list[ParsedScope] = []
    for name, group in groups.items():
        fresh.extend(_pair(group, waiting.get(name, []), result))
    lost = [old for group in waiting.values() for old in group]
    result.lost = _renamed(fresh, lost, result)
    return result


def match_claimable(found: Sequence[Stored], scopes: Sequence[ParsedScope]) -> dict[str, Stored]:
    """By key the scope of another tool that each one is: by name, else by name without type parameters (``Repo<T>``),
    which some tools write after it."""
    known = match_file(found, scopes).known
    taken = {old["uuid"] for old in known.values()}
    left = [
        {**old, "name": _plain(old["name"]), "parent": _plain(old["parent"])}
        for old in found
        if old["uuid"] not in taken
    ]
    return known | match_file(left, [scope for scope in scopes if scope.key not in known]).known


class Lost:
    """Scopes of files that are gone, or that their files do not have any more; any of them may turn up elsewhere.

    Args:
        scopes: their properties.
        hashes: for each file that is gone, its content hash.
    """

    def __init__(self, scopes: Iterable[Stored] = (), hashes: Mapping[str, str] | None = None) -> None:
        self._scopes: dict[str, Stored] = {}
        self._by_file: dict[str, list[Stored]] = defaultdict(list)
        self._by_tokens: dict[tuple[str, str, str], list[Stored]] = defaultdict(list)
        self._paths = dict(hashes or {})
        # By content, and by content and the end of the path: the order is that of ``hashes``.
        self._gone: dict[tuple[str, str], dict[str, None]] = defaultdict(dict)
        for path, digest in self._paths.items():
            for end in ("", _end(path)) if digest else ():
                self._gone[digest, end][path] = None
        for scope in scopes:
            self.add(scope)

    def add(self, scope: Stored) -> None:
        """One more scope that was not found where it was."""
        self._scopes[scope["uuid"]] = scope
        self._by_file[scope["file"]].append(scope)
        if scope.get("body_hash"):
            self._by_tokens[_tokens(scope)].append(scope)

    def renamed_from(self, parsed: ParsedFile, digest: str) -> str | None:
        """The file that is gone and that this new one is: with the same content, or mostly the same scopes. Of copies
        that are both gone it is the one whose path is more alike."""
        if gone := self._gone.get((digest, "")):
            if len(gone) > _MOST_COPIES:
                gone = self._gone.get((digest, _end(parsed.path))) or gone
            copies = islice(gone, _MOST_COPIES)
            return self._taken(min(copies, key=lambda path: (-path_likeness(path, parsed.path), path)))
        votes: dict[str, int] = defaultdict(int)
        for scope in parsed.scopes:
            for path in {old["file"] for old in self._by_tokens.get(_tokens_of(scope), ())}:
                votes[path] += 1
        for path in sorted(votes, key=lambda path: (-votes[path], -path_likeness(path, parsed.path), path)):
            count = votes[path]
            if path in self._paths and count >= _RENAMED_SHARE * max(len(self._by_file[path]), len(parsed.scopes)):
                return self._taken(path)
        return None

    def of_file(self, path: str) -> list[Stored]:
        """What is still lost of a file, by first line."""
        left = [scope for scope in self._by_file[path] if scope["uuid"] in self._scopes]
        return sorted(left, key=lambda scope: scope["startLine"])

    def take(self, uuid: str) -> None:
        """A lost scope is found."""
        self._scopes.pop(uuid, None)

    def find(self, scope: ParsedScope) -> Stored | None:
        """The lost scope with this name and these tokens, where there is exactly one; it is lost no more."""
        left = [old for old in self._by_tokens.get(_tokens_of(scope), ()) if old["uuid"] in self._scopes]
        if len(left) != 1:
            return None
        self.take(left[0]["uuid"])
        return left[0]

    def left(self) -> list[Stored]:
        """What was found nowhere."""
        return list(self._scopes.values())

    def _taken(self, path: str) -> str:
        digest = self._paths.pop(path)
        for end in ("", _end(path)) if digest else ():
            del self._gone[digest, end][path]
        return path


def _pair(group: list[ParsedScope], waiting: list[Stored], result: FileMatch) -> list[ParsedScope]:
    """Pairs scopes of one qualified name, equal tokens first, the others in order; returns what is left."""
    if len(group) > 1 or len(waiting) > 1:
        for scope in group:
            same = next((old for old in waiting if old.get("body_hash") == scope.body_hash), None)
            if same is not None:
                waiting.remove(same)
                result.known[scope.key] = same
    fresh = []
    for scope in group:
        if scope.key in result.known:
            continue
        if waiting:
            result.known[scope.key] = waiting.pop(0)
        else:
            fresh.append(scope)
    return fresh


def _renamed(fresh: Sequence[ParsedScope], lost: Sequence[Stored], result: FileMatch) -> list[Stored]:
    """Pairs what is left of a file by its tokens, the name not counted, where that is unambiguous."""
    by_tokens: dict[tuple[str, str], list[ParsedScope]] = defaultdict(list)
    for scope in fresh:
        if scope.end_line - scope.start_line + 1 >= _TELLING_LINES:
            by_tokens[scope.type, scope.body_hash].append(scope)
    candidates: dict[tuple[str, str], list[Stored]] = defaultdict(list)
    for old in lost:
        candidates[old["type"], whole(old.get("body_hash") or "")].append(old)
    left = []
    for tokens, olds in candidates.items():
        news = by_tokens.get(tokens, [])
        if len(news) == len(olds) == 1:
            result.known[news[0].key] = olds[0]
        else:
            left.extend(olds)
    return left


def _qualified(stored: Stored) -> str:
    qualified = stored.get("qualified_name")
    if qualified:
        return str(qualified)
    parent = stored.get("parent")
    return f"{parent}.{stored['name']}" if parent else str(stored["name"])


def _plain(name: Any) -> Any:
    """A name without type parameters."""
    bare, _, more = str(name).partition("<")
    return bare if bare and more.endswith(">") else name


def _end(path: str) -> str:
    return "/".join(path.split("/")[-2:])


def _tokens(stored: Stored) -> tuple[str, str, str]:
    return stored["type"], stored["name"], whole(stored["body_hash"])


def _tokens_of(scope: ParsedScope) -> tuple[str, str, str]:
    return scope.type, scope.name, scope.body_hash
