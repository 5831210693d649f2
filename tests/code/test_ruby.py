"""Ruby: the sample's scopes and edges by hand, details, broken files and odd inputs."""

from __future__ import annotations

from ragforge_memory.code.parse import parse
from ragforge_memory.code.resolve import resolve
from tests.code.graphs import Sample, SampleTests, edges

SCOPES = {
    "lib/shop/more.rb": [
        "Shop trait 3-15",
        "Shop.Item class 4-8",
        "Shop.Item.describe method 5-7",
        "Shop.log method 12-14",
        "Shop.Shelf class 17-23",
        "Shop.Shelf.put method 18-22",
    ],
    "lib/shop/store.rb": [
        "Shop trait 3-75",
        "Shop.Priced trait 5-9",
        "Shop.Priced.free? method 6-8",
        "Shop.Error class 12-12",
        "Shop.Base class 14-20",
        "Shop.Base.label method 15-15",
        "Shop.Base.initialize method 17-19",
        "Shop.Item class 23-68",
        "Shop.Item.MAX_ITEMS constant 27-27",
        "Shop.Item.cost method 29-29",
        "Shop.Item.cost= method 29-29",
        "Shop.Item.kind method 29-29",
        "Shop.Item.kind= method 29-29",
        "Shop.Item.free method 32-34",
        "Shop.Item.make method 37-39",
        "Shop.Item.initialize method 42-45",
        "Shop.Item.price method 48-52",
        "Shop.Item.<=> method 54-56",
        "Shop.Item.amount method 58-58",
        "Shop.Item.total method 59-59",
        "Shop.Item.twice method 61-61",
        "Shop.Item.rounded method 65-67",
        "Shop.Place class 70-74",
        "Shop.Place.index method 71-73",
    ],
}

EDGES = {
    "lib/shop/more.rb": [
        "Shop.Item.describe CONSUMES lib/shop/store.rb:Shop.Base.label 6()",
        "Shop.Item.describe CONSUMES lib/shop/store.rb:Shop.Item.price 6()",
        "Shop.Shelf.put CONSUMES lib/shop/store.rb:Shop 19,21",
        "Shop.Shelf.put CONSUMES lib/shop/store.rb:Shop.Error 19",
        "Shop.Shelf.put CONSUMES lib/shop/store.rb:Shop.Priced.free? 19() ?",
        "Shop.Shelf.put CONSUMES Shop.Item.describe 21()",
        "Shop.Shelf.put CONSUMES lib/shop/store.rb:Shop.Item 21",
        "Shop.Shelf.put CONSUMES lib/shop/store.rb:Shop.Item.free 21()",
    ],
    "lib/shop/store.rb": [
        "Shop.Priced.free? CONSUMES Shop.Item.price 7() ?",
        "Shop.Item INHERITS_FROM Shop.Base 23",
        "Shop.Item IMPLEMENTS Shop.Priced 24",
        "Shop.Item.make CONSUMES Shop.Item.free 38()",
        "Shop.Item.initialize CONSUMES Shop.Base.initialize 43()",
        "Shop.Item.price CONSUMES Shop.Item.cost 49()",
        "Shop.Item.price CONSUMES Shop.Item.MAX_ITEMS 51",
        "Shop.Item.price CONSUMES Shop.Item.rounded 51()",
        "Shop.Item.<=> CONSUMES Shop.Item.price 55()",
        "Shop.Item.amount CONSUMES Shop.Item.price 58()",
        "Shop.Item.total CONSUMES Shop.Item.price 59()",
        "Shop.Item.twice CONSUMES Shop.Item.price 61()",
        "Shop.Item.rounded CONSUMES Shop.Item.cost 66()",
        "Shop.Place.index CONSUMES Shop.Item 72",
        "Shop.Place.index CONSUMES Shop.Item.MAX_ITEMS 72",
    ],
    "main.rb": [
        "<top> CONSUMES main 18()",
        "report CONSUMES lib/shop/more.rb:Shop.Item.describe 5() ?",
        "main CONSUMES lib/shop/store.rb:Shop 9,11,12,14",
        "main CONSUMES lib/shop/store.rb:Shop.Item 9(),12",
        "main CONSUMES report 10()",
        "main CONSUMES lib/shop/more.rb:Shop.log 11()",
        "main CONSUMES lib/shop/store.rb:Shop.Item.price 11()",
        "main CONSUMES lib/shop/store.rb:Shop.Item.make 12()",
        "main CONSUMES lib/shop/more.rb:Shop.Shelf 14()",
        "main CONSUMES lib/shop/more.rb:Shop.Shelf.put 15()",
    ],
}

SAMPLE = Sample("ruby", SCOPES, EDGES)
FILES, RESOLUTION, scope = SAMPLE.files, SAMPLE.resolution, SAMPLE.scope


class TestSample(SampleTests):
    sample = SAMPLE


