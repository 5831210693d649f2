"""What a question is read as: its form and what it is about."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragforge_memory.language.reading.questions import MAX_QUESTION, read_questions
from ragforge_memory.language.reading.targets import names_in, read_target
from ragforge_memory.language.reading.wording import content_words
from tests.language.asked import read


@pytest.mark.parametrize(
    ("text", "form", "target"),
    [
        ("where is Command.invoke", "where", "Command.invoke"),
        ("Where is `Command.invoke` defined?", "where", "Command.invoke"),
        ("where's the Command class", "where", "Command"),
        ("In which file is get_help defined?", "where", "get_help"),
        ("which file defines Context?", "where", "Context"),
        ("where do I find the make_help function?", "where", "make_help"),
        ("Can you please tell me where Command.invoke is defined?", "where", "Command.invoke"),
        ("where is the invoke method of Command?", "where", "Command.invoke"),
        ("where is Command's invoke method defined?", "where", "Command.invoke"),
        ("find Option", "where", "Option"),
        ("what's the definition of echo", "where", "echo"),
        ("What does Command do?", "what", "Command"),
        ("explain Context.forward", "what", "Context.forward"),
        ("how does ParamType.convert work?", "what", "ParamType.convert"),
        ("what are the parameters of echo?", "what", "echo"),
        ("what is Context", "what", "Context"),
        ("echo", "what", "echo"),
        ("show me the code of Command.invoke", "show", "Command.invoke"),
        ("how is echo implemented?", "show", "echo"),
        ("what does echo look like?", "show", "echo"),
        ("who calls echo?", "callers", "echo"),
        ("who calls Response.json?", "callers", "Response.json"),
        ("who calls `Page.html`?", "callers", "Page.html"),
        ("who uses Response.json?", "uses", "Response.json"),
        ("who uses package.json?", "imports", "package.json"),
        ("who uses README.md?", "imports", "README.md"),
        ("where is the client IP determined?", "where", "client IP determined"),
        ("where do we parse JSON?", "where", "parse JSON"),
        ("where is HTML rendered?", "where", "HTML rendered"),
        ("where is CORS handled?", "where", "CORS"),
        ("how is HTML rendered?", "search", "how is HTML rendered?"),
        ("how does CORS work?", "what", "CORS"),
        ("which class implements caching of bytecode?", "search", "which class implements caching of bytecode?"),
        ("what does the URL class do?", "what", "URL"),
        ("what uses App.css?", "imports", "App.css"),
        ("who calls bank/rates.json?", "imports", "bank/rates.json"),
        ("who calls utils.py?", "imports", "utils.py"),
        ("what is Run?", "what", "Run"),
        ("what is Execute?", "what", "Execute"),
        ("what is invoke calling?", "callees", "invoke"),
        ("Where is echo called from?", "callers", "echo"),
        ("list all callers of echo", "callers", "echo"),
        ("who instantiates Context?", "callers", "Context"),
        ("where is echo used?", "uses", "echo"),
        ("what depends on echo?", "uses", "echo"),
        ("is echo used anywhere?", "uses", "echo"),
        ("which functions call run?", "callers", "run"),
        ("what calls execute?", "callers", "execute"),
        ("which classes use trigger?", "uses", "trigger"),
        ("what functions does call run?", "callees", "call"),
        ("show me the code of wsgi_app's caller", "callers", "wsgi_app"),
        ("where are Command.main's callers?", "callers", "Command.main"),
        ("where is the caller of wsgi_app?", "callers", "wsgi_app"),
        ("show me the source of `wsgi_app`'s callees", "callees", "wsgi_app"),
        ("show me the code of its caller", "callers", "its"),
        ("show me the code of Command's base class", "bases", "Command"),
        ("show me `Call.caller`", "show", "Call.caller"),
        ("what calls does echo make?", "callees", "echo"),
        ("What functions does echo call?", "callees", "echo"),
        ("what is called by Command.main", "callees", "Command.main"),
        ("Which class inherits from Command?", "subclasses", "Command"),
        ("what subclasses does Command have?", "subclasses", "Command"),
        ("what did we decide this week?", "said", ""),
        ("what did we decide to write about tokens?", "said", "write tokens"),
        # What one does is not what was said.
        ("how do I write a custom middleware?", "search", "how do I write a custom middleware?"),
        ("how can we choose a router?", "search", "how can we choose a router?"),
        ("where do we ask for the password?", "where", "ask for the password"),
        ("what did we decide in the last conversation?", "said", ""),
        ("what are the open todos?", "said", ""),
        ("which decisions are out of date?", "said", ""),
        ("which of our decisions are no longer true", "said", ""),
        ("list outdated decisions", "said", ""),
        ("are any of our notes stale?", "said", ""),
        ("summarize what we decided", "said", ""),
        ("recap the decisions", "said", ""),
        ("give me a summary of our decisions about tokens", "said", "tokens"),
        ("summarize what we did", "recap", ""),
        ("memory usage?", "search", "memory usage?"),
        ("actually, we decided that echo stays", "noted", ""),
        ("we no longer want echo to flush", "noted", ""),
        ("I think we should keep echo", "noted", ""),
        ("we won't support that any more", "noted", ""),
        ("let us drop echo", "noted", ""),
        ("bug: echo flickers", "noted", ""),
        ("we need to know who calls echo", "callers", "echo"),
        ("does Command have any subclasses?", "subclasses", "Command"),
        ("does anything inherit from Command?", "subclasses", "Command"),
        ("does echo call anything?", "callees", "echo"),
        ("does echo call Command.main?", "callees", "echo"),
        ("does anything call echo?", "callers", "echo"),
        ("what extends Command?", "subclasses", "Command"),
        ("what does Command inherit from?", "bases", "Command"),
        ("What does the class Command extend?", "bases", "Command"),
        ("which classes does Command inherit from?", "bases", "Command"),
        ("from which class does Command inherit?", "bases", "Command"),
        ("which interfaces does Square implement?", "bases", "Square"),
        ("what are the base classes of Command?", "bases", "Command"),
        ("what is the base class of Command?", "bases", "Command"),
        ("what is the superclass of Command?", "bases", "Command"),
        ("what are Command's base classes?", "bases", "Command"),
        ("and its base class?", "bases", "its"),
        ("what is Command derived from?", "bases", "Command"),
        ("what is Command a subclass of?", "bases", "Command"),
        ("does Command inherit from anything?", "bases", "Command"),
        ("what is in core.py?", "outline", "core.py"),
        ("list the functions in src/click/core.py", "outline", "src/click/core.py"),
        ("what methods does Command have?", "outline", "Command"),
        ("what did we say about Command?", "said", "Command"),
        ("did we talk about caching?", "said", "caching"),
        ("what was decided about the retry policy", "said", "retry policy"),
        ("do you remember what we said about tokens?", "said", "tokens"),
        ("how are passwords validated?", "search", "how are passwords validated?"),
        ("which functions parse options?", "search", "which functions parse options?"),
    ],
)
def test_forms_and_targets(text: str, form: str, target: str) -> None:
    assert [(each[0], each[2]) for each in read(text)] == [(form, target)]


def test_a_file_ties_a_name_to_a_place() -> None:
    (question,) = read_questions("who calls make_context in core.py?")
    assert (question.target.text, question.target.file) == ("make_context", "core.py")


@pytest.mark.parametrize(
    "text",
    [
        "Explain line 12 of core.py",
        "explain line 12 in the file core.py",
        "What does line 12 of core.py do?",
        "What is on line 12 of core.py?",
        "what happens in line 12 of core.py?",
    ],
)
def test_one_line_of_a_file(text: str) -> None:
    (question,) = read_questions(text)
    assert (question.form, question.target.text, question.first, question.last) == ("lines", "core.py", 12, 12)


@pytest.mark.parametrize(
    "text",
    [
        "Who raises ParseError?",
        "What throws `ParseError`?",
        "where is ParseError raised?",
        "how is ParseError raised",
        "When does ParseError get raised?",
    ],
)
def test_who_raises_an_error(text: str) -> None:
    (question,) = read_questions(text)
    assert (question.form, question.target.text) == ("raises", "ParseError")


@pytest.mark.parametrize(
    ("text", "form", "name"),
    [
        ("Does Parser have a method called advance?", "what", "Parser.advance"),
        ("does the Parser class define an advance method", "what", "Parser.advance"),
        ("Does `Parser` have the attribute `limit`?", "what", "Parser.limit"),
        ("does Parser have any methods?", "outline", "Parser"),
        ("does Parser have tests?", "tests", "Parser"),
        ("is Parser a subclass of Reader?", "bases", "Parser"),
        ("Does Parser really extend Reader?", "bases", "Parser"),
        ("does Parser inherit from anything?", "bases", "Parser"),
    ],
)
def test_what_could_be_answered_with_yes_or_no(text: str, form: str, name: str) -> None:
    (question,) = read_questions(text)
    assert (question.form, question.target.text) == (form, name)


def test_a_question_of_yes_or_no_that_names_nothing_is_a_search() -> None:
    for text in ("does it have a close method?", "do we have a function for dates?", "does Router support sockets?"):
        assert [question.form for question in read_questions(text)] == ["search"]


def test_who_catches_an_error_asks_for_that_error() -> None:
    (question,) = read_questions("who catches ParseError")
    assert (question.form, question.target.text) == ("catches", "ParseError")


def test_lines_of_a_file() -> None:
    for text in ("core.py:10-20", "show lines 10 to 20 of core.py", "show me lines 20-10 of core.py"):
        (question,) = read_questions(text)
        assert (question.form, question.target.text, question.first, question.last) == ("lines", "core.py", 10, 20)


def test_pronouns_and_ordinals() -> None:
    assert read("and who calls it?") == [("callers", "pronoun", "it")]
    assert read("And its callers?") == [("callers", "pronoun", "its")]
    assert read("Show me that function") == [("show", "pronoun", "that function")]
    assert read("what does it do") == [("what", "pronoun", "it")]
    assert read("show me the second one") == [("show", "ordinal", "second one")]


def test_and_another_name_repeats_the_last_form() -> None:
    assert read("and Option?", "hello", "who calls echo?") == [("callers", "name", "Option")]
    assert read("what about `get_help`?", "where is echo") == [("where", "name", "get_help")]
    assert read("what about Option?") == [("what", "name", "Option")]


def test_two_questions_in_one_message() -> None:
    assert read("Where is Context and who calls it?") == [("where", "name", "Context"), ("callers", "pronoun", "it")]
    assert read("I am looking at click. Where is Context.invoke defined?") == [("where", "name", "Context.invoke")]


def test_what_is_to_be_listed() -> None:
    (question,) = read_questions("which classes and functions are in core.py?")
    assert question.sorts == ("class", "function")
    (question,) = read_questions("what does the class Command contain?")
    assert question.sorts == ()


def test_a_pasted_text_is_searched_and_code_in_it_is_left_out() -> None:
    (question,) = read_questions("who calls it " * 100)
    assert question.form == "search"
    assert len(question.text) <= 4 * MAX_QUESTION
    assert read("who calls echo?\n```\nwhere is other\n```") == [("callers", "name", "echo")]


def test_names_in_a_message() -> None:
    assert names_in("I think Command.invoke, in core.py, needs `make_context()`.") == (
        "Command.invoke",
        "core.py",
        "make_context",
    )


@given(st.text(max_size=400))
def test_any_text_is_read(text: str) -> None:
    assert len(read_questions(text, [text])) <= 3
    read_target(text)


@given(st.from_regex(r"[a-z]{3,10}(_[a-z]{3,10}){1,3}", fullmatch=True))
def test_a_name_in_a_plain_question_is_kept_letter_by_letter(name: str) -> None:
    assert read(f"where is {name} defined?") == [("where", "name", name)]
    assert read(f"who calls {name}") == [("callers", "name", name)]
    assert read(f"what does `{name}` do?") == [("what", "name", name)]


@pytest.mark.parametrize(
    ("text", "form", "target"),
    [
        ("who reads Options.Global?", "uses", "Options.Global"),
        ("where is Options read?", "uses", "Options"),
        ("which methods access Options::Global?", "uses", "Options::Global"),
        ("where is NOT_FOUND returned?", "uses", "NOT_FOUND"),
        ("what returns NOT_FOUND?", "uses", "NOT_FOUND"),
        ("what returns Status::Found?", "uses", "Status::Found"),
        ("what does call do in Rack::Static?", "what", "Rack::Static.call"),
        ("what does parse return in the Reader class?", "what", "Reader.parse"),
        ("which classes are obsolete?", "deprecated", ""),
        # A file that is read is no definition.
        ("who reads config.yaml?", "outline", "config.yaml"),
    ],
)
def test_what_reads_and_returns_a_name_uses_it(text: str, form: str, target: str) -> None:
    asked = read_questions(text)[0]
    assert (asked.form, asked.target.text) == (form, target)


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("where is echo used and is it tested?", [("uses", "echo"), ("tests", "it")]),
        ("what does echo do, and is it deprecated?", [("what", "echo"), ("deprecated", "it")]),
        ("who wrote echo and has it changed since v1.0?", [("history", "echo"), ("changed", "it")]),
        ("what did we decide about tokens and is it still true?", [("said", "tokens")]),
        ("where is echo and does it log?", [("search", "echo and does it log")]),
    ],
)
def test_a_second_question_that_yes_or_no_answers_takes_nothing_from_the_first(
    text: str, asked: list[tuple[str, str]]
) -> None:
    assert [(form, target) for form, _, target in read(text)] == asked


@pytest.mark.parametrize(
    ("text", "form", "target"),
    [
        ("what changed in echo?", "history", "echo"),
        ("what has changed in `src/talk.py` lately?", "history", "src/talk.py"),
        ("which functions changed in talk.py?", "history", "talk.py"),
        ("how has Context changed?", "history", "Context"),
        ("what changed in echo since v1.2?", "changed", "echo"),
        ("what changed in the last commit?", "commit", "HEAD"),
        ("what changed in the project?", "changes", ""),
    ],
)
def test_what_changed_of_something_without_a_time_is_its_last_change(text: str, form: str, target: str) -> None:
    [(asked, _, what)] = read(text)
    assert (asked, what) == (form, target)


def test_no_history_is_asked_of_a_folder() -> None:
    assert read("what changed in src/talk?")[0][0] != "history"


@pytest.mark.parametrize(
    ("text", "about"),
    [
        ("what happens when a route isn't found?", ("route", "found")),
        ("what does it do when the file doesn’t exist", ("exist",)),
        ("we've seen that Ada's tokens can't expire", ("seen", "Ada", "tokens", "expire")),
        ("where is 're' imported", ("re", "imported")),
    ],
)
def test_half_a_short_form_is_no_word_that_a_question_is_about(text: str, about: tuple[str, ...]) -> None:
    assert content_words(text) == about
