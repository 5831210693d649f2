"""All files of a project by path, directory and name: what resolution looks things up in."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any, TypeVar

from ragforge_memory.code import reads as kinds
from ragforge_memory.code.languages import LANGUAGES, reader_of
from ragforge_memory.code.layout import Layout, Outline, outline, owner_name
from ragforge_memory.code.links import Links
from ragforge_memory.code.parsed import TYPE_TYPES, Binding, Import, ParsedFile, ParsedScope
from ragforge_memory.code.reads import Reading, Reads, Watched, WatchedLevels

V = TypeVar("V")

Levels = Mapping[str | None, Mapping[str, V]]


class FileIndex:
    """One file's scopes by key, parent and name."""

    def __init__(self, file: ParsedFile) -> None:
        self._file = file
        self.path = file.path
        self.by_key: Mapping[str, ParsedScope] = {scope.key: scope for scope in file.scopes}
        self._bindings: dict[str | None, dict[str, list[Binding]]] = {}
        self.links: Links[ProjectIndex] = reader_of(file.language).links

    @property
    def file(self) -> ParsedFile:
        """All of it."""
        return self._file

    @property
    def placed(self) -> ParsedFile:
        """The file, for its path, language and package alone."""
        return self._file

    @cached_property
    def children(self) -> Levels[list[ParsedScope]]:
        """For each parent's key (None: the top level), what is defined in it, by name, in source order.

        Constructors that bear their type's name are left out: the name means the type. So are a template's
        specializations, where the name means the template, and methods whose type was lost in a syntax error.
        """
        found: dict[str | None, dict[str, list[ParsedScope]]] = {}
        for scope in self._file.scopes:
            lost = scope.type == "method" and scope.parent is None
            unnamed = "constructor" in scope.modifiers or "specialization" in scope.modifiers
            if scope.owner is None and not lost and not unnamed:
                found.setdefault(scope.parent, {}).setdefault(scope.name, []).append(scope)
                if "outward" in scope.modifiers and scope.parent is not None:  # a plain C enum's members
                    around = self.by_key[scope.parent].parent
                    found.setdefault(around, {}).setdefault(scope.name, []).append(scope)
        return found

    @cached_property
    def imports(self) -> Levels[list[Import]]:
        """For each importing scope's key (None: the top level), the imports by their name in this file."""
        found: dict[str | None, dict[str, list[Import]]] = {}
        for imported in self._file.imports:
            found.setdefault(imported.scope, {}).setdefault(imported.local, []).append(imported)
        return found

    @cached_property
    def exports(self) -> Mapping[str, str]:
        """What the file says that it exports: the name outside and the dotted name inside."""
        return {export.name: export.local for export in self._file.exports}

    @property
    def exports_any(self) -> bool:
        """Whether the file says that it exports anything."""
        return bool(self._file.exports)

    def bindings(self, key: str | None) -> Mapping[str, list[Binding]]:
        """The bindings of a scope (None: the top level) by name, in source order."""
        found = self._bindings.get(key)
        if found is None:
            found = self._bindings[key] = {}
            for binding in self._file.bindings if key is None else self.by_key[key].bindings:
                found.setdefault(binding.name, []).append(binding)
        return found

    def constructors(self, key: str) -> list[ParsedScope]:
        """A type's constructors that bear its name, in source order."""
        return [scope for scope in self._file.scopes if scope.parent == key and "constructor" in scope.modifiers]

    @cached_property
    def _offered(self) -> frozenset[str] | None:
        imported = self.imports.get(None, {})
        if any(everything.exported or self.links.imports_visible for everything in imported.get("*", ())):
            return None
        return frozenset({*self.children.get(None, {}), *self.exports, *imported, *self.bindings(None)})

    def may_offer(self, name: str) -> bool:
        """Whether the file can have a top-level name; quick, and true too often rather than too rarely."""
        return self._offered is None or name in self._offered

    @property
    def top(self) -> Mapping[str, list[ParsedScope]]:
        """What is defined at the top level."""
        return self.children.get(None, {})


class OtherFile(FileIndex):
    """A file as the resolution of another one sees it: what is asked of it is noted.

    Args:
        whole: the file.
        reads: where to note.
    """

    def __init__(self, whole: FileIndex, reads: Reads) -> None:
        self._whole = whole
        self._reads = reads
        self.path = path = whole.path
        self.links = whole.links
        names = {key: scope.name for key, scope in whole.by_key.items()}
        self.by_key = Watched(whole.by_key, reads, path, names)
        self.children = WatchedLevels(whole.children, names, reads, path)
        self.imports = WatchedLevels(whole.imports, names, reads, path)
        self.exports = Watched(whole.exports, reads, path)

    @property
    def file(self) -> ParsedFile:
        """All of it, noted as such."""
        self._reads.note(self.path, kinds.ALL)
        return self._whole.file

    @property
    def placed(self) -> ParsedFile:
        """See FileIndex."""
        self._reads.note(kinds.FILE, self.path)
        return self._whole.file

    @property
    def exports_any(self) -> bool:
        """See FileIndex."""
        self._reads.note(self.path, kinds.EXPORTS)
        return self._whole.exports_any

    def bindings(self, key: str | None) -> Mapping[str, list[Binding]]:
        """See FileIndex."""
        return Watched(self._whole.bindings(key), self._reads, self.path)

    def constructors(self, key: str) -> list[ParsedScope]:
        """See FileIndex."""
        self._reads.note(self.path, self._whole.by_key[key].name)
        return self._whole.constructors(key)

    def may_offer(self, name: str) -> bool:
        """See FileIndex."""
        self._reads.add(((self.path, name), (self.path, "*")))
        return self._whole.may_offer(name)


