"""What goes to a class of another name and is rewritten on the way: found where nothing else is anything like it."""

from __future__ import annotations

from ragforge_memory.anchors.definition import Definition, definitions
from ragforge_memory.anchors.successors import find_successors
from ragforge_memory.code.parse import parse

TOKEN = """
class TypeToken {
  static Type getElementType(TypeToken<?> type, Class<?> raw) {
    Type collection = type.getSupertype(raw, Collection.class).getType();
    if (collection instanceof WildcardType) {
      collection = ((WildcardType) collection).getUpperBounds()[0];
    }
    return ((ParameterizedType) collection).getActualTypeArguments()[0];
  }
}
"""
# The same in a helper class, on other types.
EQUALS = """
class NAME {
  @Override public boolean equals(Object o) {
    if (this == o) return true;
    if (o == null || getClass() != o.getClass()) return false;
    NAME other = (NAME) o;
    return FIELDS;
  }
}
"""


def method(path: str, text: str) -> Definition:
    return next(each for each in definitions(parse(path, text.encode())) if each.type == "method")


def test_a_method_that_every_class_has_is_not_another_classes() -> None:
    old = method("ServerError.java", EQUALS.replace("NAME", "ServerError").replace("FIELDS", "code == other.code"))
    fields = "name.equals(other.name) && value.equals(other.value) && flags == other.flags"
    new = method("Header.java", EQUALS.replace("NAME", "Header").replace("FIELDS", fields))
    assert find_successors([old], [new])[0].definition is None
