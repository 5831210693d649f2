"""Brings a project's anchors up to date with an ingest: what stands, what drifted, what moved, what is orphaned.

Only anchors in files that the ingest touched are looked at; what is lost is looked for among what is new, through git's
history where that lies between, and at last among what has the very same tokens and was there already.
"""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path

from ragforge_memory.anchors.anchored import (
    Before,
    Now,
    Pairs,
    Place,
    called,
    came_there,
    change_in,
    decide,
    found_again,
    last_on,
    made_on,
    place_of,
    stands_on,
    supposed,
    where_made,
    with_remembered,
    written_out,
)
from ragforge_memory.anchors.definition import GONE, Definition, Standing, Successor, alike
from ragforge_memory.anchors.evidence import Siblings
from ragforge_memory.anchors.history import definitions_at, follow_history
from ragforge_memory.anchors.labels import Label, exchanged, label, parted, settled, still
from ragforge_memory.anchors.successors import find_successors
from ragforge_memory.code.fingerprint import is_marked, whole
from ragforge_memory.code.sketch import decode
from ragforge_memory.graph.anchors import AnchorRow, AnchorStore, Resolution, Stood

# How long git's history is followed for one ingest (s); what it does not suffice for is judged by the two ends.
_HISTORY_SECONDS = 120.0
# An orphan tells at most so many of the equally good.
_MOST_CANDIDATES = 8
# Of so many that had its name each is looked at for a twin of what is lost.
_MOST_TWINS = 64
# What has another name, or stands in another class, is a copy from so many tokens and pairs of them on: a few lines are
# the same by chance.
_TELLING = 40


async def resolve_anchors(
    store: AnchorStore,
    root: Path,
    before: Before,
    files: Sequence[str] | None,
    *,
    commit: str | None,
    token: str,
) -> int:
    """Looks at the anchors that an ingest may have touched and writes what became of them; returns how many changed.

    Args:
        store: the project's anchors.
        root: its directory.
        before: what was there before.
        files: what was written or removed; None: look at every anchor.
        commit: the commit of the files as they are now.
        token: of the ingest's lease.
    """
    touched = await store.files() if files is None else files
    anchors = await store.of_files(touched)
    if not anchors:
        return 0
    now = Now(await store.definitions(sorted({name for a in anchors for name in (a.file, a.at_file)})))
    pairs = Pairs(before, now)
    placed = {anchor.uuid: stands_on(anchor, now, pairs) for anchor in anchors}
    away = [anchor for anchor in anchors if placed[anchor.uuid] is None]
    lost = [anchor for anchor in away if anchor.status != "orphaned"]
    undecided = [anchor for anchor in away if anchor.status == "orphaned" and anchor.candidates]
    orphans = [anchor for anchor in away if anchor.status == "orphaned" and not anchor.candidates and files]
    changed = [each for each in anchors if files and _is_changed(each, placed[each.uuid])]
    found: dict[str, Successor] = {}
    if lost or undecided or orphans or (changed and before.scopes):
        more = [file for file in {*touched, *before.scopes} if file not in now.files]
        now.add(await store.definitions(sorted(more)))
        was = before.scopes
        if unseen := files is None or not was:
            unknown = sorted({*touched, *now.files} - was.keys())
            at = before.commit if files is None else None
            was = {**await asyncio.to_thread(supposed, root, at, unknown, anchors), **was}
            was = with_remembered(was, before.remembered, now)
        change = change_in(was, now, {*touched, *was})
        there = {} if unseen else _taken_over(lost, change)
        if not unseen:
            went = exchanged(change)
            change = parted(change, went)
            found |= _gone_on(changed, placed, went)
            placed |= dict.fromkeys(found)
    if lost:
        # What is only supposed to have been there has gaps.
        siblings = Siblings() if unseen else Siblings(chain(*was.values()), chain(*now.files.values()), change.kept)
        if unseen:
            there = await _same_tokens(lost, now, placed, store)
        elsewhere = dict.fromkeys(
            [*written_out(change.kept), *(at.definition for at in there.values() if at.definition)]
        )
        change.new.extend(each for each in elsewhere if each not in change.new)
        found.update(await _follow(lost, now, change, root, before, commit, store, siblings))
        found.update({uuid: each for uuid, each in there.items() if found[uuid].definition != each.definition})
        nowhere = [each for each in lost if found[each.uuid].definition is None and not found[each.uuid].candidates]
        found.update(await _copied(nowhere, now, change, before, store))
    if undecided:
        found.update(await decide(undecided, now, before, change.new if files is not None else (), store))
    # A twin is no reason not to see where the code itself is put.
    if again := [*orphans, *(anchor for anchor in undecided if files and not anchor.alone)]:
        found.update(await found_again(again, change, before))
    stands: dict[str, Definition | None] = {}
    for anchor in anchors:
        successor = found.get(anchor.uuid, GONE)
        standing_on = placed[anchor.uuid] or successor.definition
        if standing_on is None and not successor.candidates:
            standing_on = came_there(anchor, now, pairs)
        if standing_on is not None or anchor.uuid in found:
            stands[anchor.uuid] = standing_on
    alone = await _alone(anchors, stands, store)
    written = []
    for anchor in anchors:
        if anchor.uuid in stands:
            successor = found.get(anchor.uuid, GONE)
            result = label(made_on(anchor), stands[anchor.uuid], successor.candidates)
            resolution = _resolution(anchor, result, now, successor.passed, alone.get(anchor.uuid))
            if files is None and resolution.scope is not None:
                # Where it stands as it did, what leads there may be gone.
                written.append(replace(resolution, moves=True))
            elif _differs(anchor, resolution):
                written.append(resolution)
    await store.resolve(written, commit=commit, token=token)
    return len(written)


