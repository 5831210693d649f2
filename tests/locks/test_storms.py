"""Statements that run at the same time, again and again, and nobody has to begin anew.

What the server ends because two waited for each other is run again a while later, by the driver: nothing is lost, and
somebody waits. All that talk writes, deletes and sums up meets at one conversation, the same code and the same shared
texts. What an ingest takes away and an archive brings is not among it yet: of two runs of 600 rounds with it one had
none and the other three (`remove_files` beside turns). `test_first_touch` has all of it, one statement at a time.

Whoever looks for a memory that is not there holds its key, and whoever makes it again waits for that: where a memory is
erased and made anew in one moment, keys are locked in the order in which they are looked for, between nodes. A cycle
over a key counts in all rounds but those that erase memories.
"""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from random import Random

import neo4j
import pytest
from neo4j.exceptions import Neo4jError

from ragforge_memory.graph.queries import statement_for
from tests.locks.ground import Ground, Parameters, create, remove
from tests.locks.talk_writes import TALK
from tests.locks.watching import is_deadlock
from tests.locks.way import turned

FREQUENT = ("append_message", "complete_turn", "write_summary", "store_message_embeddings", "create_branch")
"""What is run all the time, while anything else may come."""

# Of each round: how many run at a time, how often each of them, and how many statements they choose from.
_WRITERS, _RUNS, _CHOICE = 6, 8, 10

# What two writers may tell each other: that something is gone, or there already.
_EXPECTED = ("EntityNotFound", "ConstraintValidationFailed")
# Whoever makes an index elsewhere on the server waits for writers, and they for it.
_FOREIGN = "LABEL("
_ERASING, _KEY = frozenset({"erase_memory", "erase_user"}), "INDEX_ENTRY("


@dataclass(frozen=True)
class Failure:
    """A statement that was ended, and what ran beside it then."""

    name: str
    beside: tuple[str, ...]
    error: Neo4jError


@pytest.mark.long
@pytest.mark.timeout(1_800)
def test_nothing_deadlocks_for_a_long_time(ground: Ground) -> None:
    """Every two statements meet in many rounds."""
    _storm(ground, 600)


def _storm(ground: Ground, rounds: int) -> None:
    deadlocks: dict[str, Counter[str]] = {}
    problems: Counter[str] = Counter()
    with ThreadPoolExecutor(_WRITERS) as pool:
        for number in range(rounds):
            chosen = Random(number).sample(sorted(TALK), _CHOICE - 2) + Random(number).sample(FREQUENT, 2)
            running = [""] * _WRITERS
            writers = [pool.submit(_write, ground, chosen, running, place, number) for place in range(_WRITERS)]
            failures = [failure for writer in writers for failure in writer.result()]
            foreign = {_FOREIGN, *([_KEY] if _ERASING & set(chosen) else [])}
            for failure in failures:
                told = f"{failure.error.code} {failure.error.message}"
                if not is_deadlock(failure.error):
                    if not any(word in told for word in _EXPECTED):
                        problems[f"{failure.name}: {told}"] += 1
                elif not any(word in told for word in foreign):
                    beside = deadlocks.setdefault(failure.name, Counter())
                    beside.update({"": 1} | dict.fromkeys(failure.beside, 1))
            remove(ground)
            create(ground)
    lines = [f"{count} × {problem}" for problem, count in problems.most_common()]
    for cycle, beside in sorted(deadlocks.items(), key=lambda item: -item[1][""]):
        names = ", ".join(f"{name} {count} times" for name, count in beside.most_common() if name)
        lines.append(f"{beside['']} × {cycle}\n    beside {names}")
    assert not lines, "\n".join([f"{sum(each[''] for each in deadlocks.values())} deadlocks", *lines])


def _write(ground: Ground, chosen: list[str], running: list[str], place: int, number: int) -> list[Failure]:
    """Runs statements, one after the other, in any of their ways, at once or in a transaction of their own."""
    choice = Random(f"{number} {place}")
    failures = []
    with ground.driver.session(database="neo4j") as session:
        for _ in range(_RUNS):
            name = running[place] = choice.choice(chosen)
            parameters = choice.choice(TALK[name])(ground)
            text, given = ground.sent(name, turned(parameters) if choice.random() < 0.5 else parameters)
            at_once = statement_for(name, ground.version).autocommit or choice.random() < 0.3
            try:
                _run(session, text, given, at_once=at_once)
            except Neo4jError as error:
                beside = tuple(name for other, name in enumerate(running) if other != place)
                failures.append(Failure(name, beside, error))
    running[place] = ""
    return failures


def _run(session: neo4j.Session, text: str, given: Parameters, *, at_once: bool) -> None:
    if at_once:
        session.run(neo4j.Query(text, timeout=60), given).consume()
        return
    transaction = session.begin_transaction(timeout=60)
    try:
        transaction.run(text, given).consume()
        transaction.commit()
    finally:
        transaction.close()
