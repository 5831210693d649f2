"""How well questions without a code symbol are answered without a model, on repositories that nothing was tuned on.

    python benchmarks/questions.py --repos DIR [--embed] [--json FILE] [--show N]

``DIR`` has a checked-out folder for each repository of ``questions.toml``, at the commit that stands there. Each is
read into the graph, then every question is asked twice: through `AsyncConversationAgent` with the extractive provider,
each in a conversation of its own, and of the tool `search_code`. With ``--embed`` everything is embedded first;
otherwise nothing is, so that words alone are measured. The server is the one that the environment names
(``NEO4J_URI``), else the managed one.

Told are, for the answers and for the tool, how often a right definition comes first, in three and in five, how often
one of the lines that hold the answer is shown, answers longer than 35 lines, replies that quote a line that does not
stand there or call a word nowhere that is somewhere, and how many of the questions about what the code does not do are
told which word is nowhere. Ends with 0: it reports, nothing is judged by it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import sys
import tempfile
import time
import tomllib
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

SET = Path(__file__).with_name("questions.toml")
LONG = 35
MANY = 5
RANKS = (1, 3, MANY)

PLACE = re.compile(r"(?P<name>[^\s`*]+)[`*]* +[-\u2013\u2014] +[`*]*(?P<file>[^\s:`*]+\.\w+):(?P<line>\d+)")
MENTION = re.compile(r"(?P<file>[\w./@+-]+\.\w+):(?P<line>\d+)\b")
NUMBERED = re.compile(r"^[\s>]*(?P<line>\d+)(?:[:|\t]| [ |]?)\s*(?P<text>\S.*)$")
KIND = re.compile(r"\((?P<kind>[\w -]+)\)")
NOWHERE = re.compile(r"[Nn]o code here (?:\([^)\n]*\) )?has (?:the |a )?words? (?P<words>[^.\n]+)")
QUOTED = re.compile(r"[`'\"]([^`'\"\s]+)[`'\"]")
CODE = frozenset({".py", ".ts", ".js", ".go"})
"""The endings of files of code in the repositories of the set."""
ASIDE = re.compile(
    r"(?:^|/)(?:\.[^/]+|node_modules|tests?|examples?|docs?|benchmarks?|documentation)/|_test\.go$|\.test\."
)
OWN_FILE = frozenset({"file", "module", "script"})
"""The kinds of what a file holds outside of its definitions."""


@dataclass(frozen=True, slots=True)
class Place:
    """A definition that an answer names, as it names it."""

    name: str
    file: str
    line: int
    kind: str = ""


@dataclass(slots=True)
class Reply:
    """What was said to a question, and what it holds; ``places`` in their order, each once."""

    text: str
    seconds: float
    places: list[Place]
    nowhere: list[str]
    rank: int = 0
    shown: bool = False
    long: bool = False
    untrue: list[str] = field(default_factory=list)
    """Quoted lines that do not stand there, and words that are said to be nowhere and are not."""


@dataclass(slots=True)
class Asked:
    """One question of the set with both replies; ``words`` are of a question about what the code does not do."""

    repository: str
    kind: str
    text: str
    scopes: Sequence[str] = ()
    lines: Sequence[str] = ()
    words: Sequence[str] = ()
    replies: dict[str, Reply] = field(default_factory=dict)


def main() -> int:
    """Asks, judges, prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repos", type=Path, required=True, metavar="DIR")
    parser.add_argument("--embed", action="store_true", help="embed everything before asking")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every question with its replies")
    parser.add_argument("--show", type=int, default=0, metavar="N", help="print N answers without a right definition")
    options = parser.parse_args()
    given = tomllib.loads(SET.read_text(encoding="utf-8"))
    asked = questions(given)
    ingests = []
    with tempfile.TemporaryDirectory() as scratch:
        for repository in given["repository"]:
            root = (options.repos / repository["name"]).resolve()
            if not root.is_dir():
                parser.error(f"{root.name} is not in {options.repos}: check out {repository['address']}")
            own = [each for each in asked if each.repository == repository["name"]]
            ingests.append(asyncio.run(measure(root, own, Path(scratch), embed=options.embed)))
            for each in own:
                judge(each, root)
            print(ingest_line(ingests[-1]), flush=True)
    print(table(asked))
    wrong = [each for each in asked if each.scopes and not each.replies["answers"].rank]
    for each in wrong[: options.show]:
        print(f"\n--- {each.repository}: {each.text}\n{each.replies['answers'].text[:1500]}")
    if options.json:
        result = {"embedded": options.embed, "ingests": ingests, "figures": figures(asked), "questions": plain(asked)}
        options.json.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    return 0


