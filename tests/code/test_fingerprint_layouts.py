"""Texts of the same tokens, in each language: which say the same in another layout, and which do not."""

from __future__ import annotations

import pytest

from ragforge_memory.code.parse import parse

Pairs = dict[str, tuple[tuple[str, str], ...]]

SAME: Pairs = {
    "go": (
        ("a()\n b()", "a()\n /* c */ b()"),
        ("a()\n b()", "a() // c\n\n\t\tb() /* d */"),
        ("x(a, b)", "x(a, /* c */\n b)"),
    ),
    "js": (
        ("let a = b\n ++c", "let a = b\n /* c */ ++c"),
        ("return { a: 1 }", "return {\n  // c\n  a: 1\n }"),
        ("for (;;) --a", "for (;;)\n // c\n --a"),
    ),
    "ts": (
        ("let a = b!\n c()", "let a = b! // c\n\n c()"),
        ("type T = A | B\n c()", "type T = A\n | B\n c()"),
    ),
    "py": (
        ("if x: return 1\n return 2", "if x:\n  return 1\n return 2"),
        ("for x in y: pass\n z", "for x in y:  # c\n  # d\n  pass\n z"),
        ("return a + \\\n  b", "return a + b"),
        ("return ('a' 'b')", "return ('a'\n  # c\n 'b')"),
    ),
    "rb": (
        ("a\n b", "a # c\n\n # d\n b"),
        ("f a, b", "f a, # c\n b"),
        ("x = a && \\\n b", "x = a && b"),
        ("s = <<~X\n   a\n    b #{c}\n X\n", "s = <<~X\n     a\n      b #{c}\n   X\n"),
    ),
    "c": (
        ("if (a && b) c();", "if (a && \\\n b) c(); // d"),
        ("#define A 1 + 2\n b();", "#define A 1 \\\n + 2 /* c */\n b();"),
    ),
    "php": (
        ("?>\n<p>a</p>\n<?php", "?><p>a</p>\n<?php"),
        ("return <<<X\n  a\n   $b  {$c}\n\n  X;", "return <<<X\n    a\n     $b  {$c}\n\n    X;"),
        ("return <<<'X'\n a\n X;", "return <<<'X'\n   a\n   X;"),
    ),
    "rs": (
        ("let a = 1; b(a);", "let a = 1; // c\n b( /* d /* e */ */ a );"),
        ("m! { a - 1 }", "m! {a - // c\n 1}"),
    ),
    "java": (
        ("return 1;", "/** a */ return // b\n 1;"),
        ("List<List<A>> a = b;", "List< List<A> > a = b;"),
        ('return """\n   a\n\n     b\n   """;', 'return """\n  a\n\n    b\n  """;'),
    ),
    "cs": (
        ("return 1;", "/// <a/>\n return /* b */ 1;"),
        ('return """\n   a\n\n     b\n   """;', 'return """\n  a\n\n    b\n  """;'),
    ),
}

