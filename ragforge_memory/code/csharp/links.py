"""How C# files reach one another: namespaces, ``using``, partial types; and the names that everybody has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ragforge_memory.code.clauses import comment_free
from ragforge_memory.code.draft import Draft
from ragforge_memory.code.packages import package_modules
from ragforge_memory.code.reads import UNPLACED

if TYPE_CHECKING:
    from tree_sitter import Node

    from ragforge_memory.code.draft import Visit
    from ragforge_memory.code.index import ProjectIndex
    from ragforge_memory.code.links import Place
    from ragforge_memory.code.parsed import Import, ParsedFile, ParsedScope


_COMMON_MEMBERS = """
Add AddRange Aggregate All Any Append AppendFormat AppendLine Await Cast Clear Clone Close Combine Compare CompareTo
Concat ConfigureAwait Contains ContainsKey Copy CopyTo Count Create Dequeue Dispose DisposeAsync Distinct ElementAt
EndsWith Enqueue Equals Exists Find FindIndex First FirstOrDefault Flush ForEach Format Get GetAwaiter GetBytes
GetCustomAttributes GetEnumerator GetHashCode GetLength GetMethod GetProperty GetResult GetType GetValue GroupBy
IndexOf Insert Invoke IsAssignableFrom Join Last LastOrDefault Max Min MoveNext Next Open OrderBy Parse Peek Pop
Push Read ReadAsync ReadLine Remove RemoveAll RemoveAt Replace Reset Reverse Select SelectMany SequenceEqual Set
SetValue Single SingleOrDefault Skip Sort Split Start StartsWith Stop Substring Sum Take ToArray ToDictionary ToList
ToLower ToString ToUpper Trim TrimEnd TrimStart TryAdd TryGetValue TryParse Union Wait Where Write WriteAsync
WriteLine Zip
"""
COMMON_MEMBERS: frozenset[str] = frozenset(_COMMON_MEMBERS.split())
"""From System, System.Collections.Generic, System.IO, System.Linq, System.Reflection, System.Text and
System.Threading.Tasks: an unknown receiver's method of such a name is not taken for the project's."""


def using(draft: Draft, node: Node) -> Visit:
    alias = node.child_by_field_name("name")
    target = next((child for child in comment_free(node.named_children) if child != alias), None)
    path = "".join(draft.text(target).split()).removeprefix("global::") if target is not None else ""
    path = path.partition("<")[0]
    if alias is not None:
        draft.add_import(draft.text(alias), path, path.rpartition(".")[2], draft.line(node))
    elif any(child.type == "static" for child in node.children):
        draft.add_import("*", path, f"{path.rpartition('.')[2]}.*", draft.line(node))
    elif path:
        draft.add_import("*", path, "*", draft.line(node))
    return ()


def modules(index: ProjectIndex, file: ParsedFile, imported: Import) -> Sequence[str]:
    """The namespace that a ``using`` names: in full, else seen from the namespaces of the file, the innermost first."""
    if found := package_modules(index, file, imported):
        return found
    for package in file.package.split():
        while package:
            if found := package_modules(index, file, replace(imported, module=f"{package}.{imported.module}")):
                return found
            package = package.rpartition(".")[0]
    return ()


def neighbours(index: ProjectIndex, file: ParsedFile) -> Sequence[str]:
    """The files of the same namespaces, and of those around them."""
    found: dict[str, None] = {}
    for package in file.package.split():
        while package:
            found.update(dict.fromkeys(index.packages.get(f"csharp:{package}/", ())))
            package = package.rpartition(".")[0]
    for path in _without_namespace(index):
        found[path] = None
    return list(found)


def _without_namespace(index: ProjectIndex) -> Sequence[str]:
    """The files of no namespace, which all others see."""
    outlines = index.layout.outlines
    return index.remember(
        ("csharp", "global"),
        lambda: sorted(path for path, file in outlines.items() if file.language == "csharp" and not file.package),
        reads=((UNPLACED, ""),),
    )


def parts(index: ProjectIndex, path: str, scope: ParsedScope) -> Sequence[Place]:
    """The other ``partial`` declarations of a type."""
    if "partial" not in scope.modifiers:
        return ()
    here = index.files[path].placed.package
    return [
        (other, found.key)
        for other, found in index.defined("csharp", scope.name)
        if found.qualified_name == scope.qualified_name
        and "partial" in found.modifiers
        and index.files[other].placed.package == here
        and (other, found.key) != (path, scope.key)
    ]