def questions(given: Mapping[str, Any]) -> list[Asked]:
    """The whole set, those about what the code does not do last."""
    there = [
        Asked(each["repository"], each["kind"], each["text"], each["scopes"], each["lines"])
        for each in given["question"]
    ]
    return there + [Asked(each["repository"], "absent", each["text"], words=each["words"]) for each in given["absent"]]


async def measure(root: Path, own: Sequence[Asked], scratch: Path, *, embed: bool) -> dict[str, Any]:
    """Reads one repository in and asks its questions; what the ingest took."""
    from ragforge_memory.api.agent import AsyncConversationAgent
    from ragforge_memory.config import load_config
    from ragforge_memory.llm.scripted import ScriptedProvider

    project = f"questions-{root.name}-{uuid.uuid4().hex[:8]}"
    config = scratch / f"{project}.yaml"
    config.write_text(
        f"name: {project}\n"
        f"source: {{root: {json.dumps(str(root))}}}\n"  # it may be a folder of a repository
        f"agent: {{memory: {{embeddings: {{enabled: {str(embed).lower()}}}}}}}\n"
        "llm: {provider: extractive}\n"
        "neo4j: {uri: '${NEO4J_URI}', username: '${NEO4J_USERNAME:-neo4j}', password: '${NEO4J_PASSWORD}'}\n",
        encoding="utf-8",
    )
    settings = load_config(config).config
    agent = AsyncConversationAgent.from_settings(settings, project=project, root=root)
    async with agent:
        started = time.perf_counter()
        report = await agent.ingest()
        took = time.perf_counter() - started
        left = await agent.drain() if embed else {}
        embedding = time.perf_counter() - started - took
        for each in own:
            started = time.perf_counter()
            answer = (await (await agent.create_conversation()).send_message(each.text)).content
            each.replies["answers"] = read(answer, time.perf_counter() - started)
    script = ScriptedProvider()
    async with AsyncConversationAgent.from_settings(settings, project=project, root=root, llm_provider=script) as agent:
        for each in own:
            each.replies["search_code"] = await searched(agent, script, each.text)
    return {
        "repository": root.name,
        "files": report.files,
        "scopes": report.scopes,
        "seconds": round(took, 2),
        "scopes_per_second": round(report.scopes / took) if took else 0,
        "embedding_seconds": round(embedding, 1) if embed else None,
        "not_embedded": left,
        "stored_bytes": getattr(report, "stored_bytes", None),
    }


async def searched(agent: Any, script: Any, text: str) -> Reply:
    """What the tool gives for a question: a model that was told to asks for it."""
    from ragforge_memory.llm.port import ToolRequest

    script.add(ToolRequest("search", "search_code", {"query": text, "limit": MANY}), "done")
    conversation = await agent.create_conversation()
    call = (await conversation.send_message(text)).tool_calls[0]
    if not isinstance(call.result, dict) or "results" not in call.result:
        raise SystemExit(f"search_code failed for {text!r}: {str(call.result)[:500]}")
    found = read(as_text(call.result["results"]), call.duration_ms / 1000)
    found.nowhere = [str(each) for each in call.result.get("nowhere") or ()]
    return found


def as_text(results: Sequence[Mapping[str, Any]]) -> str:
    """The tool's results in the form of an answer, so that one reader does for both."""
    said: list[str] = []
    for each in results:
        name = str(each.get("qualified_name") or each["name"]).replace(" ", "")
        kind = each.get("kind") or each.get("type") or ""
        said.append(f"`{name}` - {each['file']}:{each['line']} ({kind})")
        said += [str(each.get("signature") or ""), str(each.get("docstring") or "")]
        said += [f"  {line['line']}: {line['text']}" for line in each.get("lines") or () if str(line["text"]).strip()]
    return "\n".join(said)


def read(text: str, seconds: float) -> Reply:
    """A reply with the places it names and the words that it says are nowhere."""
    places: dict[tuple[str, str], Place] = {}
    for line in text.splitlines():
        for match in PLACE.finditer(line):
            kind = KIND.search(line, match.end())
            name = bare(match["name"])
            place = Place(name, match["file"], int(match["line"]), kind["kind"] if kind else "")
            places.setdefault((place.file, name), place)
    nowhere = [word for match in NOWHERE.finditer(text) for word in QUOTED.findall(match["words"])]
    return Reply(text, seconds, list(places.values()), nowhere)


