import shop
from shop import reduced


def test_total(order, make_order):
    assert order.total([]) == reduced(0)
    assert make_order("Lea")
    assert shop.Person("Kim").greet_all()
