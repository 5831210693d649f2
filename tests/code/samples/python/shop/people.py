from __future__ import annotations

from abc import ABC, abstractmethod
from enum import Enum
from typing import Protocol


class Level(Enum):
    NEW = 1
    REGULAR = 2


class Named(Protocol):
    name: str


class Buyer(ABC):
    level: Level = Level.NEW

    @abstractmethod
    def greet(self) -> str: ...

    def promote(self) -> Buyer:
        self.level = Level.REGULAR
        return self


class Person(Buyer):
    def __init__(self, name: str, friend: Person | None = None) -> None:
        self._name = name
        self.friend = friend

    @property
    def name(self) -> str:
        return self._name

    @name.setter
    def name(self, value: str) -> None:
        self._name = value

    def greet(self) -> str:
        return f"I am {self.name}"

    def greet_all(self) -> str:
        return self.greet() + (self.friend.greet() if self.friend else "")

    @classmethod
    def named(cls, name: str) -> Person:
        return cls(name)

    class Card:
        def swipe(self):
            def beep():
                return "beep"

            return beep()
