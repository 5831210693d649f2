"""PHP: the sample's scopes and edges by hand, details, broken files and odd inputs."""

from __future__ import annotations

from ragforge_memory.code.parse import parse
from ragforge_memory.code.resolve import resolve
from tests.code.graphs import Sample, SampleTests, edges

SCOPES = {
    "main.php": [
        "Main class 8-21",
        "Main.__construct method 10-12",
        "Main.run method 14-20",
        "report function 23-28",
    ],
    "src/Store/Item.php": [
        "MAX_ITEMS constant 11-11",
        "SHOP_NAME constant 13-13",
        "Priced interface 16-21",
        "Priced.FREE constant 18-18",
        "Priced.price method 20-20",
        "Named interface 23-25",
        "Audited class 27-30 @28",
        "Kind enum 32-41",
        "Kind.Book constant 34-34",
        "Kind.Pen constant 35-35",
        "Kind.label method 37-40",
        "Base class 43-53",
        "Base.__construct method 45-47",
        "Base.rounded method 49-52",
        "Item class 58-89",
        "Item.STEP constant 62-62",
        "Item.__construct method 66-71",
        "Item.price method 74-83 @75",
        "Item.make method 85-88",
        "total function 91-94",
    ],
}

EDGES = {
    "main.php": [
        "Main.__construct CONSUMES src/Store/Item.php:Item 10",
        "Main.run CONSUMES src/Store/Item.php:Item 16(),19",
        "Main.run CONSUMES report 19()",
        "Main.run CONSUMES src/Store/Item.php:Item.make 19()",
        "Main.run CONSUMES src/Store/Item.php:Item.price 19()",
        "Main.run CONSUMES src/Store/Item.php:total 19()",
        "report CONSUMES src/Store/Item.php:Priced 23",
        "report CONSUMES src/Store/Item.php:Priced.price 27()",
    ],
    "src/Store/Item.php": [
        "Priced INHERITS_FROM Named 16",
        "Kind IMPLEMENTS Named 32",
        "Item IMPLEMENTS Priced 58",
        "Item INHERITS_FROM Base 58",
        "Item IMPLEMENTS src/Support/Logs.php:Logs 60",
        "Item CONSUMES Kind 64",
        "Item.__construct CONSUMES Base.__construct 68()",
        "Item.__construct CONSUMES Kind 70",
        "Item.__construct CONSUMES Kind.Book 70",
        "Item.price DECORATED_BY Audited 74",
        "Item.price CONSUMES Kind 77",
        "Item.price CONSUMES Kind.Pen 77",
        "Item.price CONSUMES Priced.FREE 78",
        "Item.price CONSUMES src/Support/Logs.php:Logs.log 80()",
        "Item.price CONSUMES Base.rounded 82()",
        "Item.price CONSUMES MAX_ITEMS 82",
        "Item.make CONSUMES Item.STEP 87",
        "total CONSUMES Item 91",
        "total CONSUMES Item.price 93()",
    ],
    "src/Support/Logs.php": [],
}

SAMPLE = Sample("php", SCOPES, EDGES)
FILES, RESOLUTION, scope = SAMPLE.files, SAMPLE.resolution, SAMPLE.scope


class TestSample(SampleTests):
    sample = SAMPLE


def test_details() -> None:
    price = scope("src/Store/Item.php", "Item.price")
    assert price.signature == "public function price(): int"
    assert (price.decorators, price.docstring, price.definition_line) == (("Audited",), "The price in cents.", 75)
    assert price.complexity == 3
    item = scope("src/Store/Item.php", "Item")
    assert (item.bases, item.interfaces) == (("Base",), ("Priced", "Logs"))
    assert scope("src/Store/Item.php", "total").parameters == ("Item $a", "?Item $b = null")
    assert FILES["src/Store/Item.php"].package == "Shop.Store"


def test_documentation_tells_types_that_the_code_does_not() -> None:
    source = b"""<?php
class A { function f() {} }
class B {
    /** @var A */
    private $a;
    /** @return A */
    function make() { return $this->a; }
    /** @param A|null $x */
    function g($x) { $this->a->f(); $x->f(); $this->make()->f(); }
}
"""
    lines = [e.lines for e in resolve([parse("a.php", source)]).edges if e.target_key == "A.f"]
    assert lines == [(9,)]


def test_a_global_name_is_not_the_namespaces() -> None:
    source = (
        b"<?php\nnamespace A;\nfunction strlen($x) { return \\strlen($x); }\nfunction g() { return strlen('a'); }\n"
    )
    found = [(e.source_key, e.target_key) for e in resolve([parse("a.php", source)]).edges if e.kind == "CONSUMES"]
    assert found == [("g", "strlen")]


def test_a_called_object_is_invoked() -> None:
    source = b"<?php\nclass A { function __invoke() {} }\nfunction g() { $a = new A(); $a(); }\n"
    found = [e.target_key for e in resolve([parse("a.php", source)]).edges if e.kind == "CONSUMES"]
    assert found == ["A", "A.__invoke"]


def test_a_trait_calls_what_the_one_class_has_that_uses_it() -> None:
    text = """<?php
trait Helpers { function redirect() { $this->halt(302); } }
class Base { use Helpers; function halt($code) {} }
class Other { function halt($code) {} }
"""
    resolution = resolve([parse("a.php", text.encode())])
    assert "Helpers.redirect CONSUMES Base.halt 2() ?" in edges(resolution, "a.php")


def test_a_function_that_a_text_names_is_a_use_of_it() -> None:
    text = r"""<?php
namespace Shop;
function price($a) { return 1; }
class Place {
  function on() {}
  static function make() {}
  function run($all) {
    array_map('Shop\\price', $all, ['on']);
    usort($all, 'Shop\Place::make');
    call_user_func('price', 'Shop\price');
    add('x', [$this, 'on'], [self::class, 'make'], [$this, 'gone'], ['on', 'make']);
  }
}
"""
    assert edges(resolve([parse("a.php", text.encode())]), "a.php") == [
        "Place.run CONSUMES price 8",
        "Place.run CONSUMES Place.make 9,11",
        "Place.run CONSUMES Place.on 11 ?",
    ]
