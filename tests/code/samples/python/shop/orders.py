import contextlib
import os.path

import shop.people as people

from . import prices
from .people import Buyer, Person


class Order:
    def __init__(self, buyer: "Buyer"):
        self.buyer = buyer
        self.card = people.Person.Card()

    async def send(self):
        self.card.swipe()
        async with self.opened() as box:
            return box.close(os.path.join("a", "b"))

    @contextlib.asynccontextmanager
    async def opened(self):
        yield Box(self)

    def total(self, items):
        return prices.discounted(sum(item.price() for item in items))


class Box:
    def __init__(self, order: Order) -> None:
        self.order = order

    def close(self, where):
        if where:
            self.order.buyer.greet()
        return self.frobnicate()


class BigBox(Box):
    def close(self, where):
        return super().close(where)

    def frobnicate(self):
        person = Person.named("Ada")
        person.promote().greet()
        discounted = len
        return discounted([person])


def weigh(thing):
    return thing.frobnicate().append(thing)


default_order = Order(Person("Eve"))
default_order.total([])
