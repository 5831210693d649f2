"""What is no code in a file of code: its comments, and what is inside its strings.

By patterns and not by syntax trees: it is asked of files with errors, too, and where there is no grammar at hand.
"""

from __future__ import annotations

# What may have lines ends with the text at the latest: where a source is cut, and so that none is looked through twice.
_DOUBLE = r'"(?:\\[\s\S]|[^"\\\n])*"'
_SINGLE = r"'(?:\\[\s\S]|[^'\\\n])*'"
_CHARACTER = r"'(?:\\.[^'\n]{0,9}|[^'\\\n])'"
_TRIPLE = r'"""(?:\\[\s\S]?|[^\\])*?(?:"""|\Z)'
_HASH = r"#[^\n]*"
_SLASHES = r"//[^\n]*|/\*[\s\S]*?(?:\*/|\Z)"
# Where a value may begin: elsewhere a slash divides.
_REGEX = (
    r"(?:(?<=[=(,:;!&|?\[{}])|(?<=[=(,:;!&|?\[{}] )|(?<=\breturn ))/(?![/*])"
    r"(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n\[])+/"
)
_TEMPLATE = r"`(?:\\[\s\S]?|[^`\\])*(?:`|\Z)"
_HERE_DOCUMENT = r"<<[~-]?(?P<q>['\"]?)(?P<end>[A-Z_]\w*)(?P=q)[^\n]*\n[\s\S]*?^[ \t]*(?P=end)\b"
_BRACES = (_CHARACTER, _SLASHES)

_BY_LANGUAGE = {
    "python": (_TRIPLE, _TRIPLE.replace('"', "'"), _DOUBLE, _SINGLE, _HASH),
    "ruby": (r"^=begin\b[\s\S]*?^=end\b", _HERE_DOCUMENT, _DOUBLE, _SINGLE, _HASH),
    "php": (_HERE_DOCUMENT.replace("<<[~-]?", "<<<[ ]*"), _DOUBLE, _SINGLE, _SLASHES, r"#(?!\[)[^\n]*"),
    "javascript": (_DOUBLE, _SINGLE, _TEMPLATE, _SLASHES, _REGEX),
    "go": (_DOUBLE, r"`[^`]*(?:`|\Z)", *_BRACES),
    # A string of Rust may have lines; a lifetime is no character.
    "rust": (r'r(?P<raw>#*)"[\s\S]*?(?:"(?P=raw)|\Z)', r'"(?:\\[\s\S]?|[^"\\])*(?:"|\Z)', *_BRACES),
    "c": (r'R"(?P<raw>[^()\\\s]{0,16})\([\s\S]*?(?:\)(?P=raw)"|\Z)', _DOUBLE, *_BRACES),
    "csharp": (_TRIPLE, r'(?:@\$?|\$@)"(?:""|[^"])*(?:"|\Z)', _DOUBLE, *_BRACES),
    "java": (_TRIPLE, _DOUBLE, *_BRACES),
}
_LIKE = {
    "typescript": "javascript", "Vue": "javascript", "Svelte": "javascript", "cpp": "c", "Kotlin": "java",
    "Scala": "java", "Swift": "java", "Dart": "javascript", "Groovy": "javascript",
}  # fmt: skip


def no_code(language: str) -> str | None:
    """The pattern of what is no code in a language; None where it is not known, as of texts."""
    parts = _BY_LANGUAGE.get(_LIKE.get(language, language))
    return f"(?m:{'|'.join(parts)})" if parts else None
