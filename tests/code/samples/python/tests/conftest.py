import pytest
import shop


@pytest.fixture
def order():
    return shop.Order(shop.Person("Tim"))


@pytest.fixture
def make_order():
    def make(name):
        return shop.Order(shop.Person(name))

    return make
