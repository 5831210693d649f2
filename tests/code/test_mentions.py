"""Which words of an answer count as names of code."""

from __future__ import annotations

import time

import pytest

from ragforge_memory.code.mentions import find_mentions

# An answer without a model's words: the definition, then its docstring as a quotation.
DOCSTRING = """\
`Client` - httpx/_client.py:594 (class, lines 594-1304)
> `class Client(BaseClient)`
> An HTTP client. Set `timeout` or base_url once, see `build_request` and `Client.send`.
>
> - `params`: query parameters that are added to the `url`
> - `base_url`: where relative addresses begin
> - **max_redirects** - how many are followed
>
> ```python
> >>> client = httpx.Client(trust_env=False)
> ```

It is used by `get`.
"""


def test_the_words_of_a_quoted_docstring_are_no_mentions() -> None:
    found = find_mentions(DOCSTRING)

    assert found.names == ("Client", "BaseClient", "build_request", "Client.send", "httpx.Client", "get")
    assert found.files == ("httpx/_client.py",)


def test_the_parameters_of_source_in_a_fence_are_no_mentions() -> None:
    text = "See:\n```python\ndef fetch_all(base_url, max_items=3):\n    return max_items\n```\nand max_items here"

    assert find_mentions(text).names == ("fetch_all", "max_items")
    assert find_mentions(text.partition("\nand")[0]).names == ("fetch_all",)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("`headers` is set", ("headers",)),
        ("- `check`: compares", ("check",)),
        ("the headers and params of it", ()),
        ("call scramble(password) or snake_case or camelCase", ("scramble", "snake_case", "camelCase")),
        ("it is `kept + len(groups[0])` there", ()),
        ("> reads `n = len(rows)` of load_rows(path)", ("load_rows",)),
        ("see `len(x)`", ("len",)),
        ("`bail!` and `ensure!(a)`, `Cart#empty?`", ("bail!", "ensure!", "Cart.empty?")),
        (r"`A\b` or `\A\B::c()`, not \n or C:\temp", ("A.b", "A.B.c")),
        ("```\nnever closed base_url", ()),
        ("> ```\n> quoted\n\nthen max_items", ("max_items",)),
        ("", ()),
    ],
)
def test_what_is_written_as_code_counts(text: str, names: tuple[str, ...]) -> None:
    assert find_mentions(text).names == names


@pytest.mark.parametrize(
    "piece",
    [
        *("a@", "a.", "a/", "a::", "a#", "$a", "_", "`a ", "Aa", "a.py/", "- `a_b` ", "`a(", "```\n", "> `a`\n", "A1_"),
    ],
)
@pytest.mark.parametrize("tail", ["", "("])
def test_the_time_grows_with_the_length_of_the_text_and_not_with_its_square(piece: str, tail: str) -> None:
    def seconds(length: int) -> float:
        text = f"> A{piece * (length // len(piece))}{tail}"
        took = []
        for _ in range(3):
            begun = time.thread_time()
            find_mentions(text)
            took.append(time.thread_time() - begun)
        return min(took)

    length = 10_000
    # What is squared takes sixteen times as long. A few milliseconds are uneven where the machine is busy.
    assert seconds(4 * length) <= max(8 * seconds(length), 0.05)