def test_details() -> None:
    price = scope("lib/shop/store.rb", "Shop.Item.price")
    assert (price.signature, price.docstring, price.complexity) == ("def price", "The price in cents.", 2)
    free = scope("lib/shop/store.rb", "Shop.Item.free")
    assert (free.signature, free.modifiers) == ("def self.free(label)", ("static",))
    assert scope("lib/shop/store.rb", "Shop.Priced").docstring == "What has a price."
    item = scope("lib/shop/store.rb", "Shop.Item")
    assert (item.bases, item.interfaces) == (("Base",), ("Priced", "Comparable"))
    assert scope("lib/shop/store.rb", "Shop.Place").signature == "Place = Struct.new(:shelf, :row)"
    assert scope("lib/shop/more.rb", "Shop.Shelf").owner == "Shop"


def test_a_reopened_class_has_all_its_methods() -> None:
    files = [
        parse("a.rb", b"class A\n  def f\n    g\n  end\nend\n"),
        parse("b.rb", b"class A\n  def g\n    f\n  end\nend\n"),
    ]
    found = {(e.source_key, e.target_path, e.target_key) for e in resolve(files).edges if e.kind == "CONSUMES"}
    assert found == {("A.f", "b.rb", "A.g"), ("A.g", "a.rb", "A.f")}


def test_a_writer_is_not_the_reader() -> None:
    source = b"class A\n  attr_accessor :n\n  def f\n    self.n = 1\n  end\n  def g\n    n\n  end\nend\n"
    found = [(e.source_key, e.target_key) for e in resolve([parse("a.rb", source)]).edges if e.kind == "CONSUMES"]
    assert found == [("A.f", "A.n="), ("A.g", "A.n")]


def test_a_module_that_is_mixed_in_may_be_defined_inside() -> None:
    source = b"""class Request
  module Helpers
    def form; end
  end
  include Helpers
  def body
    form
  end
end
class Other
  include Helpers
end
"""
    assert edges(resolve([parse("a.rb", source)]), "a.rb") == [
        "Request IMPLEMENTS Request.Helpers 5",
        "Request.body CONSUMES Request.Helpers.form 7()",
    ]


def test_a_module_calls_what_those_have_that_include_it() -> None:
    base = """
module Helpers
  def redirect = halt(302)
  def find = lookup(1) || puts(1) || render
end
class Base
  include Helpers
  def halt(code) = throw(:halt, code)
  def run = halt(200)
  def render = 1
  def lookup(a) = a
end
class Other
  def render = 2
  def puts(a) = a
  def lookup(a) = a
end
class Plain
  def run = only_of_more
  def log = warn(1)
end
"""
    more = "module More\n  def run = only_of_more\n  def log = warn(1)\nend\n"
    more += "class Kept\n  def only_of_more = 1\n  def warn(a) = a\nend\n"
    resolution = resolve([parse("base.rb", base.encode()), parse("more.rb", more.encode())])
    assert edges(resolution, "base.rb") == [
        "Helpers.redirect CONSUMES Base.halt 3() ?",
        "Helpers.find CONSUMES Base.lookup 4() ?",
        "Helpers.find CONSUMES Base.render 4() ?",
        "Base IMPLEMENTS Helpers 7",
        "Base.run CONSUMES Base.halt 9()",
    ]
    assert edges(resolution, "more.rb") == ["More.run CONSUMES Kept.only_of_more 2() ?"]


def test_what_the_grammar_does_not_know_is_read() -> None:
    text = """
def a(*, **, &)
  b(
    1,
    *,
    **,
    &
  )
  c(
    &
  )
end
def d = [:$', :$", :$:, :$$, {:$; => 1}, $', e&.f]
def g = 1
"""
    parsed = parse("a.rb", text.encode())
    assert (parsed.error, [scope.key for scope in parsed.scopes]) == (None, ["a", "d", "g"])
    assert "&\n  )" in parsed.scopes[0].source


def test_a_method_as_a_value_is_a_use_of_it() -> None:
    text = """
def cb; end
def run(shelf)
  list = [method(:cb)]
  on(:x, &method(:cb))
end
class Clock
  def before_it; end
  def start = every('1h', &method(:before_it))
  def one(method) = method(1)
end
EVENTS = [method(:cb), Clock.instance_method(:start), method(name)]
"""
    assert edges(resolve([parse("a.rb", text.encode())]), "a.rb") == [
        "run CONSUMES cb 4,5",
        "Clock.start CONSUMES Clock.before_it 9",
        "EVENTS CONSUMES Clock 12",
        "EVENTS CONSUMES Clock.start 12",
        "EVENTS CONSUMES cb 12",
    ]


def test_a_symbol_in_a_class_may_name_its_method() -> None:
    base = "class Base\n  def login; end\nend\n"
    text = """
class Orders < Base
  before_action :login, :load, only: %i[show]
  rescue_from Late, with: :oops
  validates :name, presence: true
  private :show
  def load = other(:oops)
  def oops; end
  def show; end
end
def name; end
on :load
"""
    resolution = resolve([parse("a.rb", text.encode()), parse("base.rb", base.encode())])
    assert edges(resolution, "a.rb") == [
        "Orders INHERITS_FROM base.rb:Base 2",
        "Orders CONSUMES Orders.load 3 ?",
        "Orders CONSUMES base.rb:Base.login 3 ?",
        "Orders CONSUMES Orders.oops 4 ?",
    ]
