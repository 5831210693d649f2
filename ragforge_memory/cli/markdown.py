"""Markdown for a terminal: laid out by rich, which is imported when the first block is printed."""

from __future__ import annotations

import functools
import io
import re
from typing import Any

from ragforge_memory.cli.blocks import Block, BlockSplitter
from ragforge_memory.cli.shown import printable
from ragforge_memory.cli.terminal import Terminal

_ANSI = re.compile(r"\x1b\[[0-9;]*m")
# What ends a line of rich's: spaces that pad it, between escape sequences.
_LINE_END = re.compile(r"(?: |\x1b\[[0-9;]*m)+$", re.MULTILINE)


class MarkdownPrinter:
    """Prints streamed Markdown to stdout: block by block on a terminal, as it comes elsewhere."""

    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal
        self._splitter = BlockSplitter()
        self._ends_line = True
        self.printed = False

    def feed(self, piece: str) -> list[str]:
        """What can be printed now, each with its line end."""
        if not self._terminal.rendered:
            self._ends_line = piece.endswith("\n") if piece else self._ends_line
            return [piece] if piece else []
        return [self._lay_out(block) for block in self._splitter.feed(piece)]

    def finish(self) -> list[str]:
        """What is left, with a line end; text that comes later begins a new block."""
        if not self._terminal.rendered:
            missing = [] if self._ends_line else ["\n"]
            self._ends_line = True
            return missing
        return [self._lay_out(block) for block in self._splitter.finish()]

    def _lay_out(self, block: Block) -> str:
        laid_out = lay_out(printable(block.text), width=self._terminal.width, color=self._terminal.color)
        return ("\n" if block.gap else "") + laid_out


def lay_out(markdown: str, *, width: int, color: bool) -> str:
    """Markdown as lines of at most ``width`` columns, with ANSI colours where wanted.

    A word that is longer than the width is broken; a terminal narrower than 20 columns is treated as 20.
    """
    console = _console(max(20, width), color)
    with console.capture() as capture:
        console.print(_markdown_class()(markdown, code_theme="ansi_dark", hyperlinks=False))
    text = _LINE_END.sub(lambda end: end[0].replace(" ", ""), capture.get())
    lines = text.split("\n")
    while lines and not _ANSI.sub("", lines[0]):
        del lines[0]
    while lines and not _ANSI.sub("", lines[-1]):
        del lines[-1]
    return "\n".join(lines) + "\n"


@functools.cache
def _console(width: int, color: bool) -> Any:
    from rich.console import Console
    from rich.theme import Theme

    # Rich's own inline code has a black background, which is a blot on a light terminal.
    theme = Theme({"markdown.code": "cyan", "markdown.code_block": "cyan", "markdown.h1": "bold underline"})
    return Console(
        file=io.StringIO(),  # never written to: all output is captured
        width=width,
        force_terminal=color,
        color_system="standard" if color else None,
        no_color=not color,
        highlight=False,
        legacy_windows=False,
        theme=theme,
    )


@functools.cache
def _markdown_class() -> Any:
    """Rich's Markdown with headings on the left, code without a background, lines and underscores that stay.

    Models and quotes break lines where they mean it; joined, a signature and its documentation read as one. And an
    underscore in talk about code belongs to a name: ``app/__init__.py`` is not "app/" and a bold "init.py".
    """
    from rich import markdown
    from rich.console import Console, ConsoleOptions, RenderResult
    from rich.padding import Padding
    from rich.syntax import Syntax

    class Heading(markdown.Heading):
        def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
            self.text.justify = "left"
            yield self.text

    class CodeBlock(markdown.CodeBlock):
        def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
            code = str(self.text).rstrip()
            yield Padding(
                Syntax(code, self.lexer_name, theme=self.theme, word_wrap=True, background_color="default"),
                (0, 0, 0, 2),
            )

    class Table(markdown.TableElement):
        def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
            for part in super().__rich_console__(console, options):
                for column in getattr(part, "columns", ()):
                    column.overflow = "fold"  # a place in the code that ends in dots is of no use
                yield part

    class TerminalMarkdown(markdown.Markdown):
        elements = {  # noqa: RUF012 - rich declares it so
            **markdown.Markdown.elements,
            "heading_open": Heading,
            "table_open": Table,
            "fence": CodeBlock,
            "code_block": CodeBlock,
        }

        def __init__(self, markup: str, **options: Any) -> None:
            super().__init__(markup, **options)
            for token in self.parsed:
                for child in token.children or ():
                    if child.type == "softbreak":
                        child.type = "hardbreak"
                    elif child.markup in ("_", "__"):
                        child.type, child.tag, child.nesting, child.content = "text", "", 0, child.markup

    return TerminalMarkdown
