"""C: the sample's scopes and edges by hand, details, broken files and odd inputs."""

from __future__ import annotations

from ragforge_memory.code.parse import parse
from ragforge_memory.code.resolve import resolve
from tests.code.graphs import Sample, SampleTests

SCOPES = {
    "store.c": [
        "free_cost constant 4-4",
        "made constant 5-5",
        "rounded function 8-10",
        "item_new function 15-22 @16",
        "item_price function 26-30",
    ],
    "store.h": [
        "MAX_ITEMS constant 5-5",
        "ROUND macro 6-6",
        "kind enum 8-8",
        "kind.BOOK constant 8-8",
        "kind.PEN constant 8-8",
        "item struct 11-15",
        "item_t type 15-15",
        "shelf struct 17-20",
        "pricer type 22-22",
        "money type 23-23",
        "bits struct 25-28",
        "is_free function 33-35",
    ],
}

EDGES = {
    "main.c": [
        "choose CONSUMES store.h:pricer 6",
        "choose CONSUMES store.c:item_price 7",
        "main CONSUMES store.h:shelf 11",
        "main CONSUMES rounded 12()",
        "main CONSUMES store.c:item_new 12()",
        "main CONSUMES store.h:item_t 12",
        "main CONSUMES store.h:MAX_ITEMS 14",
        "main CONSUMES store.h:is_free 14()",
        "main CONSUMES choose 16()",
    ],
    "store.c": [
        "rounded CONSUMES store.h:item_t 8",
        "rounded CONSUMES store.h:ROUND 9()",
        "item_new CONSUMES store.h:item_t 15,18",
        "item_new CONSUMES store.h:item 18",
        "item_new CONSUMES made 20",
        "item_price CONSUMES store.h:item_t 26",
        "item_price CONSUMES store.h:kind.PEN 27",
        "item_price CONSUMES free_cost 28",
        "item_price CONSUMES rounded 29()",
    ],
    "store.h": [
        "<top> CONSUMES item_t 30,31",
        "item CONSUMES kind 14",
        "shelf CONSUMES item_t 18",
        "pricer CONSUMES item_t 22",
        "is_free CONSUMES item_t 33",
        "is_free CONSUMES store.c:item_price 34()",
    ],
}

SAMPLE = Sample("c", SCOPES, EDGES)
FILES, RESOLUTION, scope = SAMPLE.files, SAMPLE.resolution, SAMPLE.scope


class TestSample(SampleTests):
    sample = SAMPLE


def test_details() -> None:
    made = scope("store.c", "item_new")
    assert made.signature == "item_t * item_new(const char *label, int cost)"
    assert (made.docstring, made.start_line, made.definition_line) == ("Makes an item.", 15, 16)
    assert made.parameters == ("const char *label", "int cost")
    price = scope("store.c", "item_price")
    assert (price.docstring, price.complexity) == ("The price in cents.\nNever negative.", 3)
    assert scope("store.h", "shelf").signature == "typedef struct shelf"
    assert scope("store.h", "item_t").returns == "item"


def test_the_linker_finds_what_no_header_defines() -> None:
    files = [parse("a.c", b"int f(void) { return g(); }\n"), parse("b.c", b"int g(void) { return 1; }\n")]
    assert [(e.source_key, e.target_path) for e in resolve(files).edges] == [("f", "b.c")]


def test_a_macro_calls_a_name_that_is_not_ascii() -> None:
    macro = "int größe(int a) { return a; }\nint e(int a) { return a; }\n#define DOPPELT(a) (2 * größe(a))\n"
    assert [(e.source_key, e.target_key) for e in resolve([parse("a.c", macro.encode())]).edges] == [
        ("DOPPELT", "größe")
    ]


def test_a_static_function_is_not_seen_from_other_files() -> None:
    files = [parse("a.c", b"int f(void) { return g(); }\n"), parse("b.c", b"static int g(void) { return 1; }\n")]
    assert resolve(files).edges == ()


def test_macros_between_a_type_and_a_name_are_read_over() -> None:
    source = b"""int MY_CALL main(void) { return 0; }
static void * MY_CALL grow(size_t size)
{
    return realloc(size);
}
struct MY_ITEM first(int a) { return all[a]; }
const MY_ITEM last(int a) { return all[a]; }
MY_API struct item MY_CALL find(int a) { return MY_CAST first(a); }
"""
    assert [found.key for found in parse("a.c", source).scopes] == ["main", "grow", "first", "last", "find"]
    assert [found.key for found in parse("a.cc", source).scopes] == ["main", "grow", "first", "last", "find"]