class Files:
    """The files of a project by path; what is read of others than the one that is resolved is noted.

    Args:
        paths: of all of them.
        load: reads one.
        reads: where to note.
    """

    def __init__(self, paths: Iterable[str], load: Callable[[str], ParsedFile], reads: Reads) -> None:
        self.paths = dict.fromkeys(sorted(paths))
        self._load = load
        self._reads = reads
        self._whole: dict[str, FileIndex] = {}
        self._others: dict[str, OtherFile] = {}

    def whole(self, path: str) -> FileIndex:
        """A file that nothing is noted of."""
        found = self._whole.get(path)
        if found is None:
            found = self._whole[path] = FileIndex(self._load(path))
        return found

    def renew(self, paths: Iterable[str]) -> None:
        """Loads files again, since more of them is known."""
        for path in paths:
            self._whole.pop(path, None)
            self._others.pop(path, None)

    def __getitem__(self, path: str) -> FileIndex:
        if path == self._reads.own:
            return self.whole(path)
        found = self._others.get(path)
        if found is None:
            found = self._others[path] = OtherFile(self.whole(path), self._reads)
        return found

    def __iter__(self) -> Iterator[str]:
        self._reads.note(kinds.FILE, kinds.ALL)
        return iter(self.paths)

    def get(self, path: str) -> FileIndex | None:
        """A file; None where there is none."""
        if path not in self:
            return None
        return self[path]

    def __contains__(self, path: str) -> bool:
        self._reads.note(kinds.FILE, path)
        return path in self.paths


class ProjectIndex:
    """The files of a project. Broken files are left out. It does not change once it is made.

    Args:
        files: each path once.
        outlines: of all files, where ``files`` are read by ``load`` when they are needed.
        load: reads the file of a path.
    """

    def __init__(
        self,
        files: Iterable[ParsedFile] = (),
        *,
        outlines: Mapping[str, Outline] | None = None,
        load: Callable[[str], ParsedFile] | None = None,
    ) -> None:
        self.reads = Reads()
        good = {file.path: file for file in files if file.error is None}
        self._outlines = {path: outline(file) for path, file in good.items()} if outlines is None else outlines
        self.files = Files(self._outlines, load or good.__getitem__, self.reads)
        self._layout = Layout(self._outlines)
        self._memo: dict[Hashable, tuple[Any, Collection[Reading]]] = {}
        self._defined: dict[tuple[str, str], list[tuple[str, ParsedScope]]] = {}
        self._detached: dict[str, list[tuple[str, ParsedScope]]] = {}
        layout, reads = self._layout, self.reads
        self.directories = Watched(layout.directories, reads, kinds.DIRECTORY)
        """For each directory (``""`` or with a final slash) the paths of the files right in it, sorted."""
        self.all_directories = Watched(layout.all_directories, reads, kinds.ABOVE)
        """Every directory above a file, with a final slash."""
        self.by_basename = Watched(layout.by_basename, reads, kinds.BASENAME)
        """For each file name without directories the paths that end with it, sorted."""
        self.packages = Watched(layout.packages, reads, kinds.PACKAGE)
        """For each module ``language:package/`` the paths of its files, sorted; a file may say several packages."""
        self.parent_packages = Watched(layout.parent_packages, reads, kinds.PARENT_PACKAGE)
        """Every module ``language:package/`` that has files or packages inside."""

    @property
    def layout(self) -> Layout:
        """Where the files are; what is read of it is not noted."""
        return self._layout

    def remember(self, key: Hashable, make: Callable[[], V], reads: Collection[Reading] | None = None) -> V:
        """What ``make`` gives, worked out once.

        Args:
            key: begins with the language.
            make: a pure function of the index.
            reads: what to note in place of what ``make`` reads.
        """
        known = self._memo.get(key)
        if known is None:
            with self.reads.of(None) as asked:
                value = make()
            known = self._memo[key] = (value, asked if reads is None else reads)
        self.reads.add(known[1])
        found: V = known[0]
        return found

    def inside(self, module: str) -> list[str]:
        """The paths of the files right in a directory (``./`` is the root) or package."""
        return self.directories.get("" if module == "./" else module) or self.packages.get(module) or []

    def first_below(self, directory: str) -> str | None:
        """The first path of code below a directory."""
        self.reads.note(kinds.BELOW, directory)
        known = self._outlines
        below = (path for path in self.files.paths if path.startswith(directory))
        return next((path for path in below if LANGUAGES[known[path].language].has_code), None)

    def defined(self, family: str, name: str) -> list[tuple[str, ParsedScope]]:
        """The (path, scope) pairs of all definitions of a bare name in a family of languages, by path."""
        self.reads.note(kinds.DEFINED, f"{family}:{name}")
        found = self._defined.get((family, name))
        if found is None:
            found = self._defined[family, name] = [
                (path, scope)
                for path in self._layout.defining.get((family, name), ())
                for scope in self.files.whole(path).file.scopes
                if scope.name == name
            ]
        return found

    def detached(self, name: str) -> list[tuple[str, ParsedScope]]:
        """The (path, scope) pairs of members that are defined outside their type, by the last name of ``owner``."""
        self.reads.note(kinds.DETACHED, name)
        found = self._detached.get(name)
        if found is None:
            found = self._detached[name] = [
                (path, scope)
                for path in self._layout.detaching.get(name, ())
                for scope in self.files.whole(path).file.scopes
                if scope.owner is not None
                and owner_name(scope.owner) == name
                and not {"constructor", "specialization"} & set(scope.modifiers)
            ]
        return found

    def types(self, path: str, name: str) -> list[ParsedScope]:
        """The types called ``name`` at the top level of a file."""
        return [scope for scope in self.files[path].top.get(name, ()) if scope.type in TYPE_TYPES]