async def _follow(
    lost: Sequence[AnchorRow],
    now: Now,
    change: Standing,
    root: Path,
    before: Before,
    commit: str | None,
    store: AnchorStore,
    siblings: Siblings,
) -> dict[str, Successor]:
    """Where lost anchors went."""
    known = before.places()
    gone: dict[Place, Definition] = {(each.file, each.key): each for each in change.lost}
    from_commit: dict[str, list[Definition]] = defaultdict(list)
    stood = {}
    for anchor in lost:
        place = (anchor.at_file, anchor.at_key)
        # After a crash, or where another tool took all scopes away, the anchor alone knows what it stood on.
        at = stood[anchor.uuid] = known.get(place) or gone.get(place) or last_on(anchor)
        gone.setdefault(place, at)
        start = before.commit if place in known else anchor.at_commit
        if start and commit:
            from_commit[start].append(at)
    history: dict[Definition, Successor] = {}
    for start, definitions in from_commit.items():
        followed = await asyncio.to_thread(
            follow_history, root, definitions, start, commit or "", seconds=_HISTORY_SECONDS / len(from_commit)
        )
        # That something has the name there says nothing of what is lost from beside it.
        history.update({at: went for at, went in (followed or {}).items() if not _is_there(at, went.definition)})
    # It may have gone where no anchor is and nothing was touched.
    ended = {each.definition.file for each in history.values() if each.definition}
    now.add(await store.definitions(sorted(ended - now.files.keys())))
    # What the commit has, and the files as they are have not, went on from there.
    onward = {
        at: went for at, each in history.items() if (went := each.definition) and place_of(went) not in now.by_place
    }
    if onward and commit:
        committed = await asyncio.to_thread(definitions_at, root, commit, {went.file for went in onward.values()})
        for at, went in onward.items():
            if place_of(went) != place_of(at):
                gone.pop(place_of(at), None)
        for each in change_in(committed, now, committed).lost:
            gone[place_of(each)] = each
    places = list(gone)
    successors = await asyncio.to_thread(
        find_successors,
        [gone[place] for place in places],
        change.new,
        renamed=before.renamed,
        siblings=siblings,
        # What commits were followed through says more than the words in a path.
        by_paths=not history,
    )
    ends = dict(zip(places, successors, strict=True))
    named: dict[str, list[Definition]] = defaultdict(list)
    for each in (*change.lost, *(was for was, _ in change.kept)):
        named[each.qualified_name].append(each)
    return {
        uuid: settled(
            at,
            ends.get(place_of(onward.get(at, at)), GONE),
            history.get(at),
            now.by_place,
            twin=any(each.file != at.file and still(at, each) for each in named[at.qualified_name][:_MOST_TWINS]),
        )
        for uuid, at in stood.items()
    }


