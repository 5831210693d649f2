"""Which tests there are: by their names, and by the calls, macros and annotations that make them."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragforge_memory.language.test_marks import marks_in
from ragforge_memory.tools import code_tests
from tests.tools.conftest import FILES, Run, write_files

pytestmark = pytest.mark.anyio

CART = """describe('a cart', () => {
  beforeEach(() => { test = 1; });
  it('adds', () => {});
  test.each([1, 2])('takes %d', () => {});
});
"""
MORE = {
    "web/cart.test.js": CART,
    "src/test/java/CartTest.java": "class CartTest {\n  @Test\n  void adds() {}\n\n  @Test\n  void testTakes() {}\n}\n",
    "src/lib.rs": "pub fn add() {}\n\n#[test]\nfn adds() { add(); }\n",
    "cpp/cart.cc": "TEST(Cart, Adds) {\n  run();\n}\n",
    "lib/plain.js": "it('is no test here', () => {});\n",
}


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """The project with tests of other languages."""
    return write_files(tmp_path / "shop", {**FILES, **MORE})


async def test_tests_of_all_kinds(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    value = (await run("list_tests")).value
    assert [(each["file"], each.get("qualified_name") or each["text"]) for each in value["tests"]] == [
        ("cpp/cart.cc", "Cart.Adds"),
        ("src/lib.rs", "adds"),
        ("src/test/java/CartTest.java", "CartTest.adds"),
        ("src/test/java/CartTest.java", "CartTest.testTakes"),
        ("tests/test_cart.py", "test_cart"),
        ("web/cart.test.js", "it('adds')"),
        ("web/cart.test.js", "test.each([1, 2])('takes %d', () => {});"),
    ]
    assert (value["total"], value["files"], value["test_files"], value["late"]) == (7, 5, 3, False)
    assert (await run("list_tests", target="tests/")).value["total"] == 1
    assert (await run("list_tests", target="web/cart.test.js")).value["total"] == 2
    monkeypatch.setattr(code_tests, "SECONDS", -1.0)
    value = (await run("list_tests")).value
    assert (value["total"], value["late"]) == (3, True)


@pytest.mark.parametrize(
    ("file", "family", "text", "marks"),
    [
        ("a.spec.ts", "javascript", "test(\n  'long',\n  f);\nxtest(name, f)\nit.only(`a\n b`, f)\n", [1, 4, 5]),
        ("a.test.js", "javascript", "it('a', f); // one\n  Deno.test({ name: 'b' })\nit.each`a`('c', f)\n", [1, 2, 3]),
        ("a.test.js", "javascript", "// test('a')\n/x/.test('a')\ntest(request) {\ntest.beforeEach(f)\nit = 1\n", []),
        (
            "spec/a_spec.rb",
            "ruby",
            "it 'adds' do\nend\nit { is_expected }\nspecify(\"x\") {}\nexample.run\n",
            [1, 3, 4],
        ),
        ("a.rb", "ruby", "it 'adds' do\n", []),
        ("tests/ATest.php", "php", "it('adds', f);\n#[Test]\n/** @test */\n$this->it('x');\n", [1, 2, 3]),
        ("a_test.go", "go", 'It("adds", func() {})\n', [1]),
        ("a.cc", "c", 'TEST_F(A, B) {\n#define TEST(x) x\nTEST_CASE("a") {\nTEST_SUITE_P(a);\n', [1, 3]),
        ("A.cs", "csharp", '[Fact]\n[Trait("a", "b"), Test]\n[TestFixture]\n[TestCase(1)]\n', [1, 2, 4]),
        ("A.java", "java", "@Test\n@Testing\n@ParameterizedTest void a() {}\n", [1, 3]),
        ("test_a.py", "python", "test('a')\n", []),
    ],
)
def test_marks_of_tests(file: str, family: str, text: str, marks: list[int]) -> None:
    assert [each.line for each in marks_in(file, family, text)] == marks
