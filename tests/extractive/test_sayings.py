"""What was said about something: what tells most comes first, and a question with a text behind it is a question."""

from __future__ import annotations

from typing import Any

from ragforge_memory.llm.extractive.found_text import sayings


def message(role: str, excerpt: str) -> dict[str, Any]:
    return {
        "role": role,
        "excerpt": excerpt,
        "message_id": f"{abs(hash(excerpt)):032x}",
        "conversation_id": "c" * 32,
        "timestamp": "2026-01-01T00:00:00Z",
        "this_conversation": True,
    }


def test_a_question_that_a_diff_was_piped_into_hides_no_answer() -> None:
    piped = "what does this touch?\n\n```\ndiff --git a/auth.py\n+ check_password(word)\n```"
    answer = "`check_password` compares the hashes."
    told = "\n".join(
        sayings(
            "check_password",
            {"query": "check_password", "messages": [message("user", piped), message("assistant", answer)]},
        )
    )
    assert "compares the hashes" in told
    assert "what does this touch" not in told
