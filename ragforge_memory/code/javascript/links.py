"""How JavaScript and TypeScript imports reach other files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from posixpath import normpath
from typing import TYPE_CHECKING

from ragforge_memory.code.layout import folder_of, folders_above
from ragforge_memory.code.links import Links
from ragforge_memory.code.reads import FILE, MODULE, PACKAGE

if TYPE_CHECKING:
    from ragforge_memory.code.index import ProjectIndex
    from ragforge_memory.code.links import Place
    from ragforge_memory.code.parsed import Import, ParsedFile, ParsedScope


def extended(index: ProjectIndex, here: str) -> dict[str, tuple[str, int]]:
    """The files that those around a folder take over, however far that goes: each with the nearest folder of one that
    begins it, and by how many steps."""
    return index.remember(("javascript", "extended", here), lambda: _found(index, here))


def _found(index: ProjectIndex, here: str) -> dict[str, tuple[str, int]]:
    found: dict[str, tuple[str, int]] = {}
    beginning = [path for path in index.packages.get("jsconfig:=/", ()) if here.startswith(folder_of(path))]
    for first in sorted(beginning, key=lambda path: (-len(folder_of(path)), path)):
        steps, seen, last = 0, {first}, [first]
        while last:
            steps += 1
            # What was seen is not gone through again: they may take over each other.
            last = [base for path in last for base in _bases(index, path) if base not in seen]
            seen.update(last)
            for base in last:
                found.setdefault(base, (folder_of(first), steps))
    return found


def _bases(index: ProjectIndex, path: str) -> Iterator[str]:
    """What a file itself takes over."""
    for word in index.layout.outlines[path].package.split():
        if word.startswith("=") and word != "=":
            index.reads.note(PACKAGE, f"jsconfig:{word}/")
            base = normpath(folder_of(path) + word[1:])
            for each in (base, f"{base}.json", f"{base}/tsconfig.json"):
                index.reads.note(FILE, each)
                known = index.layout.outlines.get(each)
                if known is not None and known.language == "jsconfig":
                    yield each
                    break


_EXTENSIONS = (".ts", ".tsx", ".mts", ".cts", ".d.ts", ".js", ".jsx", ".mjs", ".cjs")
_WRITTEN = {".js": (".ts", ".tsx", ".jsx"), ".jsx": (".tsx",), ".mjs": (".mts",), ".cjs": (".cts",)}
"""TypeScript's imports name the file that will be compiled, with the compiled file's extension."""

_ALIASES = ("@/", "~/", "#/", "/")
"""What bundlers' configurations commonly map to the source directory."""

_MERGING = frozenset({"namespace", "interface"})
_MERGED = _MERGING | {"class", "enum", "function", "type"}

_COMMON = (
    "abort add addEventListener after all allSettled anchor any append appendChild apply apply assert assign at "
    "attachShadow before bind blur call catch ceil charAt charCodeAt clear click clone close closest codePointAt "
    "compareDocumentPosition concat connect contains copy copyWithin count create createElement createReadStream "
    "createServer cwd dataset debug decode define defineProperty delete describe destroy dir disconnect dispatch "
    "dispatchEvent done emit encode end endsWith entries error escape every exec execSync exists existsSync exit "
    "expect fail fetch fill filter finally find findIndex findLast findLastIndex finish first flat flatMap floor "
    "flush focus forEach format freeze from fromEntries get getAll getAttribute getBoundingClientRect getContext "
    "getDate getDay getElementById getFullYear getHours getItem getMilliseconds getMinutes getMonth "
    "getOwnPropertyNames getPrototypeOf getSeconds getTime group has hasAttribute hasOwnProperty head header headers "
    "includes indexOf info init inject insert insertBefore isArray isFinite isInteger isNaN isPrototypeOf item join "
    "json keys last lastIndexOf length listen load localeCompare log map mark match matchAll matches max measure min "
    "mkdir mkdirSync next normalize now off on once open options padEnd padStart parse patch pause pipe pop post "
    "postMessage preventDefault push put querySelector querySelectorAll query race random raw read readFile "
    "readFileSync ready reduce reduceRight reject release reload remove removeAttribute removeChild "
    "removeEventListener removeItem render repeat replace replaceAll replaceChild request require reset resolve "
    "resume reverse round run save search seek select send set setAttribute setItem setTimeout setHeader shift slice "
    "some sort splice split start startsWith stat status stop stopPropagation stringify submit subscribe substr "
    "substring table tap test then throw time toDataURL toEqual toFixed toISOString toJSON toLocaleString toLowerCase "
    "toString toUpperCase toBe trace track transform trigger trim trimEnd trimStart type unref unshift unsubscribe "
    "update use validate value valueOf values verify wait walk warn watch write writeFile writeFileSync"
)

COMMON_MEMBERS: frozenset[str] = frozenset(_COMMON.split())
"""Methods of the built-in types, the DOM, Node's streams and files, and test libraries."""


def modules(index: ProjectIndex, file: ParsedFile, imported: Import) -> Sequence[str]:
    """The files that a module specifier means: relative ones by Node's and TypeScript's rules; a bare one only
    where the project's settings say what it means, or it names a package of this repository or an aliased source
    directory."""
    name = imported.module
    here = file.path[: file.path.rfind("/") + 1]
    if name.startswith("."):
        base = normpath(here + name)
        if base.startswith(".."):
            return ()
        found = _file_at(index, "" if base == "." else base)
        return [found] if found else ()
    return index.remember(("javascript", here, name), lambda: _bare(index, here, name))