def bare(name: str) -> str:
    """A name as the set has it: dots between its parts, without parentheses and the number of a namesake."""
    return re.sub(r"#\d+|\(.*?\)|^[&*]+", "", name).replace("::", ".").strip(".:")


def judge(asked: Asked, root: Path) -> None:
    """Fills in what each reply is worth."""
    wanted = [scope.partition(":")[::2] for scope in asked.scopes]
    lines = set(answering(asked.lines))
    for reply in asked.replies.values():
        hits = [n for n, place in enumerate(reply.places, 1) if any(is_it(place, *scope) for scope in wanted)]
        reply.rank = hits[0] if hits else 0
        reply.shown = bool(lines) and shows(reply.text, lines, root)
        reply.long = len(reply.text.splitlines()) > LONG
        reply.untrue = [*misquoted(reply.text, root), *(word for word in reply.nowhere if stands(word, root))]


def is_it(place: Place, file: str, name: str) -> bool:
    """Whether a place is an accepted definition: the same file, and the name or its last parts."""
    if place.file.removeprefix("./") != file:
        return False
    if not name:
        return place.kind in OWN_FILE or place.name in {file, Path(file).name, Path(file).stem}
    ends = place.name.rpartition("/")[2]
    return ends == name or ends.endswith(f".{name}") or name.endswith(f".{ends}")


def answering(lines: Sequence[str]) -> Iterator[tuple[str, int]]:
    """Every (file, line) of ranges like ``a.py:3-5``."""
    for each in lines:
        file, _, numbers = each.rpartition(":")
        first, _, last = numbers.partition("-")
        for number in range(int(first), int(last or first) + 1):
            yield file, number


def shows(text: str, lines: set[tuple[str, int]], root: Path) -> bool:
    """Whether a reply shows an answering line: by its number below a place, or by its own text where its file is named.

    A line of fewer than three words says nothing; of a longer one eight will do, since answers cut long lines.
    """
    content = {file: (root / file).read_text(encoding="utf-8", errors="replace").splitlines() for file, _ in lines}
    telling = {at: " ".join(words[:8]) for at in lines if len(words := in_words(content[at[0]][at[1] - 1])) >= 3}
    if any(at in telling for at in shown_lines(text)):
        return True
    said = [" ".join(in_words(line)) for line in text.splitlines()]
    named = {match["file"].removeprefix("./") for match in MENTION.finditer(text)}
    return any(file in named and any(words in line for line in said) for (file, _), words in telling.items())


def shown_lines(text: str) -> Iterator[tuple[str, int]]:
    """The (file, line) of every numbered line below a place, and of every ``file:line: text``."""
    file = ""
    for line in text.splitlines():
        mention = MENTION.search(line)
        if mention:
            file = mention["file"].removeprefix("./")
            if not PLACE.search(line) and line[mention.end() :].strip(" :`"):
                yield file, int(mention["line"])
        elif file and (numbered := NUMBERED.match(line)):
            yield file, int(numbered["line"])


def misquoted(text: str, root: Path) -> Iterator[str]:
    """The numbered lines of a reply that its file does not have at that number; cut ones by their beginning."""
    content: list[str] = []
    for line in text.splitlines():
        if place := PLACE.search(line):
            content = (root / place["file"]).read_text(encoding="utf-8", errors="replace").splitlines()
        elif content and (numbered := NUMBERED.match(line)) and int(numbered["line"]) <= len(content):
            there = "".join(in_words(content[int(numbered["line"]) - 1]))
            if not there.startswith("".join(in_words(numbered["text"].partition("\u2026")[0]))):
                yield line


def stands(word: str, root: Path) -> bool:
    """Whether a file of code, tests and examples aside, has the word as it is, also as a part of a name."""
    parts = re.compile(rf"(?<![a-z]){re.escape(word.lower())}(?![a-z])")
    for path in root.rglob("*"):
        place = path.relative_to(root).as_posix()
        if path.suffix not in CODE or ASIDE.search(place):
            continue
        text = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", path.read_text(encoding="utf-8", errors="replace"))
        if parts.search(text.lower()):
            return True
    return False


