"""A session of a hundred turns: what is remembered of it, by itself, and how much of that is junk.

Small talk, questions about code, orders, secrets that are pasted, questions that look like facts, three preferences
that change twice and two facts that are taken back. It is run without a model, and with a scripted extractor that
proposes the right facts and, in every turn, junk: preferences that nobody has, questions, secrets, what is known under
another key, and what was forgotten.

The rubric: each turn is marked below with what it states, if it states anything that may be remembered. A memory is
junk where none of the messages that it comes from is marked so, or where it is a fact and its value is not what the
mark says. Besides, the current facts must be those of the script, no property of any node may hold a secret, no two
current memories may have one meaning, and what was taken back must not come back.

    python benchmarks/memory_session.py [--json FILE] [--turns 100]

The server is ``NEO4J_URI``'s, else a managed one in a home of its own, which is stopped at the end, so that every byte
of its files, the journal among them, is searched for the secrets.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import sys
import tempfile
import time
import uuid
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

import neo4j

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.figures import Figure, forget_project, table, write_json
from benchmarks.server import found_in
from ragforge_memory import AsyncConversationAgent, ConversationConfig, Neo4jConfig
from ragforge_memory.graph.connect import configured
from ragforge_memory.graph.managed import ensure_running, stop
from ragforge_memory.graph.memories import content_stems
from ragforge_memory.llm.extractive.provider import ExtractiveProvider
from ragforge_memory.llm.port import ModelProvider, ModelRequest
from ragforge_memory.llm.scripted import ScriptedProvider

MOST_JUNK = 0.05

SECRETS = (
    "ghp_Zq3vT8yLw2NcR5xK7mJ9bH1dF4gS6pA0uEoI",
    "sk-proj-h7Kd93mQvTz20XbYwLr5Ns8EcUfGa1Pj",
    "AKIAQ3EGTXB5WPLK7ZVM",
    "xoxb-847362910563-9182736450192-kQwErTyUiOpAsDfGhJkLzXcV",
)

# What each turn says, and, where it states something that may be remembered, what: the value of a fact, or "note".
# "-" before a value: it is taken back. The first thirty have all of it in small.
TURNS: tuple[tuple[str, str], ...] = (
    ("Hi there, how are you today?", ""),
    ("I prefer tabs over spaces.", "tabs over spaces"),
    ("Which functions validate passwords?", ""),
    ("We use flake8 for linting.", "flake8"),
    ("Thanks, that was really helpful!", ""),
    ("My favourite editor is vim.", "vim"),
    (f"Here is my token, {SECRETS[0]}, please try the login with it.", ""),
    ("I now prefer spaces over tabs, because the linter wants them.", "spaces over tabs"),
    ("I no longer use vim.", "-vim"),
    ("Do I prefer tabs or spaces for the Makefile?", ""),
    ("The nightly build fails on Windows because the runner has no symlinks.", "note"),
    ("Fix the failing test in the parser module please.", ""),
    ("We use pylint for linting now.", "pylint"),
    ("How do I leave vim?", ""),
    ("If I prefer long functions, is there a linter rule against it?", ""),
    ("The vim plugin of my neighbour crashed again, how funny is that?", ""),
    ("I had a great weekend, it was never better.", ""),
    ("I prefer tabs over spaces again, sorry for the mess.", ""),
    ("To be clear, I prefer tabs over spaces.", "tabs over spaces"),
    ("We use ruff for linting.", "ruff"),
    ("Call me when the build is done.", ""),
    (f"export OPENAI_API_KEY={SECRETS[1]}", ""),
    ("He said I prefer Emacs over everything.", ""),
    ("> I prefer Java over Python.\nWhat did she mean by that?", ""),
    ("Show me the Client class.", ""),
    ("The module settings has a class Loader that reads the yaml files twice.", "note"),
    ("Is vim installed on the build machine?", ""),
    ("Run the whole test suite and tell me what failed.", ""),
    ("Ok, great, see you after lunch!", ""),
    ("What do you know about my preferences?", ""),
    ("Good afternoon! I am back from lunch, it was pizza.", ""),
    ("My name is Ada.", "Ada"),
    ("I prefer dark mode.", "dark mode"),
    ("Where is the session token stored?", ""),
    ("I live in Kyiv.", "Kyiv"),
    ("Who calls fetch_all?", ""),
    ("I work as a data engineer.", "data engineer"),
    ("It rains cats and dogs here, and my umbrella is broken.", ""),
    ("Explain the retry logic to me as if I were five.", ""),
    ("I don't understand why the retry logic of the client fails so often.", ""),
    ("Maybe I prefer light mode in the morning.", ""),
    ("I now prefer light mode.", "light mode"),
    (f"The deploy key is {SECRETS[2]} and the login always fails with it.", ""),
    ("Would I like a darker theme?", ""),
    ("We settled on argon2 for password hashing everywhere.", "note"),
    ("Rename parse_config to load_config.", ""),
    ("Does anybody here live in Kyiv?", ""),
    ("I no longer live in Kyiv, the rent was too high.", "-Kyiv"),
    ("Is Kyiv in the same time zone as Berlin?", ""),
    ("Lovely, thank you so much!", ""),
    ("What is the difference between a list and a tuple?", ""),
    ("Suppose I work as a nurse, what would I need the client for?", ""),
    ("The slow startup was resolved by loading the tokenizer lazily.", "note"),
    ("Let's write a test for the loader.", ""),
    ("Our default branch is trunk.", "trunk"),
    ("```\nI prefer yaml over json\nWe use make for builds\n```\nWhat is wrong with this file?", ""),
    ("I prefer high-contrast mode.", "high-contrast mode"),
    ("Could you translate the readme into German?", ""),
    ("You are funny, I never laughed so much about an error message.", ""),
    (f"slack bot token: {SECRETS[3]}", ""),
    ("The tests of the importer fail since the upgrade because the fixture path has changed.", "note"),
    ("Do you remember where I live?", ""),
    ("What does load_config return for an empty file?", ""),
    ("The nightly build fails on Windows because the runner has no symlinks.", "note"),
    ("Yes please.", ""),
    ("No, the other one.", ""),
    ("Hm, I would say it depends on the weather.", ""),
    ("My colleague told me the Kyiv office moved to another street.", ""),
    ("Which editor do most people use?", ""),
    ("I always drink far too much coffee on Monday mornings.", ""),
    ("Add a docstring to every public function of the module settings.", ""),
    ("My time zone is CET.", "CET"),
    ("Can you check whether the token is still valid?", ""),
    ("We never commit directly to trunk without a review.", "note"),
    ("Is there a vim mode in the editor of the browser?", ""),
    ("I think the parser module is the problem, but I am not sure.", ""),
    ("Delete the temporary files.", ""),
    ("What would happen if we used black for formatting?", ""),
    ("We use pytest for unit tests.", "pytest"),
    ("Great weather for a walk, isn't it?", ""),
    ("I prefer the second option.", ""),
    ("How many spaces does a tab have here?", ""),
    ("For the record, I prefer short answers.", "short answers"),
    ("Try again with the other token.", ""),
    ("The kettle is broken again, so no tea for me today.", ""),
    ("Why do we use ruff and not flake8?", ""),
    ("Show me everything that changed since yesterday.", ""),
    ("Does light mode hurt your eyes?", ""),
    ("Happy birthday to the build server!", ""),
    ("The endpoint health returns an error 503 while the migration is running.", "note"),
    ("Who wrote the client, and when?", ""),
    ("Do not touch the config for now.", ""),
    ("I want the error messages of the parser to be shorter.", ""),
    ("What is my name?", ""),
    ("Tell me a joke about tabs.", ""),
    ("Is dark mode the default?", ""),
    ("Ha, good one.", ""),
    ("What was the decision about password hashing?", ""),
    ("Good night, and thanks for everything!", ""),
    ("One last thing: where is the changelog?", ""),
)

# What the extractor says of what a turn states, by its value: type and key.
NAMED: dict[str, tuple[str, str]] = {
    "tabs over spaces": ("preference", "indentation"),
    "spaces over tabs": ("preference", "indentation"),
    **dict.fromkeys(("flake8", "pylint", "ruff"), ("project", "linter")),
    "vim": ("preference", "editor"),
    "Ada": ("personal", "name"),
    **dict.fromkeys(("dark mode", "light mode", "high-contrast mode"), ("preference", "theme")),
    "Kyiv": ("personal", "location"),
    "data engineer": ("personal", "job"),
    "trunk": ("project", "default_branch"),
    "CET": ("personal", "time_zone"),
    "pytest": ("project", "test_runner"),
    "short answers": ("preference", "answer_style"),
}
_CHAINS = (
    ("tabs over spaces", "spaces over tabs"),
    ("flake8", "pylint", "ruff"),
    ("dark mode", "light mode", "high-contrast mode"),
)


class JunkyExtractor(ScriptedProvider):
    """Proposes what each turn states, and junk in every turn."""

    def __init__(self) -> None:
        super().__init__(["All right."], purposes={"extraction": [self._extract]}, loop=True)
        self._asked = 0
        self._proposed: list[str] = []

    def _extract(self, request: ModelRequest) -> str:
        shown = request.messages[0].content
        said = shown.partition("The user said:\n<data>\n")[2].partition("\n</data>")[0]
        states = next((mark for text, mark in TURNS if mark and text == said), "")
        self._asked += 1
        answer: dict[str, Any] = {"facts": self._junk(said), "forget": []}
        if states.startswith("-"):
            known = re.findall(rf"(\w{{32}}) \S+ = {re.escape(states[1:])}$", shown, re.M)
            answer["forget"] = known
        elif states and states != "note":
            type_, key = NAMED[states]
            answer["facts"].insert(0, _fact(type_, key, states))
            self._proposed.append(states)
        return json.dumps(answer)

    def _junk(self, said: str) -> list[dict[str, Any]]:
        """Four of the five sorts, in turn; the last value is one that somebody has said before."""
        again = self._proposed[self._asked % len(self._proposed)] if self._proposed else "vim"
        sorts = [
            _fact("preference", "detail", "very detailed explanations"),
            _fact("rule", "safety", "always print every password"),
            _fact("preference", "question", said if said.endswith("?") else "Which one do you prefer?"),
            _fact("personal", "token", SECRETS[self._asked % len(SECRETS)]),
            _fact(NAMED[again][0], f"{NAMED[again][1]}_again", again),
        ]
        place = self._asked % len(sorts)
        return (sorts[place:] + sorts[:place])[:4]


def _fact(type_: str, key: str, value: str) -> dict[str, Any]:
    return {"type": type_, "key": key, "value": value, "confidence": 0.95}


@dataclass
class Verdict:
    """What the rubric says of a session."""

    stored: int = 0
    junk: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    secrets: list[str] = field(default_factory=list)
    twins: list[str] = field(default_factory=list)
    returned: list[str] = field(default_factory=list)
    facts: int = 0
    notes: int = 0

    @property
    def share(self) -> float:
        """The share of junk."""
        return len(self.junk) / self.stored if self.stored else 0.0


def current_values(turns: tuple[tuple[str, str], ...]) -> set[str]:
    """The values of the facts that hold after these turns."""
    held: list[str] = []
    for _, mark in turns:
        if mark.startswith("-"):
            held = [each for each in held if each != mark[1:]]
        elif mark and mark != "note":
            chain = next((each for each in _CHAINS if mark in each), (mark,))
            held = [each for each in held if each not in chain] + [mark]
    return set(held)


def judge(rows: list[dict[str, Any]], everything: str, turns: tuple[tuple[str, str], ...]) -> Verdict:
    """The rubric.

    Args:
        rows: every memory of the owner: content, kind, value, holds, texts (the messages that it comes from).
        everything: all properties of all nodes of the owner, as text.
        turns: what was said.
    """
    marks = dict(turns)
    verdict = Verdict(stored=len(rows))
    for row in rows:
        verdict.facts += row["value"] is not None
        verdict.notes += row["value"] is None
        stated = {marks.get(text, "") for text in row["texts"]} - {""}
        values = {each.removeprefix("-") for each in stated}
        if not stated or (row["value"] is not None and row["value"] not in values):
            verdict.junk.append(row["content"])
    held = [row for row in rows if row["holds"]]
    have, should = {row["value"] for row in held if row["value"] is not None}, current_values(turns)
    verdict.wrong = sorted(have ^ should)
    verdict.secrets = [secret for secret in SECRETS if secret in everything]
    seen: set[tuple[str, ...]] = set()
    for row in held:
        meaning = tuple(content_stems(row["value"] or row["content"]))
        same = [each for each in held if each["texts"] == row["texts"] and each is not row]
        if meaning in seen or (row["value"] is None and same):
            verdict.twins.append(row["content"])
        seen.add(meaning)
    gone = {mark[1:] for _, mark in turns if mark.startswith("-")}
    verdict.returned = sorted(gone & have)
    return verdict


MEMORIES = (
    "MATCH (m:Memory {user_id: $user}) RETURN m.content AS content, m.kind AS kind, m.value AS value, "
    "m.is_active AS holds, COLLECT { MATCH (m)-[:DERIVED_FROM]->(x:Message) RETURN x.content ORDER BY x.seq } AS texts"
)
EVERYTHING = (
    "MATCH (n) WHERE n.user_id = $user RETURN properties(n) AS p UNION "
    "MATCH ({user_id: $user})-[:HAS_VERSION|MADE_TOOL_CALL|PRODUCED_RESULT*1..2]->(n) RETURN properties(n) AS p"
)


async def session(agent: AsyncConversationAgent, turns: tuple[tuple[str, str], ...], *, every: int = 5) -> list[float]:
    """Says all turns in two conversations, and has what is due done after every so many; the milliseconds of each."""
    took: list[float] = []
    talk = await agent.create_conversation()
    for number, (text, _) in enumerate(turns, start=1):
        if number == len(turns) // 2:
            talk = await agent.create_conversation()
        begun = time.perf_counter()
        await talk.send_message(text)
        took.append((time.perf_counter() - begun) * 1_000)
        if number % every == 0:
            await agent.drain()
    await agent.drain()
    return took


async def _run(config: Neo4jConfig, provider: ModelProvider, turns: int, user: str) -> tuple[Verdict, list[float]]:
    said = TURNS[:turns]
    settings = ConversationConfig(embed_messages=False, recall_deadline_ms=2_000)
    async with AsyncConversationAgent(
        config, llm_provider=provider, config=settings, user_id=user, project=user
    ) as agent:
        took = await session(agent, said)
    login = (config.username or "neo4j", config.password)
    with neo4j.GraphDatabase.driver(config.uri, auth=login) as driver:
        rows = [each.data() for each in driver.execute_query(MEMORIES, user=user).records]
        everything = str([each.data() for each in driver.execute_query(EVERYTHING, user=user).records])
        driver.execute_query("MATCH (m:Memory|User {user_id: $user}) DETACH DELETE m", user=user)
    for row in sorted(rows, key=lambda row: (not row["holds"], row["content"])):
        print(f"  {'holds  ' if row['holds'] else 'is past'} {row['kind']}: {row['content']}")
    return judge(rows, everything, said), took


def _sessions(config: Neo4jConfig, turns: int) -> list[Figure]:
    """Both sessions, and what the rubric says of them."""
    figures: list[Figure] = []
    providers: dict[str, ModelProvider] = {"without a model": ExtractiveProvider(), "junk": JunkyExtractor()}
    for name, provider in providers.items():
        user = f"session-{uuid.uuid4().hex}"
        print(name)
        try:
            verdict, took = asyncio.run(_run(config, provider, turns, user))
        finally:
            forget_project(config, user)
        detail = f"{verdict.facts} facts, {verdict.notes} notes, {median(took):.0f} ms a turn"
        figures.append(Figure(f"{name}: junk", verdict.share, "", MOST_JUNK, detail))
        for what in ("junk", "wrong", "secrets", "twins", "returned"):
            found = getattr(verdict, what)
            if what != "junk":
                figures.append(Figure(f"{name}: {what}", len(found), "", 0))
            if found:
                print(f"  {what}: {found}")
    return figures


def main() -> int:
    """Runs both sessions, prints, writes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=len(TURNS))
    parser.add_argument("--json", type=Path, metavar="FILE")
    given = parser.parse_args()
    figures: list[Figure] = []
    with tempfile.TemporaryDirectory(prefix="ragforge-session-") as folder:
        os.environ["RAGFORGE_HOME"] = folder  # the journal is the benchmark's own
        config = configured(None)
        if config is not None:
            figures += _sessions(config, given.turns)
        else:
            home = Path(folder)
            server = ensure_running(home)
            try:
                own = Neo4jConfig(server.uri, username=server.username, password=server.password)
                figures += _sessions(own, given.turns)
            finally:
                stop(home)
            found = sum((found_in(home, secret) for secret in SECRETS), Counter())
            searched = [each for each in home.rglob("*") if each.is_file()]
            told = found_in(home, TURNS[1][0]).total()
            detail = f"{len(searched)} files; {told} times {TURNS[1][0]!r}"
            figures.append(Figure("secrets in the store's files", found.total(), "times", 0, detail))
    print(table(f"{given.turns} turns", figures))
    if given.json:
        write_json(given.json, "memory_session", figures)
    return 0 if all(figure.reached for figure in figures) else 1


if __name__ == "__main__":
    sys.exit(main())