def _is_there(at: Definition, went: Definition | None) -> bool:
    return went is not None and (went.file, went.qualified_name) == (at.file, at.qualified_name)


async def _same_tokens(
    lost: Sequence[AnchorRow], now: Now, placed: Mapping[str, Definition | None], store: AnchorStore
) -> dict[str, Successor]:
    """Lost anchors that were alone with their tokens, which one other place has now. Where nothing is known of before
    this says more than what is alike; where another anchor stands as it did, that one's code is."""
    others = set(placed.values())
    having: dict[str, list[Definition]] = defaultdict(list)
    for row in await store.with_tokens(sorted({anchor.alone for anchor in lost if anchor.alone})):
        having[row.body_hash].append(now.one(row))
    went: dict[Place, Definition] = {}
    for anchor in lost:
        there = having.get(anchor.alone or "", [])
        name = last_on(anchor).qualified_name
        if len(there) == 1 and there[0] not in others and _is_copy(replace(there[0], qualified_name=name), there[0]):
            went[anchor.at_file, anchor.at_key] = there[0]
    # Anchors on one place were made on its tokens of several times, and go together.
    together = {anchor.uuid: (last_on(anchor), went.get((anchor.at_file, anchor.at_key))) for anchor in lost}
    return {uuid: Successor(now_is, alike(at, now_is)) for uuid, (at, now_is) in together.items() if now_is}


def _is_changed(anchor: AnchorRow, there: Definition | None) -> bool:
    return there is not None and there.body_hash != anchor.body_hash


def _gone_on(
    changed: Sequence[AnchorRow], placed: Mapping[str, Definition | None], went: Mapping[Definition, Definition]
) -> dict[str, Successor]:
    """Where anchors are in whose place something else has their name."""
    by_place = {place_of(was): (was, now) for was, now in went.items()}
    found = {}
    for anchor in changed:
        was, now = by_place.get((anchor.at_file, anchor.at_key), (None, None))
        there = placed[anchor.uuid]
        if was is None or now is None or there is None:
            continue
        if (there.file, there.qualified_name) == (was.file, was.qualified_name):
            found[anchor.uuid] = Successor(now, alike(last_on(anchor), now))
    return found


def _taken_over(lost: Sequence[AnchorRow], change: Standing) -> dict[str, Successor]:
    """Lost anchors that were alone with their tokens, which one place has now that others had: a name was freed and
    taken (``process_new`` is ``process`` now, and ``process`` is ``process_old``). The place still counts as kept."""
    having: dict[str, list[Definition]] = defaultdict(list)
    for each in change.new:
        having[each.body_hash].append(each)
    taken = {each: was for was, each in change.kept if was.body_hash != each.body_hash}
    for each in taken:
        having[each.body_hash].append(each)
    found = {}
    for anchor in lost:
        at = last_on(anchor)
        there = having.get(at.body_hash, []) if anchor.alone == at.body_hash else []
        if len(there) != 1 or there[0] not in taken:
            continue
        now = there[0]
        # What is near to what it was, in another file, was only written anew, and is what it was.
        anew = now.file != at.file and still(taken[now], now)
        if not anew and find_successors([at], there)[0].definition is not None:
            found[anchor.uuid] = Successor(now, alike(at, now))
    return found


