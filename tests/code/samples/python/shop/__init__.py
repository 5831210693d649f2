"""A shop: what it sells and to whom."""

from .orders import Order
from .people import *  # noqa: F403
from .prices import discounted as reduced

__all__ = ["Order", "Person", "reduced"]  # noqa: F405
