"""What Claude Code writes in the user's name, told from what the user typed by its envelopes, a closed set."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_OUTPUT = ("local-command-stdout", "local-command-stderr", "bash-stdout", "bash-stderr")
_NOTICES = ("system-reminder", "local-command-caveat", "task-notification", "user-memory-input")
_COMMANDS = ("command-name", "command-message", "command-args", "bash-input")
# The tags of the program; one pattern finds them all, and no word of a user is looked at.
_ENVELOPE = re.compile(rf"<({'|'.join((*_OUTPUT, *_NOTICES, *_COMMANDS))})>(.*?)</\1>", re.DOTALL)
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_INTERRUPTED = "[Request interrupted by user"


def parted(text: str) -> tuple[str, str]:
    """What the user typed of a message, and what the program wrote in it.

    A slash command is what the user typed: its name and arguments. Output of commands, reminders and interrupts are the
    program's; colours are taken out of them.
    """
    found: dict[str, str] = {}
    program: list[str] = []

    def take(match: re.Match[str]) -> str:
        tag, content = match[1], _COLOUR.sub("", match[2]).strip()
        if tag in _COMMANDS:
            found[tag] = content
        elif content:
            program.append(content)
        return ""

    rest = _ENVELOPE.sub(take, text).strip()
    if rest.startswith(_INTERRUPTED) and rest.endswith("]"):
        program.append(rest)
        rest = ""
    command = " ".join(filter(None, (found.get("command-name"), found.get("command-args"))))
    if bash := found.get("bash-input"):
        command = f"! {bash}"
    return "\n".join(filter(None, (command, rest))), "\n".join(program)


def program_says(text: str) -> bool:
    """Whether nothing of a text was typed by the user."""
    return bool(text.strip()) and not parted(text)[0]


def queued_prompt(line: Mapping[str, Any]) -> Any:
    """What the user typed while a tool ran, as text or blocks; None where an attachment is something else."""
    attachment = line.get("attachment")
    if not isinstance(attachment, Mapping) or attachment.get("type") != "queued_command":
        return None
    if attachment.get("commandMode", "prompt") != "prompt":
        return None
    return attachment.get("prompt") or None


def is_local(line: Mapping[str, Any], following: Mapping[str, Any] | None) -> bool:
    """Whether a command went to the program alone: what follows it is the command's output."""
    if following is None or line.get("type") != "user" or following.get("type") != "user":
        return False
    return "<command-name>" in _content(line) and _content(following).lstrip().startswith("<local-command-std")


def _content(line: Mapping[str, Any]) -> str:
    message = line.get("message")
    content = message.get("content") if isinstance(message, Mapping) else None
    return content if isinstance(content, str) else ""
