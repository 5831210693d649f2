import functools
from decimal import Decimal
from typing import Final

RATE: Final = Decimal("0.19")
_CENTS = 100


def logged(function):
    @functools.wraps(function)
    def inner(*args):
        return function(*args)

    return inner


def rounded(digits: int = 2):
    def decorate(function):
        return function

    return decorate


@logged
@rounded(digits=0)
def discounted(price: Decimal, percent: int = 10) -> Decimal:
    """The price less some percent.

    Never below zero.
    """
    if percent <= 0 or price < 0:
        return price
    return price * (_CENTS - percent) / _CENTS * (1 + RATE)  # comments do not count
