"""Taking secrets out of what is stored: each is known by a vendor's prefix, by its frame, or by the name before it.

What is no secret stays: commit hashes, uuids, data and plain code. The kind of the secret is left in its place:
``[redacted github token]``. `table` says what secrets look like, `engine` applies that, `redactor` knows what was seen.
"""

from __future__ import annotations

from ragforge_memory.redaction.redactor import OpenRedactor, Redactor, Stream

__all__ = ["OpenRedactor", "Redactor", "Stream", "redact", "redact_value"]

_UNAWARE = Redactor()

redact = _UNAWARE.text
redact_value = _UNAWARE.value