OTHER: Pairs = {
    "go": (
        ("return next()", "return\n /* c */ next()"),
        ("a()\n -b", "a() - b"),
        ("s := `a  b`", "s := `a b`"),
    ),
    "js": (
        ("return x", "return\n /* c */ x"),
        ("a\n ++\n b", "a++\n b"),
        ("let y = async\n x => x", "let y = async x => x"),
        ("x = /a b/", "x = /ab/"),
    ),
    "ts": (
        ("let x = y!\n z()", "let x = y\n !z()"),
        ("type\n A = 1", "type A = 1"),
        ("declare\n function g(): void", "declare function g(): void"),
        ("let x: A\n [b] = c", "let x: A[b] = c"),
    ),
    "py": (
        ("return\n x", "return x"),
        ("x = 1\n -y", "x = 1 - y"),
        ("if x: a; b", "if x: a\n b"),
        ("return f'{x = }'", "return f'{x=}'"),
    ),
    "rb": (
        ("log(x)\n return\n x", "log(x)\n return x"),
        ("y = x\n -1", "y = x -1"),
        ("a\n [1]", "a[1]"),
        ('"#{a\n -b}"', '"#{a - b}"'),
        ("s = <<~X\n   a\n    b\n X\n", "s = <<~X\n   a\n   b\n X\n"),
    ),
    "c": (
        ("#define A b\n c();", "#define A\n b c();"),
        ("#if A\n -b;\n#endif", "#if A - b\n ;\n#endif"),
        ("a - -b;", "a-- b;"),
    ),
    "php": (
        ("?> a  b <?php", "?> a b <?php"),
        ("f(); ?>  <?php g();", "f(); ?> <?php g();"),
        ("return <<<X\n  a\n X;", "return <<<X\n a\n X;"),
        ('return "$a[0]";', 'return "$a [0]";'),
    ),
    "rs": (
        ('let s = "a  b";', 'let s = "a b";'),
        ("x - -1", "x - 1"),
        ("m! { a b }", "m! { ab }"),
    ),
    "java": (
        ('return """\n  a\n   b\n  """;', 'return """\n  a\n  b\n  """;'),
        ('return """\n  a\n  """;', 'return """\n  a\n """;'),
        ('return "a  b";', 'return "a b";'),
    ),
    "cs": (
        ('return @"a  b";', 'return @"a b";'),
        ('return $"{a}  {b}";', 'return $"{a} {b}";'),
        ('return """\n   a\n  """;', 'return """\n  a\n  """;'),
        ("\n#if X\n a();\n#else\n b();\n#endif\n", "\n#if X\n a();\n b();\n#else\n#endif\n"),
    ),
}

AROUND = {
    "go": ("a.go", "package a\n\nfunc F() (n int) {\n %s\n}\n", "F"),
    "js": ("a.js", "function f() {\n %s\n}\n", "f"),
    "ts": ("a.ts", "function f() {\n %s\n}\n", "f"),
    "py": ("a.py", "def f():\n %s\n", "f"),
    "rb": ("a.rb", "def f\n %s\nend\n", "f"),
    "c": ("a.c", "void f(void) {\n%s\n}\n", "f"),
    "php": ("a.php", "<?php\nfunction f() {\n%s\n}\n", "f"),
    "rs": ("a.rs", "fn f() {\n %s\n}\n", "f"),
    "java": ("A.java", "class A {\n Object f() {\n %s\n }\n}\n", "A.f"),
    "cs": ("A.cs", "class A {\n object F() {\n %s\n }\n}\n", "A.F"),
}

MACROS = (
    ("#define F(a) ((a) * b)", "#define F(a) ((a) * b) /* c */", True),
    ("#define F(a) ((a) * b)", "#define F(a) \\\n  ((a) \\\n * b)", True),
    ("#define F(a) ((a) * b)", "#define F(a) /* c */ ((a) * /* d\n e */ b)", True),
    ("#define F(x) x", "#define F (x) x", False),
    ("#define F(a, b) a##b", "#define F(a, b) a b", False),
    ("#define F a + b", "#define F a++ b", False),
    ('#define F "/* a */"', '#define F "/* b */"', False),
)


def pairs(table: Pairs) -> list[tuple[str, str, str]]:
    return [(language, *pair) for language, found in table.items() for pair in found]


def body_hash(language: str, text: str) -> str:
    path, around, key = AROUND[language]
    parsed = parse(path, (around % text).encode())
    return next(scope.body_hash for scope in parsed.scopes if scope.key == key)


@pytest.mark.parametrize(("language", "one", "other"), pairs(SAME))
def test_another_layout_is_the_same(language: str, one: str, other: str) -> None:
    assert body_hash(language, one) == body_hash(language, other)


@pytest.mark.parametrize(("language", "one", "other"), pairs(OTHER))
def test_what_a_line_break_or_a_space_says_counts(language: str, one: str, other: str) -> None:
    assert body_hash(language, one) != body_hash(language, other)


@pytest.mark.parametrize(("one", "other", "same"), MACROS)
def test_a_macro_is_what_its_tokens_are(one: str, other: str, same: bool) -> None:
    for path in ("a.c", "a.cpp"):
        found = [parse(path, f"{text}\nint x;\n".encode()).scopes for text in (one, other)]
        assert [[scope.key for scope in scopes][:1] for scopes in found] == [["F"], ["F"]]
        assert (found[0][0].body_hash == found[1][0].body_hash) is same
