"""Code inside of other files: the scripts of components, the cells of notebooks."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ragforge_memory.code.parse import parse
from tests.code.graphs import shown

VUE = """<!-- <script>export function ghost() {}</script> -->
<template>
  <OrderTable @click="save" :rows="rows > 1 ? rows : []" />
</template>

<script lang="ts" setup generic="T extends Map<string, number>">
import OrderTable from './OrderTable.vue'
import { post } from './api'

const rows: string[] = []

async function save(row: string): Promise<void> {
  await post(row)
}
</script>

<script type="application/json">{"function": 1}</script>
<style>.a > b { color: red }</style>
"""

SVELTE = """<script context="module">
  export function load() { return fetchAll(); }
</script>
<script>
  import { fetchAll } from './api';
  export let name = 'x';
  $: doubled = name + name;
  function greet() { return load(); }
</script>

{#if name}<p on:click={greet}>{doubled}</p>{/if}
"""


def scopes(path: str, text: str) -> list[tuple[str, int]]:
    parsed = parse(path, text.encode())
    assert parsed.error is None, parsed.error
    return [(each.qualified_name, each.definition_line) for each in parsed.scopes]


def test_a_component_of_vue_is_its_scripts() -> None:
    assert scopes("App.vue", VUE) == [("rows", 10), ("save", 12)]
    sources = {
        "src/App.vue": VUE,
        "src/api.ts": "export function post(row: string) {}\n",
        "src/OrderTable.vue": "<script>\nexport default { name: 'OrderTable' }\n</script>\n",
    }
    assert "save CONSUMES src/api.ts:post 13()" in shown(sources, "src/App.vue")
    parsed = parse("App.vue", VUE.encode())
    assert "await post(row)" in parsed.scopes[-1].source


def test_a_component_of_svelte_is_its_scripts() -> None:
    assert [name for name, _ in scopes("A.svelte", SVELTE)] == ["load", "name", "greet"]
    sources = {"A.svelte": SVELTE, "api.js": "export function fetchAll() {}\n"}
    assert "load CONSUMES api.js:fetchAll 2()" in shown(sources, "A.svelte")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("<template><p/></template>\n", []),
        ("<script>\nfunction a() {}\n", ["a"]),
        ("<SCRIPT>\nfunction a() {}\n</SCRIPT>\n<script>function b() {}</script>", ["a", "b"]),
        ("<script type='module'>function a() {}</script>", ["a"]),
        ("<script type='text/x-template'>function a() {}</script>", []),
        ("<!-- not closed <script>function a() {}</script>", []),
    ],
)
def test_which_parts_of_a_component_are_code(text: str, names: list[str]) -> None:
    assert [name for name, _ in scopes("A.vue", text)] == names


def test_a_component_whose_script_is_broken_says_so() -> None:
    assert parse("A.vue", b"<script>\nfunction a( {\n</script>").error == "syntax error in line 2"


def cell(*lines: str, kind: str = "code") -> dict[str, Any]:
    source = [f"{line}\n" for line in lines[:-1]] + list(lines[-1:])
    outputs = {} if kind != "code" else {"execution_count": None, "outputs": [{"text": ["def load(path):\n"]}]}
    return {"cell_type": kind, "metadata": {}, "source": source, **outputs}


def notebook(*cells: dict[str, Any], language: str = "python") -> dict[str, Any]:
    kernel = {"kernelspec": {"display_name": "x", "language": language, "name": "x"}}
    return {"cells": list(cells), "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}


CELLS = (
    cell("# A title", "def ghost(): ...", kind="markdown"),
    cell("%matplotlib inline", "import shop", "!pip install shop", 'NAMES = ["a", "ü"]'),
    cell("%%bash", "def not_python( {"),
    cell("def load(path):", "    !ls", '    return shop.read(path, "\\t")'),
    cell("load?", "%%time", "load('x')"),
)


def test_code_stands_in_the_lines_of_the_notebook() -> None:
    text = json.dumps(notebook(*CELLS), indent=1, sort_keys=True)
    lines = text.split("\n")
    [(names, _), (load, line)] = scopes("a.ipynb", text)
    assert (names, load) == ("NAMES", "load")
    assert lines[line - 1].strip() == r'"def load(path):\n",'
    # Of the output that says the same the line is not taken.
    assert lines[line].strip() == r'"    !ls\n",'
    source = parse("a.ipynb", text.encode()).scopes[-1].source
    assert source == 'def load(path):\n    pass\n    return shop.read(path, "\\t")'
    sources = {"a.ipynb": text, "shop.py": "def read(path, by): ...\n"}
    assert any(each.startswith("load CONSUMES shop.py:read") for each in shown(sources, "a.ipynb"))


def test_a_notebook_in_another_form_of_json() -> None:
    compact = json.dumps(notebook(*CELLS))
    assert [name for name, _ in scopes("a.ipynb", compact)] == ["NAMES", "load"]
    whole = notebook({"cell_type": "code", "source": "def a():\n    return 1\n"})
    assert scopes("a.ipynb", json.dumps(whole, indent=1)) == [("a", 1)]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (json.dumps(notebook(language="R")), "a notebook in R, which is not read"),
        ("{", "not a notebook of Jupyter's format 4"),
        ('{"worksheets": []}', "not a notebook of Jupyter's format 4"),
        ("[1]", "not a notebook of Jupyter's format 4"),
    ],
)
def test_what_is_not_read_of_notebooks_says_why(text: str, why: str) -> None:
    assert parse("a.ipynb", text.encode()).error == why
