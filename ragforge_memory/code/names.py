"""What names hold: values, types, members, and dotted text at a place in a project."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ragforge_memory.code.index import ProjectIndex
from ragforge_memory.code.lookup import FOREIGN, UNKNOWN, Entity, Lookup
from ragforge_memory.code.parsed import TYPE_TYPES, Binding, ParsedScope

_STEPS = re.compile(r"\(\)|\[\]|[^.()\[\]]+")
_DEPTH = 40
"""How many definitions one answer may pass through; more than any sensible code needs."""

_ANYTHING = frozenset({"Any", "any", "object", "unknown", "Object", "dynamic", "auto", "var", "let", "mixed"})
"""Types that say nothing of a value."""

_THIS_TYPE = frozenset({"Self", "self", "static", "this", "Self[]"})


class Names(Lookup):
    """Answers questions about names over one index and remembers what it found."""

    def __init__(self, index: ProjectIndex) -> None:
        super().__init__(index)
        self._members: dict[tuple[str, str, str], Entity | None] = {}
        self._values: dict[tuple[str, str | None, Binding], Entity] = {}
        self._differ: dict[tuple[str, str], bool] = {}
        self._holders: dict[tuple[str, str], Entity | None] = {}

    def _bound(self, path: str, key: str | None, bindings: list[Binding], line: int) -> Entity:
        """What a variable holds at a line: the newest binding before it that is known, else a later one."""
        before = [b for b in reversed(bindings) if not line or b.line <= line]
        after = [b for b in bindings if line and b.line > line]
        foreign = False
        for binding in (*before, *after):
            found = self._binding(path, key, binding)
            if self.known(found):
                return found
            foreign = foreign or found is FOREIGN
        return FOREIGN if foreign and all(b.kind != "unknown" for b in bindings) else UNKNOWN

    def _binding(self, path: str, key: str | None, binding: Binding) -> Entity:
        if binding.kind == "unknown":
            return UNKNOWN
        memo = (path, key, binding)
        found = self._values.get(memo)
        if found is not None:
            return found
        if memo in self._busy or len(self._busy) > _DEPTH:
            return UNKNOWN
        self._busy.add(memo)
        found = self._held(path, key, binding)
        self._busy.discard(memo)
        if self.known(found) or not self._busy:  # what a cycle left open may be found from elsewhere
            self._values[memo] = found
        return found

    def _held(self, path: str, key: str | None, binding: Binding) -> Entity:
        if binding.kind == "self":
            holder = self.holder(path, key) if key else None
            return holder._replace(instance=True) if holder else UNKNOWN
        if binding.value is None:
            source = self.injected(path, key, binding.name)
            return self.called(source) if source else UNKNOWN
        if binding.kind in ("type", "parameter"):
            return self.of_type(path, key, binding.value, binding.line)
        found = self.evaluate(path, key, binding.value, binding.line - 1)
        if binding.kind == "call":
            return self.called(found, binding.value)
        return UNKNOWN if found is None else found

    def injected(self, path: str, key: str | None, name: str) -> Entity | None:
        """The definition whose result the parameter ``name`` of a scope gets, where its name says so."""
        if key is None:
            return None
        file = self._index.files[path]
        scope = file.by_key[key]
        if not any(b.name == name and b.kind == "parameter" for b in scope.bindings):
            return None
        found = file.links.injected(self._index, path, scope, name)
        return Entity(*found) if found else None

    def of_type(self, path: str, key: str | None, text: str, line: int = 0) -> Entity:
        """An instance of what a type's dotted text means."""
        last = text.rpartition(".")[2]
        if last in _ANYTHING:
            return UNKNOWN
        if last in _THIS_TYPE:
            holder = self.holder(path, key) if key else None
            return holder._replace(instance=True) if holder else UNKNOWN
        found = self.evaluate(path, key, text, line)
        if found is None or found is UNKNOWN or self._is_value(found):
            meant = self.evaluate(path, key, text, line, types=True)
            found = meant if self.known(meant) else found
        for _ in range(_DEPTH):
            if found is None or found is FOREIGN:
                return FOREIGN
            scope = self.scope(found)
            if scope is None or scope.type not in TYPE_TYPES:
                return UNKNOWN
            if scope.type != "type" or scope.returns is None:
                return found._replace(instance=True)
            found = self.evaluate(found.path, scope.parent, scope.returns)
        return UNKNOWN

    def called(self, entity: Entity | None, text: str = "", receiver: Entity | None = None) -> Entity:
        """What calling an entity gives; ``text`` is how the call was written."""
        if entity is None or entity is FOREIGN:
            name = text.rpartition(".")[2]
            return FOREIGN if (entity is None and "." not in text) or name[:1].isupper() else UNKNOWN
        if entity is UNKNOWN:
            return UNKNOWN
        if not entity.key:
            whole = self.called_module(entity)
            return self.called(whole, text) if whole else UNKNOWN
        scope = self.scope(entity)
        if scope is None:
            return UNKNOWN
        if entity.instance:
            caller = self.member(entity, "__call__")
            return self.called(caller, text) if self.known(caller) else entity
        if scope.type in TYPE_TYPES:
            return entity._replace(instance=True)
        if scope.type == "constant":
            value = self.value(entity)
            return UNKNOWN if value == entity else self.called(value, text)
        if scope.takes is not None and self._returns_differ(entity, scope):
            return UNKNOWN
        if scope.returns is not None:
            if receiver is not None and scope.returns.rpartition(".")[2] in _THIS_TYPE:
                return receiver
            return self.of_type(entity.path, entity.key, scope.returns)
        results = [b for b in scope.bindings if b.name == "return"]
        for result in results:
            found = self._binding(entity.path, entity.key, result)
            if self.known(found):
                return found
        return UNKNOWN

    def _returns_differ(self, entity: Entity, scope: ParsedScope) -> bool:
        """Whether another overload gives something else: dotted text does not say with how many arguments it calls."""
        memo = (entity.path, entity.key)
        known = self._differ.get(memo)
        if known is None:
            self._differ[memo] = True  # asked again on the way: nothing is taken for sure
            holder = Entity(entity.path, scope.parent) if scope.parent is not None else None
            others = [
                other
                for ancestor in (self.lineage(holder) if holder else ())
                if self.known(ancestor)
                for other in self._index.files[ancestor.path].children.get(ancestor.key, {}).get(scope.name, ())
            ]
            known = any(other.takes not in (None, scope.takes) and other.returns != scope.returns for other in others)
            self._differ[memo] = known
        return known

    def called_module(self, module: Entity) -> Entity | None:
        """The definition that a module stands for when it is called or inherited from (CommonJS)."""
        if module.path.endswith("/"):
            return None
        local = self._index.files[module.path].exports.get("=")
        found = self.evaluate(module.path, None, local) if local else None
        return found if found is not None and self.known(found) and found.key else None

    def value(self, entity: Entity) -> Entity:
        """What reading an entity gives: of a constant its value, of a property what it returns, else itself."""
        scope = self.scope(entity)
        if scope is None or entity.instance:
            return entity
        if scope.type == "constant":
            file = self._index.files[entity.path]
            if scope.returns is not None:
                return self.of_type(entity.path, scope.parent, scope.returns, scope.start_line)
            if scope.parent is not None and file.by_key[scope.parent].type == "enum":
                return Entity(entity.path, scope.parent, instance=True)
            bound = file.bindings(scope.parent).get(scope.name)
            return self._bound(entity.path, scope.parent, bound, 0) if bound else entity
        if "property" in scope.modifiers or "get" in scope.modifiers:
            return self.called(entity)
        return entity

    def receiver(self, entity: Entity) -> Entity:
        """What an entity gives before a dot: a constant stays itself, for it may have members of its own."""
        scope = self.scope(entity)
        return entity if scope is not None and scope.type == "constant" else self.value(entity)

    # members

    def holder(self, path: str, key: str | None) -> Entity | None:
        """The type (or object) that ``self`` and ``this`` mean inside a scope."""
        file = self._index.files[path]
        while key is not None:
            scope = file.by_key[key]
            if scope.type in TYPE_TYPES:
                return Entity(path, key)
            if scope.owner is not None:
                return self._owner(path, scope)
            if scope.type == "constant" and key in file.children:
                return Entity(path, key)
            key = scope.parent
        return None

    def outside_parent(self, path: str, scope: ParsedScope) -> Entity | None:
        """The type that a scope says it is a member of, where that is not around it."""
        found = self._owner(path, scope) if scope.owner is not None else None
        return self.principal(found) if found is not None else None

    def _owner(self, path: str, scope: ParsedScope) -> Entity | None:
        memo = (path, scope.key)
        if memo not in self._holders:
            self._holders[memo] = None
            found = self._specialized(path, scope) or self.evaluate(path, scope.parent, scope.owner or "")
            if not self.known(found) and "." in (scope.owner or ""):
                found = self.evaluate(path, scope.parent, (scope.owner or "").rpartition(".")[2])
            self._holders[memo] = found if self.known(found) and found and found.key else None
        return self._holders[memo]

    def _specialized(self, path: str, scope: ParsedScope) -> Entity | None:
        """The specialization that a member outside of it belongs to, where the file has one of that name."""
        if "specialization" not in scope.modifiers:
            return None
        name = (scope.owner or "").rpartition(".")[2]
        all_ = self._index.files[path].file.scopes
        found = [other for other in all_ if other.name == name and "specialization" in other.modifiers]
        return Entity(path, found[0].key) if len(found) == 1 else None

    def member(self, entity: Entity | None, name: str) -> Entity | None:
        """``name`` of an entity; None where it has no such member, UNKNOWN where a foreign base may have it."""
        if entity is None or entity is UNKNOWN:
            return UNKNOWN
        if entity is FOREIGN:
            return FOREIGN
        if not entity.key:
            return self._exported(entity.path, name)
        memo = (entity.path, entity.key, name)
        if memo not in self._members:
            if memo in self._busy:
                return UNKNOWN
            self._busy.add(memo)
            self._members[memo] = self._look_in_type(entity, name)
            self._busy.discard(memo)
        return self._members[memo]

    def _look_in_type(self, entity: Entity, name: str) -> Entity | None:
        unknown = False
        for ancestor in self.lineage(entity):
            if ancestor is UNKNOWN or ancestor is FOREIGN:
                unknown = True
                continue
            file = self._index.files[ancestor.path]
            scope = file.by_key[ancestor.key]
            if scope.type not in ("function", "method"):
                inner = file.children.get(ancestor.key, {})
                if name in inner:
                    return self._chosen(file, inner[name])
            if scope.type == "namespace" and (offered := self._offered(file, ancestor.key, name)) is not None:
                return offered
            for path, outside in self._index.detached(scope.name):
                if outside.name == name and self._owner(path, outside) == ancestor:
                    return Entity(path, outside.key)
            held = file.bindings(ancestor.key).get(f".{name}")  # what an object or constructor function holds
            if held:
                inner_key = ancestor.key if scope.type in ("function", "method") else scope.parent
                return self._bound(ancestor.path, inner_key, held, 0)
            if scope.type in TYPE_TYPES:
                bound = file.bindings(ancestor.key).get(name)
                if bound:
                    found = self._bound(ancestor.path, ancestor.key, bound, 0)
                    if self.known(found) or found is FOREIGN:
                        return found
                    unknown = True
            elif scope.type == "constant":
                value = self.value(ancestor)
                if value != ancestor:
                    return self.member(value, name)
        if name == "__class__":
            return entity
        return self._extension(entity, name) or (UNKNOWN if unknown else None)

    def lineage(self, entity: Entity) -> Iterator[Entity]:
        """The type itself and its bases, nearest first; UNKNOWN or FOREIGN for each base that is not the project's."""
        entity = entity._replace(instance=False)
        seen, queue = {entity}, [entity]
        while queue:
            current = queue.pop(0)
            yield current
            if not self.known(current):
                continue
            parts = [part for part in self._parts(current) if part not in seen]
            seen.update(parts)
            queue[:0] = parts
            for base in self.bases(current):
                if base not in seen:
                    seen.add(base)
                    queue.append(base)

    def principal(self, entity: Entity) -> Entity:
        """Of a type in several parts the one to point at: with bases, else with most members, else the first."""
        scope = self.scope(entity)
        if scope is None or scope.type not in TYPE_TYPES:
            return entity
        return min([entity, *self._parts(entity)], key=self._standing)

    def _standing(self, entity: Entity) -> tuple[bool, int, str, str]:
        file = self._index.files[entity.path]
        members = sum(len(same) for same in file.children.get(entity.key, {}).values())
        return not file.by_key[entity.key].bases, -members, entity.path, entity.key

    def _parts(self, entity: Entity) -> list[Entity]:
        """The other declarations of a type."""
        file = self._index.files.get(entity.path)
        scope = self.scope(entity)
        if file is None or scope is None:
            return []
        return [Entity(*place) for place in file.links.parts(self._index, entity.path, scope)]

    def bases(self, entity: Entity) -> list[Entity]:
        """The direct bases and interfaces of a type."""
        found: list[Entity] = []
        if (scope := self.scope(entity)) is None:
            return found
        for text in (*scope.bases, *scope.interfaces):
            base = self.evaluate(entity.path, self.names_base(entity.path, scope, text), text, scope.start_line)
            if base is not None and self.known(base):
                target = self.scope(base)
                if target is not None and target.type == "constant":
                    base = self.value(base)
                if self.known(base) and not base.key:
                    base = self.called_module(base) or UNKNOWN
            found.append(FOREIGN if base is None else base._replace(instance=False) if self.known(base) else base)
        return found

    # dotted text

    def evaluate(self, path: str, key: str | None, text: str, line: int = 0, *, types: bool = False) -> Entity | None:
        """What a dotted text means at a place; None where its first name is bound nowhere. ``types``: see lookup."""
        links = self._index.files[path].links
        for word in links.super_names:
            if text == word or text.startswith(f"{word}."):
                return self._through_bases(path, key, text[len(word) + 1 :])
        steps = _STEPS.findall(text)
        if not steps or steps[0] in ("!", "?"):
            return FOREIGN if steps and steps[0] == "!" else UNKNOWN
        first = steps[0]
        rest = steps[1:]
        element = rest[:1] == ["[]"] and self.lookup(path, key, f"{first}[]", line)
        found = element or self.lookup(path, key, first, line, types=types)
        if element:
            rest = rest[1:]
        elif found is None and first in links.self_names:
            holder = self.holder(path, key)
            found = holder._replace(instance=True) if holder else UNKNOWN
        return self._follow(found, first, rest)

    def _through_bases(self, path: str, key: str | None, rest: str) -> Entity | None:
        steps = _STEPS.findall(rest)
        holder = self.holder(path, key)
        if holder is None:
            return UNKNOWN
        bases = self.bases(holder)
        if not steps:
            return next((base for base in bases if self.known(base)), UNKNOWN)
        found: Entity | None = None
        for base in bases:
            found = self.member(base, steps[0])
            if self.known(found):
                break
        return self._follow(found, steps[0], steps[1:])

    def _follow(self, found: Entity | None, text: str, steps: list[str]) -> Entity | None:
        receiver: Entity | None = None
        for step in steps:
            if step == "()":
                found = self.called(found, text, receiver)
            elif step == "[]":
                holder = receiver if receiver is not None and self.known(receiver) else None
                element = self.member(holder, f"{text.rpartition('.')[2]}[]") if holder else None
                if element is not None and self.known(element):
                    found = element
                    continue
                scope = self.scope(found) if found is not None and self.known(found) else None
                generic = scope is not None and found is not None and not found.instance
                found = found if generic and scope and scope.type in TYPE_TYPES else UNKNOWN
            else:
                if found is not None and self.known(found):
                    found = self.receiver(found)
                receiver, found = found, self.member(found, step) if found is not None else FOREIGN
            text = f"{text}.{step}"
            if found is None:
                return UNKNOWN
        return found
