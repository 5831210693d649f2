"""Documentation as readable Markdown."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragforge_memory.llm.extractive.quoting.docstrings import readable
from ragforge_memory.llm.extractive.quoting.pieces import DOCUMENTATION_LINES, documentation, summary

PIECES = st.sampled_from(
    [
        "word",
        ":class:`~a.B`",
        "``x``",
        "`t <http://h>`_",
        ":param int x: it",
        ".. note::",
        "    indented",
        "::",
        "",
        "----",
    ]
)


def markdown(text: str, file: str = "a.py") -> str:
    return "\n".join(readable(text, file))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("See :class:`~foo.Bar` and :py:meth:`.Baz.run`.", "See `Bar` and `Baz.run`."),
        (":exc:`!KeyError` or :data:`a.b.C`", "`KeyError` or `a.b.C`"),
        (":class:`Title <foo.Bar>`, :ref:`the docs <docs>`, :doc:`/intro`", "`Title`, the docs, /intro"),
        (":class:`a name\nover two lines`", "`a name over two lines`"),
        (":pep:`8`, :rfc:`7231`", "PEP 8, RFC 7231"),
        (":attr:``typo``", "`typo`"),
        ("Runs ``a b`` and ``x`y``.", "Runs `a b` and ``x`y``."),
        ("a :memory: database", "a :memory: database"),
        ("The `site <https://a.b/c>`_ and `that`_.", "The [site](https://a.b/c) and that."),
        ("Text.\n\n.. _target: https://a.b", "Text."),
        ("``A``\\ s", "`A`s"),
        ("Use it::\n\n    x = ``1``\n\nDone.", "Use it:\n\n    x = ``1``\n\nDone."),
        ("So\n::\n\n  x = 1", "So\n\n    x = 1"),
        ("E.g.\n>>> f(1)\n2\n\nDone.", "E.g.\n\n    >>> f(1)\n    2\n\nDone."),
        (".. code-block:: python\n   :caption: x\n\n   a = 1", "    a = 1"),
        (".. versionadded:: 1.0", "*Added in 1.0.*"),
        (".. versionchanged:: 2.0\n   Takes :class:`X`.", "*Changed in 2.0:* Takes `X`."),
        (".. deprecated:: 3 Use ``y``.", "*Deprecated since 3:* Use `y`."),
        (".. note:: Mind\n   the gap.", "**Note:** Mind\nthe gap."),
        (".. seealso::\n\n   :func:`f`", "**See also:** `f`"),
        (".. admonition:: Old way\n\n   .. versionadded:: 1", "**Old way:** *Added in 1.*"),
        ("a\n\n.. a comment\n   of two lines\n\nb", "a\n\nb"),
        ("Parameters\n----------\nx : int\n    The one.", "**Parameters**\nx : int\n    The one."),
        ("Google.\n\nArgs:\n    x: the one.", "Google.\n\nArgs:\n    x: the one."),
    ],
)
def test_restructured_text_becomes_markdown(text: str, expected: str) -> None:
    assert markdown(text) == expected


def test_field_lists_become_lists() -> None:
    text = """Opens it.

:param path: where it is,
    relative to ``root``
:type path: str
:param int mode: how
:param :class:`Mode` other: too
:param \\*args: the rest
:returns: the file
:rtype: :class:`io.File`
:raises OSError: it is closed
:raises: ValueError
:meta private:
:unknown field: stays"""
    assert markdown(text).splitlines() == [
        "Opens it.",
        "",
        "- `path` (`str`): where it is,",
        "  relative to `root`",
        "- `mode` (`int`): how",
        "- `other` (`Mode`): too",
        "- `*args`: the rest",
        "- Returns (`io.File`): the file",
        "- Raises `OSError`: it is closed",
        "- Raises `ValueError`",
        ":unknown field: stays",
    ]
    assert markdown(":param x: it\n:rtype: int") == "- `x`: it\n- Returns `int`"


def test_other_languages_stay_as_they_are() -> None:
    assert markdown("Runs ``a``::\n\n\n    b", "a.rs") == "Runs ``a``::\n\n    b"


@given(st.lists(PIECES, max_size=30).map("\n".join))
def test_anything_gives_lines_without_loose_ends(text: str) -> None:
    lines = readable(text, "a.py")
    assert not lines or (lines[0] and lines[-1])
    assert all(one or other for one, other in pairwise(lines))
    assert ":class:`" not in "".join(line for line in lines if not line.startswith(" "))
    for quoted in (documentation({"docstring": text, "file": "a.py"}), summary({"docstring": text, "file": "a.py"})):
        assert not quoted or quoted[-1] not in (">", "> …")
        assert len(quoted) <= DOCUMENTATION_LINES


def test_a_cut_quote_ends_where_a_paragraph_does() -> None:
    paragraph = "\n".join(f"line {number}" for number in range(5))
    quoted = documentation({"docstring": f"{paragraph}\n\n{paragraph}\n\nExample:\n\n{paragraph}", "file": "a.py"})
    assert quoted[-1] == "> line 4 …"
    assert len(quoted) == 11
    whole = documentation({"docstring": f"{paragraph}\n\n\n{paragraph}\n\n", "file": "a.py"})
    assert (len(whole), whole[-1]) == (11, "> line 4")
    long = documentation({"docstring": "\n".join(f"line {number}" for number in range(40)), "file": "a.py"})
    assert (len(long), long[-1]) == (14, "> line 13 …")


def test_a_summary_is_the_first_paragraph() -> None:
    assert summary({"docstring": "One.\n\nMore.", "file": "a.py"}) == ["> One."]
    assert summary({"docstring": "One\ntwo\nthree.", "file": "a.py"}) == ["> One", "> two …"]
    assert summary({"docstring": "One of:\n\n- this\n- that", "file": "a.py"}) == ["> One of: …"]
    assert summary({"docstring": "One of:", "file": "a.py"}) == ["> One of:"]
    assert summary({"docstring": None, "file": "a.py"}) == []
