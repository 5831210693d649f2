"""Small projects of our own in Python, TypeScript and JavaScript: every scope and every edge, by hand."""

from __future__ import annotations

import pytest

from ragforge_memory.code.resolve import resolve
from tests.code.graphs import edges, read, scopes

PYTHON_SCOPES = {
    "shop/orders.py": [
        "Order class 10-25",
        "Order.__init__ method 11-13",
        "Order.send method 15-18",
        "Order.opened method 20-22 @21",
        "Order.total method 24-25",
        "Box class 28-35",
        "Box.__init__ method 29-30",
        "Box.close method 32-35",
        "BigBox class 38-46",
        "BigBox.close method 39-40",
        "BigBox.frobnicate method 42-46",
        "weigh function 49-50",
        "default_order constant 53-53",
    ],
    "shop/people.py": [
        "Level enum 8-10",
        "Level.NEW constant 9-9",
        "Level.REGULAR constant 10-10",
        "Named interface 13-14",
        "Buyer interface 17-25",
        "Buyer.greet method 20-21 @21",
        "Buyer.promote method 23-25",
        "Person class 28-56",
        "Person.__init__ method 29-31",
        "Person.name method 33-35 @34",
        "Person.name#2 method 37-39 @38",
        "Person.greet method 41-42",
        "Person.greet_all method 44-45",
        "Person.named method 47-49 @48",
        "Person.Card class 51-56",
        "Person.Card.swipe method 52-56",
        "Person.Card.swipe.beep function 53-54",
    ],
}

PYTHON_EDGES = {
    "shop/__init__.py": [],
    "shop/orders.py": [
        "<top> CONSUMES Order.total 54()",
        "<top> CONSUMES default_order 54",
        "Order.__init__ CONSUMES shop/people.py:Buyer 11",
        "Order.__init__ CONSUMES shop/people.py:Person 13",
        "Order.__init__ CONSUMES shop/people.py:Person.Card 13()",
        "Order.send CONSUMES shop/people.py:Person.Card.swipe 16()",
        "Order.send CONSUMES Order.opened 17()",
        "Order.send CONSUMES Box.close 18()",
        "Order.opened CONSUMES Box 22()",
        "Order.total CONSUMES shop/prices.py:discounted 25()",
        "Box.__init__ CONSUMES Order 29",
        "Box.close CONSUMES shop/people.py:Buyer.greet 34()",
        "Box.close CONSUMES BigBox.frobnicate 35() ?",
        "BigBox INHERITS_FROM Box 38",
        "BigBox.close CONSUMES Box.close 40()",
        "BigBox.frobnicate CONSUMES shop/people.py:Person 43",
        "BigBox.frobnicate CONSUMES shop/people.py:Person.named 43()",
        "BigBox.frobnicate CONSUMES shop/people.py:Buyer.greet 44()",
        "BigBox.frobnicate CONSUMES shop/people.py:Buyer.promote 44()",
        "weigh CONSUMES BigBox.frobnicate 50() ?",
        "default_order CONSUMES Order 53()",
        "default_order CONSUMES shop/people.py:Person 53()",
    ],
    "shop/people.py": [
        "Buyer CONSUMES Level 18",
        "Buyer CONSUMES Level.NEW 18",
        "Buyer.promote CONSUMES Buyer 23",
        "Buyer.promote CONSUMES Level 24",
        "Buyer.promote CONSUMES Level.REGULAR 24",
        "Person IMPLEMENTS Buyer 28",
        "Person.__init__ CONSUMES Person 29",
        "Person.greet CONSUMES Person.name 42",
        "Person.greet_all CONSUMES Person.greet 45()",
        "Person.named CONSUMES Person 48",
        "Person.Card.swipe CONSUMES Person.Card.swipe.beep 56()",
    ],
    "shop/prices.py": [
        "logged CONSUMES logged.inner 14",
        "rounded CONSUMES rounded.decorate 21",
        "discounted DECORATED_BY logged 24",
        "discounted CONSUMES rounded 25()",
        "discounted DECORATED_BY rounded 25",
        "discounted CONSUMES RATE 33",
        "discounted CONSUMES _CENTS 33",
    ],
    "tests/conftest.py": [
        "order CONSUMES shop/orders.py:Order 7()",
        "order CONSUMES shop/people.py:Person 7()",
        "make_order CONSUMES make_order.make 15",
        "make_order.make CONSUMES shop/orders.py:Order 13()",
        "make_order.make CONSUMES shop/people.py:Person 13()",
    ],
    "tests/test_shop.py": [
        "test_total CONSUMES tests/conftest.py:make_order 5,7()",
        "test_total CONSUMES tests/conftest.py:order 5",
        "test_total CONSUMES shop/orders.py:Order.total 6()",
        "test_total CONSUMES shop/prices.py:discounted 6()",
        "test_total CONSUMES shop/people.py:Person 8()",
        "test_total CONSUMES shop/people.py:Person.greet_all 8()",
    ],
}

TYPESCRIPT_SCOPES = {
    "src/parts/unit.ts": [
        "Unit class 1-5",
        "Unit.label method 2-4",
        "UNITS constant 7-7",
        "UNITS.short method 7-7",
        "makeUnit function 9-11",
    ],
    "src/shapes.ts": [
        "Shape interface 4-7",
        "Shape.area method 6-6",
        "Solid interface 9-11",
        "Solid.volume method 10-10",
        "Colour enum 13-16",
        "Colour.Red constant 14-14",
        "Colour.Blue constant 15-15",
        "Figure type 18-18",
        "sealed function 20-20",
        "measured function 22-24",
        "Base class 26-37",
        "Base.LIMIT constant 27-27",
        "Base.constructor method 28-28",
        "Base.area method 30-30",
        "Base.describe method 32-34",
        "Base.paint method 36-36",
        "Square class 39-55 @40",
        "Square.area method 44-50 @45",
        "Square.double method 52-54",
        "Side class 57-64",
        "Side.constructor method 58-58",
        "Side.times method 59-59",
        "Side.times#2 method 60-60",
        "Side.times#3 method 61-63",
        "Tools namespace 66-68",
        "Tools.grow function 67-67",
    ],
}

