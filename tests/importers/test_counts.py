"""What an import counts is what a script counts that knows nothing of the importers: in random sessions of a seed."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import pytest

from tests.importers.reading import lines, read

TIME = "2026-05-04T09:00:00.000Z"
Records = list[dict[str, Any]]


def counted(text: str) -> tuple[Counter[str], Counter[str]]:
    """What the importers make of it: messages by role, calls and results; and what is left out, by type."""
    made, dropped = Counter[str](), Counter[str]()
    for transcript, messages in read(text):
        made.update(each.role for each in messages)
        calls = [call for each in messages for call in each.tool_calls]
        made += Counter(calls=len(calls), results=sum(call.result is not None for call in calls))
        dropped.update(transcript.left_out)
        assert not transcript.flaws
    return made, dropped


class ClaudeCode:
    """A session with tools, prompts that were gone back from, subagents and lines that say nothing."""

    def __init__(self, seed: int) -> None:
        self.chance = Random(seed)
        self.records: Records = []
        last: str | None = None
        turns: list[str | None] = []
        for _ in range(self.chance.randint(3, 12)):
            if turns and self.chance.random() < 0.25:
                last = self.chance.choice(turns)  # back to before an earlier prompt
            turns.append(last)
            last = self._turn(last)
            self._aside()

    def _line(self, kind: str, parent: str | None, content: Any, **more: Any) -> str:
        uuid = f"{len(self.records):08d}-0000-4000-8000-{self.chance.randrange(16**12):012x}"
        message = {"role": kind, "content": content, **more.pop("message", {})}
        about = {"sessionId": "s", "timestamp": TIME, "isSidechain": False}
        self.records.append({"type": kind, "uuid": uuid, "parentUuid": parent, "message": message, **about, **more})
        return uuid

    def _turn(self, parent: str | None) -> str:
        last = self._line("user", parent, f"question {len(self.records)}")
        for number in range(self.chance.randint(0, 3)):
            api = {"message": {"id": f"msg_{len(self.records)}"}}
            if self.chance.random() < 0.5:
                last = self._line("assistant", last, [{"type": "thinking", "thinking": "hm"}], **api)
            call = {"type": "tool_use", "id": f"call_{len(self.records)}", "name": "Bash", "input": {"n": number}}
            last = self._line("assistant", last, [call], **api)
            if self.chance.random() < 0.3:
                self._line("assistant", None, [{"type": "text", "text": "of a subagent"}], isSidechain=True)
            result = {"type": "tool_result", "tool_use_id": call["id"], "content": "done"}
            last = self._line("user", last, [result])
        answer = [{"type": "text", "text": "an answer"}]
        return self._line("assistant", last, answer, message={"id": f"msg_{len(self.records)}"})

    def _aside(self) -> None:
        kind = self.chance.choice(["file-history-snapshot", "system", "progress"])
        self.records.append({"type": kind, "messageId": "x", "sessionId": "s", "uuid": f"aside-{len(self.records)}"})

    def expected(self) -> tuple[Counter[str], Counter[str]]:
        """Counts by walking the tree: of prompts under one parent, or under none, only one is gone into, that under
        which something was said last."""
        said = [each for each in self.records if "message" in each]
        main = [each for each in said if not each["isSidechain"]]
        below: dict[str | None, Records] = {}
        for each in main:
            below.setdefault(each["parentUuid"], []).append(each)

        def newest(each: dict[str, Any]) -> int:
            return max([main.index(each), *map(newest, below.get(each["uuid"], []))])

        shown: Records = []
        children = below[None]
        waiting: Records = []
        while True:
            prompts = [child for child in children if isinstance(child["message"]["content"], str)]
            gone = prompts and max(prompts, key=newest)
            waiting += [child for child in children if child not in prompts or child is gone]
            if not waiting:
                break
            shown.append(waiting.pop())
            children = below.get(shown[-1]["uuid"], [])
        blocks = [block for each in shown for block in each["message"]["content"] if isinstance(block, dict)]
        kinds = Counter(block["type"] for block in blocks)
        ids = {each["message"]["id"] for each in shown if each["type"] == "assistant"}
        made = Counter(
            user=sum(isinstance(each["message"]["content"], str) for each in shown),
            assistant=len(ids),
            calls=kinds["tool_use"],
            results=kinds["tool_result"],
        )
        dropped = Counter(each["type"] for each in self.records if "message" not in each)
        dropped["sidechain"] = len(said) - len(main)
        dropped["abandoned branch"] = len(main) - len(shown)
        return +made, +dropped


@pytest.mark.parametrize("seed", range(40))
def test_a_session_of_claude_code(seed: int) -> None:
    session = ClaudeCode(seed)
    made, dropped = counted(lines(session.records))
    assert (+made, +dropped) == session.expected()


@pytest.mark.parametrize("seed", range(20))
def test_a_session_of_codex(seed: int) -> None:
    chance = Random(seed)
    records: Records = [{"timestamp": TIME, "type": "session_meta", "payload": {"id": f"s{seed}", "cwd": "/shop"}}]
    made, dropped = Counter[str](), Counter[str]()

    def item(**payload: Any) -> None:
        records.append({"timestamp": TIME, "type": "response_item", "payload": payload})

    def event(kind: str) -> None:
        records.append({"timestamp": TIME, "type": "event_msg", "payload": {"type": kind}})
        dropped[f"event_msg {kind}"] += 1

    for turn in range(chance.randint(1, 9)):
        item(type="message", role="user", content=[{"type": "input_text", "text": f"question {turn}"}])
        event("user_message")
        for number in range(chance.randint(0, 4)):
            name = f"c{turn}.{number}"
            item(type="function_call", name="shell", arguments="{}", call_id=name)
            made["calls"] += 1
            if chance.random() < 0.2:
                item(type="ghost_snapshot", ghost_commit={"id": name})
                dropped["ghost_snapshot"] += 1
            item(type="function_call_output", call_id=name, output="done")
            made["results"] += 1
        event("token_count")
        item(type="message", role="assistant", content=[{"type": "output_text", "text": "an answer"}])
        made += Counter(user=1, assistant=1)
    found, left_out = counted(lines(records))
    assert (+found, +left_out) == (+made, +dropped)
