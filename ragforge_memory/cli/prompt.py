"""Where the user types, on a terminal: a line editor."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.formatted_text import FormattedText
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.input.typeahead import get_typeahead, store_typeahead
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys

from ragforge_memory.cli.interrupts import Interrupts
from ragforge_memory.cli.terminal import note

_LEAVE_HINT = "Ctrl-C again, or Ctrl-D, leaves"


class LinePrompt:
    """A line editor with history, completion of slash commands and several lines.

    Enter sends; Meta-Enter, or Enter after a backslash, begins a new line; pasted text keeps its lines. Ctrl-Z
    suspends. Ctrl-C clears the line, a second one leaves, and so does Ctrl-D on an empty line. One that comes after
    Enter, while the editor is still ending, takes the text back: nothing of it is sent.
    """

    def __init__(self, commands: Mapping[str, str], history: Path | None, interrupts: Interrupts) -> None:
        self._interrupts = interrupts
        self._leaving = False
        self._sent = False
        self._taken_back = False
        self._session = PromptSession[str](
            message=FormattedText([("bold", "> ")]),
            history=_history(history),
            completer=_SlashCompleter(commands),
            complete_while_typing=True,
            multiline=True,
            prompt_continuation="  ",
            key_bindings=self._keys(),
            placeholder=lambda: FormattedText([("fg:ansibrightblack", _LEAVE_HINT if self._leaving else "")]),
            enable_open_in_editor=False,
            reserve_space_for_menu=6,
        )
        self._session.default_buffer.on_text_changed += self._typed

    async def ask(self, text: str = "") -> str | None:
        self._leaving = self._sent = self._taken_back = False
        # Were the signal the editor's while it runs, one that comes while it ends would be nobody's.
        with self._interrupts.at_prompt(self._pressed):
            try:
                said = await self._session.prompt_async(default=text, handle_sigint=False)
            except (EOFError, KeyboardInterrupt):
                return None
            if not self._typed_interrupt() and not self._taken_back:
                return said
        note("interrupted before it was sent; the arrow up brings it back")
        return ""

    def _pressed(self) -> bool:
        """Takes Ctrl-C as a signal, from another program or from the terminal once the editor has given it back; not
        where the editor is another one than ours, on a dumb terminal."""
        editing = self._session.app.is_running
        if self._sent:
            self._taken_back = True
        elif editing:
            self._session.app.key_processor.send_sigint()
        return self._sent or editing

    def _typed_interrupt(self) -> bool:
        """Whether Ctrl-C is among the keys that came behind Enter; what came after it waits for the next prompt."""
        source = self._session.input
        keys = get_typeahead(source)
        while more := source.read_keys():
            keys += more
        last = max((place for place, key in enumerate(keys) if key.key in (Keys.ControlC, Keys.SIGINT)), default=-1)
        store_typeahead(source, keys[last + 1 :])
        return last >= 0

    def _typed(self, _: Any) -> None:
        if self._session.default_buffer.text:
            self._leaving = False

    def _keys(self) -> KeyBindings:
        keys = KeyBindings()

        def send(event: KeyPressEvent) -> None:
            buffer = event.current_buffer
            if buffer.document.current_line_before_cursor.endswith("\\") and buffer.document.is_cursor_at_the_end:
                buffer.delete_before_cursor()
                buffer.insert_text("\n")
            elif buffer.text.strip():
                self._sent = True
                buffer.validate_and_handle()

        def new_line(event: KeyPressEvent) -> None:
            event.current_buffer.insert_text("\n")

        def interrupt(event: KeyPressEvent) -> None:
            if self._leaving:
                event.app.exit(exception=KeyboardInterrupt)
                return
            event.app.current_buffer.reset()
            self._leaving = True

        def suspend(event: KeyPressEvent) -> None:
            event.app.suspend_to_background()

        keys.add("enter")(send)
        keys.add("c-z")(suspend)
        keys.add("escape", "enter")(new_line)
        keys.add("c-c")(interrupt)
        keys.add(Keys.SIGINT)(interrupt)
        return keys


class _SlashCompleter(Completer):
    def __init__(self, commands: Mapping[str, str]) -> None:
        self._commands = commands

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        text = document.text_before_cursor
        if text.startswith("/") and " " not in text and "\n" not in text:
            for name, meaning in self._commands.items():
                if name.startswith(text):
                    yield Completion(name, start_position=-len(text), display_meta=meaning)


def _history(path: Path | None) -> History:
    """The history in the file, which only its owner can read; in memory where the file cannot be had."""
    if path is None:
        return InMemoryHistory()
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        os.fchmod(handle, 0o600)
        os.close(handle)
    except OSError:
        return InMemoryHistory()
    return FileHistory(path)