def in_words(text: str) -> list[str]:
    """A line's words alone: comment marks and indentation do not count."""
    return re.findall(r"\w+", text.lower())


def figures(asked: Sequence[Asked]) -> dict[str, Any]:
    """The counts by repository, by kind and of all, for the answers and for the tool."""
    groups = {"all": list(asked)}
    for each in asked:
        groups.setdefault(each.repository, []).append(each)
    for each in asked:
        if each.scopes:
            groups.setdefault(each.kind, []).append(each)
    return {who: {name: count(group, who) for name, group in groups.items()} for who in ("answers", "search_code")}


def count(group: Sequence[Asked], who: str) -> dict[str, Any]:
    """One line of the table."""
    there = [each.replies[who] for each in group if each.scopes]
    absent = [each for each in group if each.words]
    seconds = sorted(each.replies[who].seconds for each in group)
    return {
        "asked": len(there),
        **{f"in_{rank}": percent(sum(0 < each.rank <= rank for each in there), len(there)) for rank in RANKS},
        "line_shown": percent(sum(each.shown for each in there), len(there)),
        "long": sum(each.long for each in there),
        "untrue": sum(bool(each.replies[who].untrue) for each in group),
        "nowhere_said_of_there": sum(bool(each.nowhere) for each in there),
        "absent": len(absent),
        "nowhere_said": sum(says_nowhere(each, who) for each in absent),
        "median_ms": round(seconds[len(seconds) // 2] * 1000),
    }


def says_nowhere(asked: Asked, who: str) -> bool:
    """Whether a reply says of one of the words that it is nowhere; a form of it will do."""
    said = [each.lower() for each in asked.replies[who].nowhere]
    return any(same_word(word, each) for word in asked.words for each in said)


def same_word(one: str, other: str) -> bool:
    """Whether two words begin alike but for their endings."""
    most = max(4, min(len(one), len(other)) - 3)
    return one == other or (min(len(one), len(other)) >= 4 and one[:most] == other[:most])


def percent(part: int, whole: int) -> float:
    """Of a hundred, to one decimal."""
    return round(100 * part / whole, 1) if whole else 0.0


def table(asked: Sequence[Asked]) -> str:
    """All figures as text."""
    said = []
    for who, groups in figures(asked).items():
        said.append(
            f"\n{who:<14}{'asked':>6}{'first':>7}{'in 3':>7}{'in 5':>7}{'line':>7}{'> 35':>6}{'untrue':>8}"
            f"{'median':>10}   nowhere: absent, there"
        )
        for name, each in groups.items():
            ranks = "".join(f"{each[f'in_{rank}']:>7.1f}" for rank in RANKS)
            absent = f"{each['nowhere_said']:>3} of {each['absent']}" if each["absent"] else "       -"
            said.append(
                f"  {name:<12}{each['asked']:>6}{ranks}{each['line_shown']:>7.1f}{each['long']:>6}{each['untrue']:>8}"
                f"{each['median_ms']:>7} ms   {absent}, {each['nowhere_said_of_there']}"
            )
    return "\n".join(said)


def ingest_line(each: Mapping[str, Any]) -> str:
    """One repository's ingest as text."""
    said = (
        f"{each['repository']}: {each['files']} files, {each['scopes']} scopes in {each['seconds']} s, "
        f"{each['scopes_per_second']} scopes/s"
    )
    if each["embedding_seconds"] is not None:
        left = f", not done: {each['not_embedded']}" if each["not_embedded"] else ""
        said += f", embedded in {each['embedding_seconds']} s{left}"
    if each["stored_bytes"] is not None and each["scopes"]:
        said += f", {each['stored_bytes'] / each['scopes']:.0f} bytes a scope"
    return said


def plain(asked: Sequence[Asked]) -> list[dict[str, Any]]:
    """Every question with its replies as JSON."""
    return [
        {
            "repository": each.repository,
            "kind": each.kind,
            "text": each.text,
            **{
                who: {
                    "rank": reply.rank,
                    "line_shown": reply.shown,
                    "nowhere": reply.nowhere,
                    "untrue": reply.untrue,
                    "places": [f"{place.file}:{place.name}" for place in reply.places[: 2 * MANY]],
                    "seconds": round(reply.seconds, 4),
                    "text": reply.text,
                }
                for who, reply in each.replies.items()
            },
        }
        for each in asked
    ]


if __name__ == "__main__":
    sys.exit(main())
