"""What was said and decided, and the answers to notes and corrections."""

from __future__ import annotations

from ragforge_memory.llm.extractive.code import failure
from ragforge_memory.llm.extractive.lines import either, listed, quoted, statements
from ragforge_memory.llm.extractive.values import Answer, Call, Outcomes, Question
from ragforge_memory.text.words import content_words, matched

# What asks for decisions alone.
_LISTS = ("deci", "note", "rule", "todo", "to-do")
_DECISIONS, _MESSAGES, _ASKED, _CORRECTED, _EXCERPT = 30, 10, 3, 100, 300


def said_calls(question: Question) -> list[Call]:
    """What was decided, and what was said with its words; of nothing certain the latest conversations."""
    about = question.target.text
    days = {key: day for key, day in question.days._asdict().items() if day}
    heard = Call("search_conversation", {"query": about, "limit": 2 * _MESSAGES, **days})
    talks = Call("recent_conversations", {"limit": _MESSAGES, **days})
    beside = [heard] if about else [] if any(word in question.text.lower() for word in _LISTS) else [talks]
    return [Call("list_decisions", {"about": about, "limit": _DECISIONS, **days}), *beside]


def said(question: Question, found: Outcomes) -> Answer:
    """Decisions with what has become of them, then what else was said."""
    if not found.all("list_decisions", "search_conversation", "recent_conversations"):
        return failure(found)
    about = f" about `{question.target.text}`" if question.target.text else ""
    since, until = question.days
    span = f" since {since}" * bool(since) + f" until {until}" * bool(until)
    about += f" on {since}" if since and since == until else span
    listing = found.first("list_decisions")
    decided = listing.get("decisions") or []
    known = {each["message_id"] for each in decided}
    heard = found.first("search_conversation").get("messages") or []
    heard = [each for each in heard if each["message_id"] not in known]
    words = content_words(question.target.text)
    have = [each for each in heard if not words or matched(words, each["excerpt"])]
    stated = [each for each in have if not each["asks"]][:_MESSAGES]
    # What only asks says nothing: it stands for what was said only where nothing else was, as does what is only near.
    asked = [] if stated or decided else have[:_ASKED]
    nearest = [] if have or decided else [each for each in heard if not each["asks"]][:_ASKED]
    nowhere = f"Nothing that was said has the word{'s' if len(words) > 1 else ''} {either(words)}. Perhaps near to it:"
    lines: list[str] = []
    if decided:
        lines += [f"Noted or decided{about}:", *statements(decided, words)]
        lines += ["There is more: `ragforge decisions` lists all."] if listing.get("more") else []
    besides = f"Said{' besides' if decided else about}:"
    for title, messages in ((besides, stated), (f"Asked{about}:", asked), (nowhere, nearest)):
        lines += ["", title, *statements(messages, words, _EXCERPT)] if messages else []
    talks = [
        f"- {each['updated_at'][:10]}, {each['title'] or 'without a title'} ({each['message_count']} messages)"
        + (f": {quoted(each['summary'], (), _EXCERPT)}" if each["summary"] else "")
        for each in found.first("recent_conversations").get("conversations") or ()
        if not each["this_conversation"]
    ]
    lines += ["", f"Conversations{about}:", *listed(talks, _MESSAGES)] if talks else []
    return Answer(lines or [f"No note, decision or message{about} was found."], echo=True)


def correction_calls(question: Question) -> list[Call]:
    """What a message corrects: it is in the graph before this is asked."""
    how = question.form.how if question.form else None
    return [Call("list_decisions", {"doubtful": True, "limit": _CORRECTED})] if how else []


def noted(question: Question, found: Outcomes) -> Answer:
    """That a note is kept, and what it changes."""
    decided = found.first("list_decisions").get("decisions") or []
    old = next((each for each in decided if (each.get("corrected") or {}).get("just_now")), None)
    before = quoted(old["excerpt"]) if old else ""
    about = f" about {question.names[0].text}" if question.names else ""
    kept = f"Noted: `what did we decide{about}` finds it again."
    match question.form.how if question.form else None:
        case "retracts":
            lines = [f"Taken back: {before}." if old else "No note fits that, so none is taken back."]
        case "done":
            lines = [f"Done: {before}." if old else "Nothing that was to be done fits that."]
        case "corrects":
            lines = [kept, f"This corrects what was noted before: {before}." if old else "It corrects no earlier note."]
        case _:
            lines = [kept]
    return Answer(lines, echo=True)
