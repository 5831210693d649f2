"""Where the definitions went that are lost between two states of the code.

What is lost is looked for among what is new, one to one: by tokens, by likeness of tokens, and by where it stood and
what went with it. Two candidates that are equally good are both named and none is taken. Pure functions of values.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence

from ragforge_memory.anchors.definition import FAMILIES, GONE, Definition, Successor, alike, is_replaced
from ragforge_memory.anchors.evidence import MARGIN, MOST, Evidence, Pair, Row, Siblings, clear_best
from ragforge_memory.anchors.likeness import (
    NEARLY_SAME_NAME,
    SAME_NAME,
    TELLING_WORDS,
    Paths,
    folded,
    is_below,
    name_likeness,
    path_likeness,
    way,
    words_shared,
)
from ragforge_memory.code.sketch import decode

# Set by hand, like all numbers below whose comment does not say what was counted; benchmarks/anchors.py measures what
# they do together. What speaks for a pair, together 1: its tokens' likeness, the name, the file, and what is around it.
_TOKENS, _NAME, _FILE, _AROUND = 0.55, 0.25, 0.10, 0.10
# What comes on top where nothing else can stand in the place: as much as a third of the tokens.
_PLACE = 0.15
# Another name is worth so much where several others changed in the same way.
_USUAL = 0.8
# The name counts for so much less where what is around it is another: every class has its `get`.
_STRANGER = 0.6
# A pair below this is none. A function in the same place under a quite different name needs half of its tokens alike;
# one of the same name in a file that was renamed needs none.
_ENOUGH = 0.5
# A method of the same class and name that stands in another file needs less.
_ENOUGH_OF_A_CLASS = 0.44
# A pair that nothing comes near to, on either side, needs less: of so many tokens and pairs of them nearly half, or a
# name of so many words. Of 586 scopes that are gone in 13 repositories none more is taken for another, followed through
# their histories, than with half of the tokens and a lead of .15.
_ENOUGH_ALONE, _FAR = 0.25, 0.07
_TELLING_LIKENESS, _TELLING_COUNT = 0.45, 40
# A pair that alone has its name needs so much: in 25 repositories 32 of 38 that have it, and that nothing else found,
# went there, and of those that have less 1 of 10.
_ENOUGH_OF_A_NAME = 0.15
# What has so much in common with what went out of it was hardly more than that.
_HARDLY_MORE = 0.6
# A pair of so much that is the likest on either side says where its class may have gone.
_LIKELY = 0.3
# Tokens speak less the fewer there are: n of them weigh n / (n + this).
_FEW = 3.0
# Of the definitions that share the rarest tokens so many are looked at.
_MOST_CANDIDATES = 12
_COMMON = 64
_ROUNDS = 4


def find_successors(
    lost: Sequence[Definition],
    new: Sequence[Definition],
    *,
    renamed: Mapping[str, str] | None = None,
    siblings: Siblings | None = None,
    by_paths: bool = False,
) -> list[Successor]:
    """Where each of the lost definitions went, one to one, but for a function that goes with the one that it held.

    Args:
        lost: what is not where it was.
        new: what is where nothing was.
        renamed: files that are known to be others now, old path → new.
        siblings: what stood, and stands, beside them.
        by_paths: whether the words in their paths say where files went, for want of a history that does.
    """
    if not lost or not new:
        return [GONE] * len(lost)
    return _Assignment(lost, new, renamed or {}, siblings or Siblings(), by_paths).made()


class _Assignment:
    """Takes the clearest pairs first; what they say of files and classes counts for what is left."""

    def __init__(
        self,
        lost: Sequence[Definition],
        new: Sequence[Definition],
        renamed: Mapping[str, str],
        siblings: Siblings,
        by_paths: bool,
    ) -> None:
        self._lost = lost
        self._new = new
        self._renamed = self._telling(renamed)
        paths = Paths(each.file for each in (*lost, *new)) if by_paths else Paths(())
        self._siblings = siblings
        self._evidence = Evidence(self._renamed, siblings, paths)
        self._files = {each.file for each in lost}
        self._taken: dict[int, Pair] = {}
        self._used: set[int] = set()
        self._rows: dict[Row, list[int]] = defaultdict(list)
        for number, each in enumerate(new):
            self._rows[each.file, each.around].append(number)
        self._pairs = self._candidates()

    def _telling(self, renamed: Mapping[str, str]) -> dict[str, str]:
        """The renames that tell anything: of two new files that hold as much of an old one, git and the ingest name
        either, unless more files went from the one directory to the other."""
        places: dict[tuple[str, str], set[str]] = defaultdict(set)
        for each in self._new:
            places[each.qualified_name, each.body_hash].add(each.file)
        held: dict[str, Counter[str]] = defaultdict(Counter)
        for each in self._lost:
            if each.file in renamed:
                held[each.file].update(places.get((each.qualified_name, each.body_hash), ()))
        ways = Counter(way(old, path) for old, path in renamed.items())
        return {
            old: path
            for old, path in renamed.items()
            if all(
                file == path or count < held[old][path] or ways[way(old, path)] > max(1, ways[way(old, file)])
                for file, count in held[old].items()
            )
        }

    def made(self) -> list[Successor]:
        # What kept its name in a new file tells which file that was, before anything in there is taken for another.
        self._evidence.look()
        self._rescore()
        self._round(self._tells_its_file)
        self._settle()
        for _ in range(_ROUNDS):
            if not self._take_what_is_alone() and not self._take_the_only_of_its_name():
                break
            self._settle()
        self._take_what_kept_its_name()
        self._go_with_what_they_held()
        left: dict[int, list[Pair]] = defaultdict(list)
        for pair in self._pairs:
            if pair.new not in self._used and self._is_enough(pair):
                left[pair.old].append(pair)
        return [self._successor(number, left[number]) for number in range(len(self._lost))]

    def _settle(self) -> None:
        """Takes what is clear, and what is clear by that."""
        for _ in range(_ROUNDS):
            self._pairs += self._of_known_rows()
            self._evidence.look()
            self._rescore()
            if likely := self._likely_rows():
                self._evidence.suppose(likely)
                self._rescore()
            if not self._round():
                break

    def _rescore(self) -> None:
        for pair in self._pairs:
            if pair.old not in self._taken and pair.new not in self._used:
                pair.score = self._score(pair)

    def _of_known_rows(self) -> list[Pair]:
        """Pairs of what is left of a class or file with what is free in the one that it is now."""
        known = {(pair.old, pair.new) for pair in self._pairs}
        found = []
        for number, old in enumerate(self._lost):
            row = None if number in self._taken else self._evidence.row_of(old)
            for place in self._rows.get(row, ())[:_COMMON] if row else ():
                if place not in self._used and (number, place) not in known and _may_be(old, self._new[place]):
                    found.append(self._pair(number, place))
        return found

    def _likely_rows(self) -> dict[Row, Counter[Row]]:
        """Of each class, in which ones stands what is likest to what is left of it, where that is so on both sides."""
        best: dict[tuple[bool, int], Pair] = {}
        for pair in self._pairs:
            if pair.score >= _LIKELY and pair.old not in self._taken and pair.new not in self._used:
                for side in ((True, pair.old), (False, pair.new)):
                    if side not in best or pair.score > best[side].score:
                        best[side] = pair
        votes: dict[Row, Counter[Row]] = defaultdict(Counter)
        for (is_old, _), pair in best.items():
            old, new = self._lost[pair.old], self._new[pair.new]
            if is_old and best[False, pair.new] is pair and old.around and new.around:
                votes[old.file, old.around][new.file, new.around] += 1
        return votes

    def _successor(self, number: int, good: list[Pair]) -> Successor:
        taken = self._taken.get(number)
        if taken is not None:
            return Successor(self._new[taken.new], taken.similarity)
        good.sort(key=lambda pair: -pair.score)
        equal = [self._new[p.new] for p in good if p.score > good[0].score - MARGIN]
        return Successor(None, good[0].similarity, tuple(equal)) if equal else GONE

    def _round(self, may_be_taken: Callable[[Pair], bool] = lambda _: True) -> bool:
        """Takes what is clear, best first, until nothing is; whether anything was taken."""
        found = False
        open_pairs = [pair for pair in self._pairs if self._is_enough(pair)]
        while True:
            open_pairs = [p for p in open_pairs if p.old not in self._taken and p.new not in self._used]
            rivals: dict[tuple[bool, int], list[Pair]] = defaultdict(list)
            for pair in open_pairs:
                rivals[True, pair.old].append(pair)
                rivals[False, pair.new].append(pair)
            best = {side: clear_best(pairs) for side, pairs in rivals.items()}
            clear = [
                pair
                for pair in open_pairs
                if best[True, pair.old] is best[False, pair.new] is pair and may_be_taken(pair)
            ]
            if not clear:
                return found
            for pair in clear:
                self._take(pair)
            found = True

    def _take_what_is_alone(self) -> bool:
        """Takes pairs that are less alike than others have to be, where neither side is anything like anything else."""
        rivals: dict[tuple[bool, int], list[Pair]] = defaultdict(list)
        for pair in self._pairs:
            if pair.old not in self._taken and pair.new not in self._used:
                rivals[True, pair.old].append(pair)
                rivals[False, pair.new].append(pair)
        found = False
        for pair in (each for (is_old, _), pairs in rivals.items() if is_old for each in pairs):
            near = (*rivals[True, pair.old], *rivals[False, pair.new])
            if self._is_telling(pair) and all(each is pair or pair.apart - each.apart >= _FAR for each in near):
                self._take(pair)
                found = True
        return found

    def _take_the_only_of_its_name(self) -> bool:
        """Takes pairs of a name that nothing else had, nor has: it was written anew where it stands now. In its file
        and class, where ``Info`` is ``info`` now, nothing more has to be alike."""
        left = [pair for pair in self._pairs if pair.old not in self._taken and pair.new not in self._used]
        here = [pair for pair in left if pair.name >= NEARLY_SAME_NAME and self._is_in_place(pair)]
        olds, news = Counter(pair.old for pair in here), Counter(pair.new for pair in here)
        only = [pair for pair in here if olds[pair.old] == news[pair.new] == 1]
        only += [
            pair
            for pair in left
            if pair.name == SAME_NAME
            and pair.similarity >= _ENOUGH_OF_A_NAME
            and self._siblings.only_of_its_name(self._lost[pair.old], self._new[pair.new])
        ]
        for pair in only:
            if pair.old not in self._taken and pair.new not in self._used:
                self._take(pair)
        return bool(only)

    def _take_what_kept_its_name(self) -> None:
        """Takes what alone has a qualified name where its file went, whatever it is: a function is a constant now
        (``export const redux = reduxImpl as Redux``), as it would have drifted in a file that is still there."""
        named: dict[str, list[int]] = defaultdict(list)
        for number, each in enumerate(self._new):
            if number not in self._used:
                named[each.qualified_name].append(number)
        claims = dict[int, int]()
        for number, old in enumerate(self._lost):
            if number in self._taken:
                continue
            here = [place for place in named[old.qualified_name] if self._is_home(old, self._new[place])]
            if len(here) == 1 and not is_replaced(old, self._new[here[0]]):
                claims[number] = here[0]
        claimed = Counter(claims.values())
        for number, place in claims.items():
            if claimed[place] == 1:
                self._take(self._pair(number, place))

    def _is_home(self, old: Definition, new: Definition) -> bool:
        """Whether a definition's file is known to be another one now, or nothing but a directory of its name."""
        if old.file == new.file:
            return False
        is_split = not old.around and is_below(old.file, new.file) and not self._siblings.stands(old.file)
        return is_split or self._evidence.of_file(old, new) > MOST

    def _tells_its_file(self, pair: Pair) -> bool:
        """Whether a pair says by its name which file a new one was: one that has lost something stood before."""
        old, new = self._lost[pair.old], self._new[pair.new]
        return old.qualified_name == new.qualified_name and new.file not in self._files

    def _is_in_place(self, pair: Pair) -> bool:
        old, new = self._lost[pair.old], self._new[pair.new]
        return (old.file, old.around) == (new.file, new.around)

    def _go_with_what_they_held(self) -> None:
        """A function that was hardly more than the one inside of it is where that one is: ``createGetter`` returned the
        ``get`` that a class has now. Only so do two have one successor."""
        places = {(each.file, each.qualified_name): number for number, each in enumerate(self._lost)}
        for pair in list(self._taken.values()):
            inner, new = self._lost[pair.old], self._new[pair.new]
            around = places.get((inner.file, inner.around))
            if around is None or around in self._taken or FAMILIES.get(self._lost[around].type) != "function":
                continue
            similarity = alike(self._lost[around], new)
            if similarity >= _HARDLY_MORE:
                self._taken[around] = Pair(around, pair.new, similarity, pair.path, pair.name, exact=False)

    def _is_telling(self, pair: Pair) -> bool:
        """Whether a pair says something by itself: every class has its `equals`, and short ones are all alike."""
        old, new = self._lost[pair.old], self._new[pair.new]
        count = min(decode(old.sketch).count, decode(new.sketch).count)
        if pair.score < _ENOUGH_ALONE or count < _TELLING_COUNT:
            return False
        words = words_shared(old.name, new.name)
        return words >= TELLING_WORDS or (words != 1 and pair.similarity >= _TELLING_LIKENESS)

    def _is_enough(self, pair: Pair) -> bool:
        if pair.score >= _ENOUGH:
            return True
        old, new = self._lost[pair.old], self._new[pair.new]
        same = old.qualified_name == new.qualified_name
        return same and pair.score >= _ENOUGH_OF_A_CLASS and bool(old.around or self._evidence.of_file(old, new) > MOST)

    def _take(self, pair: Pair) -> None:
        self._taken[pair.old] = pair
        self._used.add(pair.new)
        self._evidence.take(self._lost[pair.old], self._new[pair.new])

    def _score(self, pair: Pair) -> float:
        old, new, known = self._lost[pair.old], self._new[pair.new], self._evidence
        pair.at_home = old.qualified_name == new.qualified_name and known.of_file(old, new) > MOST
        around = pair.around = known.of_around(old, new)
        name = _USUAL if pair.name < _USUAL and known.is_usual(old, new) else pair.name
        name *= 1.0 if around else _STRANGER
        count = min(decode(old.sketch).count, decode(new.sketch).count)
        tokens = pair.similarity * count / (count + _FEW)
        pair.apart = _TOKENS * tokens + _NAME * name + _FILE * known.of_file(old, new) + _AROUND * around
        return pair.apart + _PLACE * known.of_place(old, new)

    def _pair(self, number: int, place: int) -> Pair:
        old, new = self._lost[number], self._new[place]
        path, name = path_likeness(old.file, new.file), name_likeness(old.name, new.name)
        exact = old.body_hash == new.body_hash and decode(old.sketch).count >= _TELLING_COUNT
        return Pair(number, place, alike(old, new), path, name, exact)

    def _candidates(self) -> list[Pair]:
        by_hash: dict[str, list[int]] = defaultdict(list)
        by_name: dict[str, list[int]] = defaultdict(list)
        # Where there are more than are looked at (every class has its `__init__`), the likeliest places come first.
        by_place: dict[tuple[str, str], list[int]] = defaultdict(list)
        by_whole_name: dict[str, list[int]] = defaultdict(list)
        by_token: dict[int, list[int]] = defaultdict(list)
        for number, each in enumerate(self._new):
            by_hash[each.body_hash].append(number)
            by_name[folded(each.name)].append(number)
            by_place[each.file, each.body_hash].append(number)
            by_place[each.file, each.qualified_name].append(number)
            by_whole_name[each.qualified_name].append(number)
            for token in decode(each.sketch).kept:
                by_token[token].append(number)
        pairs = []
        for number, old in enumerate(self._lost):
            shared: Counter[int] = Counter()
            for token in decode(old.sketch).kept:
                places = by_token.get(token, ())
                if len(places) <= _COMMON:
                    for place in places:
                        shared[place] += 1
            chosen = {place for place, _ in shared.most_common(_MOST_CANDIDATES)}
            chosen.update(by_hash.get(old.body_hash, ())[:_COMMON])
            chosen.update(by_name.get(folded(old.name), ())[:_COMMON])
            chosen.update(by_whole_name.get(old.qualified_name, ())[:_COMMON])
            for file in {old.file, self._renamed.get(old.file, old.file)}:
                chosen.update(self._rows.get((file, old.around), ())[:_COMMON])
                chosen.update(by_place.get((file, old.body_hash), ())[:_COMMON])
                chosen.update(by_place.get((file, old.qualified_name), ()))
            found = [self._pair(number, place) for place in sorted(chosen) if _may_be(old, self._new[place])]
            pairs += self._unwrapped(found)
        return pairs

    def _unwrapped(self, pairs: list[Pair]) -> list[Pair]:
        """Without what is only around a candidate of the very name, and alike for what it holds."""
        held: dict[tuple[str, str], float] = {}
        for pair in pairs:
            new = self._new[pair.new]
            if new.around and pair.name >= NEARLY_SAME_NAME:
                held[new.file, new.around] = max(pair.similarity, held.get((new.file, new.around), 0.0))
        if not held:
            return pairs

        def is_around(pair: Pair) -> bool:
            new = self._new[pair.new]
            inner = held.get((new.file, new.qualified_name), -1.0)
            return pair.name < NEARLY_SAME_NAME and pair.similarity <= inner

        return [pair for pair in pairs if not is_around(pair)]


def _may_be(old: Definition, new: Definition) -> bool:
    return FAMILIES.get(old.type) == FAMILIES.get(new.type)
