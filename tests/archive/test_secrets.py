"""What an archive says in words is stored without secrets, wherever it stands."""

from __future__ import annotations

from typing import Any

from ragforge_memory.graph.restore_rows import Names, Rows
from ragforge_memory.models import archive
from ragforge_memory.models.owner import Owner
from ragforge_memory.redaction import redact_value

SECRET = "AKIA" + "ABCDEFGHIJKLMNOP"
SAID: Any = {"said": SECRET, SECRET: [SECRET]}
OTHER: dict[str, Any] = {"note": SECRET, "notes": [SECRET], SECRET: 1}


def _rows(redact: Any = redact_value) -> list[dict[str, Any]]:
    rows = Rows(Names(), Owner(user_id="u", project="p"), redact)
    result = archive.ToolResult(uuid="r" * 32, result=SAID, error=SECRET, other=OTHER)
    call = archive.ToolCall(uuid="c" * 32, tool_name=f"f_{SECRET}", arguments=SAID, result=result, other=OTHER)
    texts: dict[str, Any] = {"content": SECRET, "reasoning": SECRET, "usage": SAID, "metadata": SAID, "other": OTHER}
    message = archive.Message(
        uuid="a" * 32, seq=1, role="user", tool_calls=(call,), verbatim={"metadata": f'{{"a": "{SECRET}"}}'}, **texts
    )
    insight = archive.Insight(uuid="b" * 32, key="k", task=SECRET, schema=SAID, data=SAID, other=OTHER)
    about: dict[str, Any] = {"title": SECRET, "summary": SECRET, "tags": [SECRET], "metadata": SAID, "other": OTHER}
    return [
        rows.prompt(archive.Prompt(uuid="d" * 32, text=SECRET)),
        rows.message(message),
        rows.summary(archive.Summary(uuid="e" * 32, from_seq=1, to_seq=1, content=SECRET, other=OTHER)),
        rows.insight(insight),
        rows.memory(
            archive.Memory(
                uuid="g" * 32,
                kind="fact",
                content=SECRET,
                value=SECRET,
                topic=SECRET,
                other=OTHER,
                versions=(archive.MemoryVersion(uuid="h" * 32, old_value=SECRET, new_value=SECRET, detail=SECRET),),
            )
        ),
        rows.conversation(archive.ConversationHead(uuid="f" * 32, **about), messages=1),
    ]


def test_no_secret_of_an_archive_is_stored() -> None:
    for row in _rows():
        assert SECRET not in str(row)
        assert "[redacted aws key id]" in str(row)


def test_secrets_of_an_archive_stay_where_told() -> None:
    for row in _rows(lambda value: value):
        assert SECRET in str(row)
        assert "[redacted" not in str(row)
