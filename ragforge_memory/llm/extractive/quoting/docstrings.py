"""Documentation as readable Markdown: Python's is often reStructuredText, which nobody reads as it stands.

Only what docstrings are full of is rewritten: roles, literals, links, field lists, directives, literal blocks and
underlined headings (docutils.sourceforge.io/docs/ref/rst; Sphinx's roles and its info field lists). The rest stays.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

_PYTHON = (".py", ".pyi", ".pyx")

_ROLE = re.compile(r"(?<![\w:`]):(?:[a-z]\w*:){0,2}(?P<role>[a-zA-Z][\w-]*):`{1,2}(?P<text>[^`]+)`{1,2}")
_TITLED = re.compile(r"^(?P<title>.+?)\s*<(?P<target>[^<>]+)>$", re.S)
_LITERAL = re.compile(r"``(?P<code>[^`\n]+(?:\n[^`\n]+)?)``")
_LINK = re.compile(r"`(?P<title>[^`<>]+?)\s*<(?P<target>[^`<>\s]+)>`__?")
_NAMED_LINK = re.compile(r"`(?P<title>[^`<>]+)`__?(?!\w)")
_LINK_TARGET = re.compile(r"^\s*(?:\.\. )?(?:_[^:`]+:|__)(?: .*)?$|^\s*\.\. _`[^`]+`:.*$")
_PROSE_ROLES = frozenset(
    {"ref", "doc", "term", "numref", "any", "download", "abbr", "emphasis", "strong", "issue", "pr"}
)
_NUMBERED_ROLES = {"pep": "PEP", "rfc": "RFC"}

_FIELD = re.compile(r"^:(?P<field>[a-z]+)(?:\s+(?P<of>[^:\n]+?))?:(?:\s+(?P<text>.*))?$")
_PARAMETERS = frozenset(
    {"param", "parameter", "arg", "argument", "key", "keyword", "kwarg", "kwparam", "var", "ivar", "cvar"}
)
_TYPES = {"type": "param", "vartype": "param", "rtype": "returns"}
_RETURNS = {"return": "Returns", "returns": "Returns", "yield": "Yields", "yields": "Yields"}
_RAISES = frozenset({"raise", "raises", "except", "exception"})

_DIRECTIVE = re.compile(r"^(?P<indent>\s*)\.\. (?P<name>[\w:-]+)::(?: +(?P<text>.*))?$")
_COMMENT = re.compile(r"^\s*\.\.(?: .*)?$")
_OPTION = re.compile(r"^\s+:[\w-]+:(?: .*)?$")
_VERSIONS = {
    "versionadded": "Added in",
    "versionchanged": "Changed in",
    "deprecated": "Deprecated since",
    "versionremoved": "Removed in",
}
_CODE = frozenset({"code", "code-block", "sourcecode", "doctest", "testcode", "parsed-literal", "math", "highlight"})
_ADMONITIONS = frozenset(
    {"note", "warning", "tip", "hint", "important", "caution", "danger", "attention", "error", "seealso", "admonition"}
)
_UNDERLINE = re.compile(r"^\s*([=\-~^\"'#*+])\1{2,}\s*$")


def readable(documentation: str, file: str) -> list[str]:
    """The lines of a definition's documentation as Markdown; no blank line at either end, nor two in a row.

    Args:
        documentation: as it stands in the code, indentation removed.
        file: where it is from: Python's is taken for reStructuredText, what other languages have stays as it is.
    """
    text = documentation.strip().expandtabs()
    lines = _rewritten(text).splitlines() if file.endswith(_PYTHON) else text.splitlines()
    kept: list[str] = []
    for line in (each.rstrip() for each in lines):
        if line or (kept and kept[-1]):
            kept.append(line)
    while kept and not kept[-1]:
        kept.pop()
    return kept


def _rewritten(text: str) -> str:
    return "\n".join(_fields(_blocks([line for line in text.splitlines() if not _LINK_TARGET.match(line)])))


def _inline(text: str) -> str:
    """Roles, literals and links; code stays out of this, so it is called for prose alone."""
    text = _ROLE.sub(_role, text)
    text = _LINK.sub(lambda match: f"[{_spaced(match['title'])}]({match['target']})", text)
    text = _LITERAL.sub(lambda match: f"`{_spaced(match['code'])}`", text)
    return _NAMED_LINK.sub(lambda match: match["title"], text).replace("\\ ", "")


def _role(match: re.Match[str]) -> str:
    role, text = match["role"].lower(), _spaced(match["text"])
    titled = _TITLED.match(text)
    if role in _NUMBERED_ROLES:
        return titled["title"] if titled else f"{_NUMBERED_ROLES[role]} {text}"
    said = titled["title"] if titled else text.removeprefix("!")
    if not titled and said.startswith("~"):
        said = said.rpartition(".")[2].removeprefix("~")
    if role in _PROSE_ROLES:
        return said
    return f"`{said.lstrip('.')}`"


def _spaced(text: str) -> str:
    return " ".join(text.split())


def _blocks(lines: Sequence[str]) -> list[str]:
    """Prose rewritten, code indented as Markdown wants it, directives in words."""
    done: list[str] = []
    prose: list[str] = []

    def flush() -> None:
        done.extend(_inline("\n".join(prose)).split("\n") if prose else ())
        prose.clear()

    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        directive = _DIRECTIVE.match(line)
        below = _UNDERLINE.match(lines[at]) if at < len(lines) and line.strip() and not line.startswith(" ") else None
        if directive is not None:
            flush()
            end = _end_of_block(lines, at, len(directive["indent"]))
            done += _directive(directive, lines[at:end])
            at = end
        elif _COMMENT.match(line):
            flush()
            at = _end_of_block(lines, at, _indent(line))
        elif below is not None and not _UNDERLINE.match(line):
            flush()
            done.append(f"**{_inline(line.strip())}**")
            at += 1
        elif line.lstrip().startswith(">>> "):
            flush()
            end = at
            while end < len(lines) and lines[end].strip():
                end += 1
            done += _code(lines[at - 1 : end])
            at = end
        elif line.rstrip().endswith("::"):
            said = line.rstrip()[:-1]
            prose += [said] if said.strip(" :") else []
            flush()
            end = _end_of_block(lines, at, _indent(line))
            done += _code(lines[at:end])
            at = end
        else:
            if not line.strip():
                flush()  # no role or link crosses a paragraph's border
                done.append("")
            else:
                prose.append(line)
    flush()
    return done


def _directive(directive: re.Match[str], body: Sequence[str]) -> list[str]:
    name, text = directive["name"].lower(), (directive["text"] or "").strip()
    inside = list(body)
    while inside and _OPTION.match(inside[0]):
        inside.pop(0)
    if name in _CODE:
        return _code([f"    {text}", *inside] if name == "math" and text else inside)
    least = min((_indent(line) for line in inside if line.strip()), default=0)
    body = _blocks([line[least:] for line in inside])
    if name in _VERSIONS:
        version, _, rest = text.partition(" ")
        return _led(f"*{_VERSIONS[name]} {version}:*", f"*{_VERSIONS[name]} {version}.*", rest, body)
    if name in _ADMONITIONS:
        title = "See also" if name == "seealso" else text if name == "admonition" and text else name.capitalize()
        return _led(f"**{title}:**", "", "" if name == "admonition" else text, body)
    return body


def _led(opening: str, alone: str, text: str, body: Sequence[str]) -> list[str]:
    """What a directive says, after the words that stand for its name."""
    lines = [*([_inline(text)] if text else []), *body]
    while lines and not lines[0]:
        lines.pop(0)
    if not lines:
        return [alone] if alone else []
    if lines[0].startswith((" ", "- ")):
        return [opening, "", *lines]
    return [f"{opening} {lines[0]}", *lines[1:]]


def _code(lines: Sequence[str]) -> list[str]:
    """Lines as an indented block of code, apart from what is around it."""
    kept = list(lines)
    while kept and not kept[0].strip():
        kept.pop(0)
    while kept and not kept[-1].strip():
        kept.pop()
    if not kept:
        return [""]
    least = min(_indent(line) for line in kept if line.strip())
    return ["", *(f"    {line[least:]}" if line.strip() else "" for line in kept), ""]


def _end_of_block(lines: Sequence[str], start: int, indent: int) -> int:
    """Where the block that is indented deeper than ``indent`` ends."""
    end = start
    for at in range(start, len(lines)):
        if not lines[at].strip():
            continue
        if _indent(lines[at]) <= indent:
            break
        end = at + 1
    return end


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _fields(lines: Sequence[str]) -> list[str]:
    """Field lists as Markdown lists: one item a parameter with its type, what is returned, what is raised."""
    types = _types(lines)
    told = {match["field"] for match in map(_FIELD.match, lines) if match is not None}
    done: list[str] = []
    hidden = inside = False
    for line in lines:
        field = _FIELD.match(line)
        if field is not None and (item := _item(field, types, told)) is not None:
            hidden, inside = not item, True
            done += [item] if item else []
        elif inside and (line.startswith(" ") or not line.strip()):
            if not hidden or not line.strip():
                done.append(f"  {line.strip()}" if line.strip() else "")
        else:
            hidden = inside = False
            done.append(line)
    return done


def _types(lines: Sequence[str]) -> Mapping[tuple[str, str], str]:
    types: dict[tuple[str, str], str] = {}
    for match in map(_FIELD.match, lines):
        if match is not None and match["field"] in _TYPES:
            types[_TYPES[match["field"]], match["of"] or ""] = _as_code(match["text"] or "")
    return types


def _item(field: re.Match[str], types: Mapping[tuple[str, str], str], told: set[Any]) -> str | None:
    """A field as an item; ``''`` where another one tells it, None where it is none that is known."""
    name, of, text = field["field"], (field["of"] or "").strip(), (field["text"] or "").strip()
    if name in _PARAMETERS and of:
        kind, _, parameter = of.rpartition(" ")
        shown = _as_code(kind) if kind else types.get(("param", parameter), "")
        return _said(f"- `{parameter.lstrip(chr(92))}`" + (f" ({shown})" if shown else ""), text)
    if name in _RETURNS and not of:
        shown = types.get(("returns", ""), "")
        return _said(f"- {_RETURNS[name]}" + (f" ({shown})" if shown else ""), text)
    if name in _RAISES and (of or text):
        return _said(f"- Raises {_as_code(of)}", text) if of else f"- Raises {_as_code(text)}"
    if name == "rtype":
        return "" if told & set(_RETURNS) else f"- Returns {_as_code(text)}" if text else ""
    if name in _TYPES:
        return ""
    return "" if name == "meta" else None


def _said(what: str, text: str) -> str:
    return f"{what}: {text}" if text else what


def _as_code(text: str) -> str:
    bare = text.strip().rstrip(".")
    return bare if "`" in bare or not bare else f"`{bare}`"
