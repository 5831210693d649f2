"""What the groups of an agent's methods are built on."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ragforge_memory.agent.services import Services


class AgentPart(ABC):
    """One group of an agent's methods."""

    @abstractmethod
    async def open(self) -> Services:
        """Opens what is needed, once."""