async def _copied(
    lost: Sequence[AnchorRow], now: Now, change: Standing, before: Before, store: AnchorStore
) -> dict[str, Successor]:
    """What lost anchors are whose very tokens were elsewhere already: what is copied in one ingest and cut in a later
    one. Only an anchor that was alone with its tokens was copied; what had them all the time is a twin, which lives on
    as what it was: it is told, and not taken."""
    known = before.places()
    stood = {anchor.uuid: known.get((anchor.at_file, anchor.at_key)) or last_on(anchor) for anchor in lost}
    # What has them now, and what had them until this ingest, each as it was.
    copies: dict[str, dict[Definition, Definition]] = defaultdict(dict)
    new = set(change.new)
    for row in await store.with_tokens(sorted({each.body_hash for each in stood.values()})):
        each = now.one(row)
        if each not in new:
            copies[each.body_hash][each] = each
    for was, each in change.kept:
        if was.body_hash != each.body_hash:
            copies[was.body_hash][was] = each
    found = {}
    for anchor in lost:
        at = stood[anchor.uuid]
        good = [each for was, each in copies[at.body_hash].items() if _is_copy(at, was)]
        if len(good) == len(copies[at.body_hash]) == 1 and anchor.alone == at.body_hash:
            found[anchor.uuid] = Successor(good[0], alike(at, good[0]))
        elif good and where_made(anchor, now) is None:
            found[anchor.uuid] = Successor(None, 1.0, tuple(good))
    return found


def _is_copy(one: Definition, other: Definition) -> bool:
    """Whether the same tokens say that one is the other; what is too short among what is new is so here as well."""
    if one.qualified_name != other.qualified_name and decode(one.sketch).count < _TELLING:
        return False
    return find_successors([one], [other])[0].definition is not None


async def _alone(
    anchors: Sequence[AnchorRow], stands: Mapping[str, Definition | None], store: AnchorStore
) -> dict[str, str | None]:
    """The tokens with which each anchor is alone; it is so no more when it comes on tokens that others have."""
    alone = {anchor.uuid: anchor.alone for anchor in anchors}
    came = {
        uuid: at.body_hash
        for uuid, at in stands.items()
        if at and alone[uuid] and whole(at.body_hash) != alone[uuid] and not is_marked(at.body_hash)
    }
    if came:
        having = Counter(row.body_hash for row in await store.with_tokens(sorted({*came.values()})))
        alone.update({uuid: tokens if having[tokens] == 1 else None for uuid, tokens in came.items()})
    return alone


def _resolution(
    anchor: AnchorRow, result: Label, now: Now, passed: Sequence[Definition], alone: str | None
) -> Resolution:
    at = result.definition
    # A place that it comes to is kept for good: a diff of when it stood there is a diff of this code.
    new = [
        each for each in (*passed, *([at] if at else [])) if (each.file, each.key) != (anchor.at_file, anchor.at_key)
    ]
    stood = tuple(Stood(each.file, each.key, each.body_hash, each.sketch) for each in dict.fromkeys(new))
    if at is None:
        candidates = tuple(map(called, result.candidates[:_MOST_CANDIDATES]))
        return Resolution(
            anchor.uuid, None, "orphaned", None, 0.0, anchor.at_file, anchor.at_key, candidates, stood, alone=alone
        )
    scope = now.uuids.get((at.file, at.key))
    return Resolution(
        anchor.uuid,
        scope,
        result.status,
        result.changed,
        round(result.similarity, 4),
        at.file,
        at.key,
        stood=stood,
        moves=scope != anchor.scope,
        alone=alone,
    )


def _differs(anchor: AnchorRow, resolution: Resolution) -> bool:
    """Whether the graph says something else of an anchor."""
    return (
        anchor.scope != resolution.scope
        or anchor.status != resolution.status
        or (anchor.changed, anchor.similarity) != (resolution.changed, resolution.similarity)
        or (anchor.at_file, anchor.at_key) != (resolution.file, resolution.key)
        or (anchor.candidates, anchor.alone) != (resolution.candidates, resolution.alone)
    )