TYPESCRIPT_EDGES = {
    "src/parts/index.ts": [],
    "src/parts/unit.ts": [
        "Unit.label CONSUMES UNITS 3",
        "makeUnit CONSUMES Unit 9,10()",
    ],
    "src/shapes.ts": [
        "Shape CONSUMES src/parts/unit.ts:Unit 5",
        "Solid INHERITS_FROM Shape 9",
        "Figure CONSUMES Square 18",
        "Base IMPLEMENTS Shape 26",
        "Base.constructor CONSUMES src/parts/unit.ts:Unit 28",
        "Base.constructor CONSUMES Colour 28",
        "Base.constructor CONSUMES Colour.Red 28",
        "Base.describe CONSUMES src/parts/unit.ts:Unit.label 33()",
        "Base.describe CONSUMES Base.area 33()",
        "Base.describe CONSUMES Base.paint 33()",
        "Base.paint CONSUMES Colour 36",
        "Square DECORATED_BY sealed 39",
        "Square INHERITS_FROM Base 40",
        "Square CONSUMES Side 41()",
        "Square.area CONSUMES measured 44()",
        "Square.area DECORATED_BY measured 44",
        "Square.area CONSUMES Base 46",
        "Square.area CONSUMES Base.LIMIT 46",
        "Square.area CONSUMES Base.describe 47()",
        "Square.area CONSUMES Side.times#3 49()",
        "Square.double CONSUMES Square 52",
        "Tools.grow CONSUMES Square 67",
        "Tools.grow CONSUMES Square.double 67",
    ],
    "src/view.tsx": [
        "<top> CONSUMES src/parts/unit.ts:Unit 16()",
        "<top> CONSUMES src/parts/unit.ts:Unit.label 16()",
        "View CONSUMES src/shapes.ts:Square 4",
        "View CONSUMES src/parts/unit.ts:makeUnit 5()",
        "View CONSUMES src/shapes.ts:Figure 6",
        "View CONSUMES src/shapes.ts:Tools 6",
        "View CONSUMES src/shapes.ts:Tools.grow 6()",
        "View CONSUMES src/parts/unit.ts:Unit.label 7(),8()",
        "View CONSUMES src/parts/unit.ts:UNITS 8",
        "View CONSUMES src/parts/unit.ts:UNITS.short 8()",
        "View CONSUMES src/shapes.ts:Square.area 8()",
        "View CONSUMES Panel 8()",
        "Panel CONSUMES Panel.inner 13()",
    ],
}

JAVASCRIPT_SCOPES = {
    "src/log.js": [
        "log function 1-3",
        "levels constant 5-10",
        "levels.debug method 6-8",
        "levels.quiet method 9-9",
    ],
    "src/queue.js": [
        "Queue function 5-11",
        "Queue.flush method 8-10",
        "Queue.push method 13-17",
        "Queue.create method 19-19",
        "Quick class 21-26",
        "Quick.run method 23-25",
        "start function 28-28",
    ],
}

JAVASCRIPT_EDGES = {
    "src/log.js": [
        "log CONSUMES levels 2",
        "log CONSUMES levels.debug 2()",
    ],
    "src/main.mjs": [
        "<top> CONSUMES q 5",
        "<top> CONSUMES src/queue.js:Quick 6()",
        "<top> CONSUMES src/queue.js:Quick.run 6()",
        "<top> CONSUMES src/queue.js:start 7()",
        "<top> CONSUMES src/log.js:log 8()",
        "q CONSUMES src/queue.js:Queue 4()",
    ],
    "src/queue.js": [
        "<top> CONSUMES Queue 28",
        "<top> CONSUMES Quick 28",
        "Queue CONSUMES src/timers.js:Clock 7()",
        "Queue CONSUMES src/timers.js:clock 7",
        "Queue.flush CONSUMES src/timers.js:later 9()",
        "Queue.push CONSUMES src/log.js:log 14()",
        "Queue.push CONSUMES src/timers.js:Clock.tick 15()",
        "Queue.push CONSUMES Queue.flush 16()",
        "Queue.create CONSUMES Queue 19()",
        "Quick INHERITS_FROM Queue 21",
        "Quick.run CONSUMES Queue.push 24()",
        "start CONSUMES Queue 28",
        "start CONSUMES Queue.create 28()",
    ],
    "src/timers.js": [
        "clock CONSUMES Clock 9",
    ],
}


SAMPLES = {
    "python": (PYTHON_SCOPES, PYTHON_EDGES),
    "typescript": (TYPESCRIPT_SCOPES, TYPESCRIPT_EDGES),
    "javascript": (JAVASCRIPT_SCOPES, JAVASCRIPT_EDGES),
}


@pytest.mark.parametrize("sample", SAMPLES)
def test_a_sample_has_exactly_these_scopes(sample: str) -> None:
    files, expected = read(sample), SAMPLES[sample][0]
    assert {path: scopes(files[path]) for path in expected} == expected


@pytest.mark.parametrize("sample", SAMPLES)
def test_a_sample_has_exactly_these_edges(sample: str) -> None:
    files = read(sample)
    resolution = resolve(files.values())
    assert {path: edges(resolution, path) for path in files} == SAMPLES[sample][1]
