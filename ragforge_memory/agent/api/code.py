"""The code that a conversation is about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from ragforge_memory.agent.api.handle import ConversationHandle
from ragforge_memory.agent.inputs import check_text
from ragforge_memory.errors import InvalidInput
from ragforge_memory.models.code import CodeReference, ReferenceKind


class ConversationCode(ConversationHandle):
    """Ties between messages and definitions, and what has become of these."""

    async def reference_code(
        self, message_id: str, scopes: Sequence[str], kind: ReferenceKind = "discussed"
    ) -> list[CodeReference]:
        """Ties a message to definitions, as the turn does for those that tools returned and answers name.

        Args:
            message_id: a message of this conversation.
            scopes: qualified names (the module may stand before them), names, signatures, ``FILE:NAME`` with a
                qualified name, or uuids; each means one definition.
            kind: what was done with the code: ``discussed``, ``read``, ``edited`` or ``tested``.

        Returns:
            All ties of the message, with their status, those from before among them.

        Raises:
            MessageNotFound: the message is none of this conversation's.
            InvalidInput: a name means no definition, or several, or there is no such kind; nothing was written.
        """
        from ragforge_memory.agent.ties.references import refer

        check_text(message_id, "a message's uuid")
        if kind not in get_args(ReferenceKind):
            raise InvalidInput(f"there is no kind {kind!r}", hint=", ".join(get_args(ReferenceKind)))
        if isinstance(scopes, str) or not isinstance(scopes, Sequence) or not scopes:
            raise InvalidInput("scopes are a list of names", hint='["auth.check_password"]')
        for scope in scopes:
            check_text(scope, "a definition's name")
        return await refer(await self._saved(), self.uuid, message_id, scopes, kind)

    async def referenced_code(self) -> list[CodeReference]:
        """The code that this conversation has talked about, in the messages' order, and what has become of it.

        ``status`` is as of the last ingest: ``fresh`` (the same tokens in the same place), ``drifted`` (the place is
        the same, the tokens are not), ``moved`` (to ``moved_to_file``, ``moved_to_name``; ``changed`` says whether its
        tokens are others too) or ``orphaned`` (nothing has taken its place; ``candidates`` where it cannot be said
        which of several has). ``commit`` is where it was true.

        Raises:
            ConversationNotFound: the conversation was deleted.
        """
        from ragforge_memory.agent.ties.references import referenced

        return await referenced(await self._saved(), self.uuid)
