"""Taking secrets out of what is stored: each is known by a vendor's prefix, by its frame, or by the name before it.

What is not a secret stays: commit hashes, uuids, data and plain code. The kind of the secret is left in its place:
``[redacted github token]``. `table` says what secrets look like, `judges` which of what looks so are some.
"""

from __future__ import annotations

from ragforge_memory.redaction.redactor import PRIVATE_KEY, Redactor, mark

__all__ = ["PRIVATE_KEY", "Redactor", "mark", "redact", "redact_value"]

redact = Redactor().text
redact_value = Redactor().value