def _file_at(index: ProjectIndex, base: str) -> str | None:
    index.reads.note(MODULE, base.rpartition("/")[2].partition(".")[0])
    files = index.layout.outlines
    if base in files:
        return base
    stem, dot, extension = base.rpartition(".")
    for other in _WRITTEN.get(dot + extension, ()):
        if stem + other in files:
            return stem + other
    for extension in _EXTENSIONS:
        if base + extension in files:
            return base + extension
    prefix = f"{base}/" if base else ""
    for extension in _EXTENSIONS:
        if f"{prefix}index{extension}" in files:
            return f"{prefix}index{extension}"
    return None


def _bare(index: ProjectIndex, here: str, name: str) -> Sequence[str]:
    configured = _configured(index, here, name)
    if configured is not None:
        return [configured]
    for alias in _ALIASES:
        if name.startswith(alias):
            return _from_above(index, here, name[len(alias) :])
    scope, _, rest = name.partition("/") if name.startswith("@") else ("", "", name)
    package, _, inside = rest.partition("/")
    found = []
    index.reads.note(MODULE, package)
    for directory in _packages(index).get(package, ()):
        for middle in ("src/", "", "lib/"):
            path = _file_at(index, (directory + middle + inside).rstrip("/"))
            if path is not None:
                found.append(path)
                break
    if not found and not scope and inside:
        return _from_above(index, here, name, only_src=True)
    return found


def _configured(index: ProjectIndex, here: str, name: str) -> str | None:
    """The file that a specifier means by a ``tsconfig.json`` around the importing file, by one that such a one takes
    over, or by a ``package.json``; of several by the nearest."""
    taken = extended(index, here)

    def far(path: str) -> tuple[bool, int, int, str]:
        own = folder_of(path)
        around, steps = taken.get(path, (own, 0))
        if len(own) >= len(around) and here.startswith(own):
            around, steps = own, 0
        return not here.startswith(around), -len(around), steps, path

    for key, rest in _keys(name):
        found = index.packages.get(f"jsconfig:{key}/", ())
        for path in sorted(found, key=far):
            folder, is_package = folder_of(path), path.endswith("package.json")
            if not is_package and not here.startswith(folder) and path not in taken:
                continue
            # What it means may be built from the sources, and not be there itself.
            built = [f"{middle}{rest}" for middle in ("src/", "", "lib/")] if is_package else []
            for target in (*_targets(index, path, key, rest), *built):
                base = normpath(folder + target)
                file = None if base.startswith("..") else _file_at(index, "" if base == "." else base)
                if file is not None:
                    return file
    return None


def _keys(name: str) -> list[tuple[str, str]]:
    """What settings may call a specifier, the most of it first, and what of it a final star stands for."""
    cuts = [at + 1 for at, sign in enumerate(name) if sign in "/@~#"]
    return [(name, ""), *((f"{name[:at]}*", name[at:]) for at in (*reversed(cuts), 0))]


def _targets(index: ProjectIndex, path: str, key: str, rest: str) -> list[str]:
    found = []
    for word in index.layout.outlines[path].package.split():
        name, _, target = word.partition("=")
        if name == key and target:
            index.reads.note(PACKAGE, f"jsconfig:{word}/")
            found.append(target.replace("*", rest))
    return found


def _from_above(index: ProjectIndex, here: str, rest: str, *, only_src: bool = False) -> Sequence[str]:
    """``rest`` below ``src`` of the nearest directory above the importing file that has it."""
    for folder in folders_above(here):
        for middle in ("",) if only_src else ("src/", "", "app/"):
            found = _file_at(index, folder + middle + rest)
            if found is not None and (not only_src or rest.startswith(("src/", "app/", "lib/"))):
                return [found]
    return ()


def _packages(index: ProjectIndex) -> dict[str, list[str]]:
    """The directories of a workspace's packages by their last name."""
    return index.remember(("javascript", "packages"), lambda: _found_packages(index), reads=())


def _found_packages(index: ProjectIndex) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for directory in sorted(index.layout.all_directories):
        parts = directory.rstrip("/").split("/")
        if len(parts) > 1 and parts[-2] in ("packages", "libs", "modules", "apps", "plugins"):
            found.setdefault(parts[-1], []).append(directory)
    return found


def parts(index: ProjectIndex, path: str, scope: ParsedScope) -> Sequence[Place]:
    """The other declarations that TypeScript merges with one: interfaces of one name, and a namespace with the class,
    enum, function, interface or type of its name; those of one file and place alone. All parts of a namespace are one
    place."""
    if scope.type not in _MERGED or scope.owner is not None:
        return ()
    file = index.files[path]
    around = [scope.parent]
    if scope.parent is not None and (parent := file.by_key[scope.parent]).type == "namespace":
        around += [key for _, key in parts(index, path, parent) if file.by_key[key].type == "namespace"]
    declared = [each for key in around for each in file.children.get(key, {}).get(scope.name, ())]
    merging = [each for each in declared if each.type in _MERGED]
    if not any(each.type in _MERGING for each in merging):
        return ()
    return [(path, each.key) for each in merging if each.key != scope.key]


LINKS = Links(
    modules=modules,
    parts=parts,
    self_names=frozenset({"this"}),
    super_names=frozenset({"super"}),
    exports_only=True,
    by_path=True,
    global_names=True,
    common_members=COMMON_MEMBERS,
)
