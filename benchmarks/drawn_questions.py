"""Questions about a repository, drawn by a seed from the truth, each with its judge."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

from judged_questions import Drawn, callers_told, cites, found_nothing, in_words, is_listed
from python_truth import Definition, Truth
from wordings import (
    CALLEES,
    CALLERS,
    CONTENTS,
    FOLLOW_UPS,
    PRONOUNS,
    SAID,
    SHOW,
    STRANGE,
    VAGUE,
    VERBS,
    WHAT,
    WHERE,
)


class Draw:
    """Draws questions about one repository; the same seed and repository give the same questions."""

    def __init__(self, truth: Truth, seed: int) -> None:
        self._truth = truth
        self._random = random.Random(f"{seed}:{truth.root.name}:{len(truth.definitions)}")
        self._named = [each for each in truth.definitions if self._is_askable(each) and each.name not in PRONOUNS]
        self._plain = [each for each in self._named if not each.is_local]

    def all(self) -> list[Drawn]:
        """Every form, in a fixed order."""
        return [
            *self.where(100),
            *self.callers(50),
            *self.what(10),
            *self.show(10),
            *self.callees(10),
            *self.contents(10),
            *self.said(10),
            *self.typos(10),
            *self.dotted(10),
            *self.partial(10),
            *self.other_spelling(10),
            *self.follow_ups(10),
            *self.free(10),
            *self.missing(20),
            *self.namesakes(30),
        ]

    def where(self, number: int) -> list[Drawn]:
        """Where a definition is: its file and line in the first line of the answer."""
        return [self._where("where", each, self.name_of(each)) for each in self._sample(self._named, number)]

    def callers(self, number: int) -> list[Drawn]:
        """Who calls a function or class whose bare name is defined once: every function that calls it."""
        once = [
            each
            for each in self._plain
            if len(self._truth.by_name[each.name]) == 1
            and each.name not in self._truth.constants
            and each.name not in self._truth.aliased
            and any(site.caller for site in self._truth.calls_to(each))
        ]
        drawn = []
        for each in self._sample(once, number):
            sites = self._truth.calls_to(each)
            true = frozenset((site.caller, site.file) for site in sites if site.caller)
            either = frozenset((name, site.file) for site in sites for name in site.may_be_caller)
            drawn.append(
                Drawn(
                    "callers",
                    self._phrase(CALLERS, each, each.name),
                    each.qualified_name,
                    bool,
                    truth=true,
                    either=either,
                )
            )
        return drawn

    def namesakes(self, number: int) -> list[Drawn]:
        """Who calls something whose name is also called where another thing is meant: none of those is stated."""

        def make(each: Definition) -> Drawn:
            sites = self._truth.calls_to(each)
            right = {(name, site.file) for site in sites for name in (site.caller, *site.may_be_caller)}
            text = self._phrase(CALLERS, each, each.name)
            return Drawn("namesakes", text, each.qualified_name, lambda answer: callers_told(answer)[0] <= right)

        pool = [
            each
            for each in self._plain
            if len(self._truth.by_name[each.name]) == 1
            and each.name not in self._truth.constants
            and each.name not in self._truth.aliased
            and len(self._truth.calls_to(each)) < len(self._truth.calls_of[each.name])
        ]
        return [make(each) for each in self._sample(pool, number)]

    def what(self, number: int) -> list[Drawn]:
        """What something does: its place and the first line of its documentation."""
        documented = [each for each in self._plain if each.docstring.strip()]

        def make(each: Definition) -> Drawn:
            first = in_words(each.docstring.strip().splitlines()[0])
            return Drawn(
                "what",
                self._phrase(WHAT, each, self.name_of(each)),
                each.qualified_name,
                lambda answer: cites(answer, each) and first in in_words(answer.replace("\n> ", "\n")),
            )

        return [make(each) for each in self._sample(documented, number)]

    def show(self, number: int) -> list[Drawn]:
        """The code itself: place and the first lines as they are."""

        def make(each: Definition) -> Drawn:
            return Drawn(
                "show",
                self._phrase(SHOW, each, self.name_of(each)),
                each.qualified_name,
                lambda answer: self._shows(answer, each),
            )

        return [make(each) for each in self._sample(self._plain, number)]

    def callees(self, number: int) -> list[Drawn]:
        """What a function calls: at least nine of ten names that it calls."""
        calling = [each for each in self._plain if each.kind != "class" and len(self._called_by(each)) >= 2]

        def make(each: Definition) -> Drawn:
            return Drawn(
                "callees",
                self._phrase(CALLEES, each, self.name_of(each)),
                each.qualified_name,
                lambda answer: self._lists_callees(answer, each),
            )

        return [make(each) for each in self._sample(calling, number)]

    def contents(self, number: int) -> list[Drawn]:
        """What is in a file: all its top-level functions and classes, each with its line."""
        by_file: dict[str, list[Definition]] = {}
        for each in self._truth.definitions:
            if "." not in each.qualified_name:
                by_file.setdefault(each.file, []).append(each)

        def make(file: str) -> Drawn:
            name = file.rsplit("/", 1)[-1]
            unique = sum(other.rsplit("/", 1)[-1] == name for other in self._truth.sources) == 1
            asked = name if unique and self._random.random() < 0.5 else file
            return Drawn(
                "contents",
                self._random.choice(CONTENTS).format(x=asked),
                file,
                lambda answer: all(is_listed(answer, each) for each in by_file[file]),
            )

        files = [file for file, inside in sorted(by_file.items()) if len(inside) <= 100]
        return [make(file) for file in self._sample(files, number)]

    def said(self, number: int) -> list[Drawn]:
        """What was said before, found again from another process."""

        def make(each: Definition) -> Drawn:
            word = self._random.choice(STRANGE)
            told = self._random.choice(
                (
                    f"We decided that {each.name} must never touch the {word}.",
                    f"Note for later: {each.name} will get a {word} option in the next release.",
                    f"I would rather keep {each.name} as it is, because of the {word}.",
                )
            )
            return Drawn(
                "said",
                self._random.choice(SAID).format(x=each.name),
                each.name,
                lambda answer: word in answer and not found_nothing(answer),
                before=(told, f"where is {self.name_of(self._random.choice(self._plain))}?"),
            )

        told = [each for each in self._plain if not each.name.startswith("__")]
        return [make(each) for each in self._sample(told, number)]

    def typos(self, number: int) -> list[Drawn]:
        """A name with one slip (two from eight letters on) still finds its definition, and says so."""
        drawn: list[Drawn] = []
        pool = [each for each in self._plain if len(each.name.strip("_")) >= 5 and self.name_of(each) == each.name]
        for each in self._sample(pool, len(pool)):
            slipped = self._slip(each.name)
            if len(each.name) >= 8 and self._random.random() < 0.3:
                slipped = self._slip(slipped)
            if slipped == each.name or slipped in self._truth.by_name or slipped in self._truth.words:
                continue
            drawn.append(self._where("typos", each, slipped, anywhere=True))
            if len(drawn) == number:
                break
        return drawn

    def dotted(self, number: int) -> list[Drawn]:
        """Names with their module or class in front."""
        pool = [
            each
            for each in self._plain
            if len(self._truth.by_qualified_name[each.qualified_name]) == 1 and not each.file.endswith("__init__.py")
        ]
        drawn = []
        for each in self._sample(pool, number):
            module = each.file.removesuffix(".py").split("/")
            depth = self._random.randint(1, min(2, len(module)))
            drawn.append(self._where("dotted", each, ".".join([*module[-depth:], each.qualified_name])))
        return drawn

    def partial(self, number: int) -> list[Drawn]:
        """A part of a name that only one name has."""
        pool: list[tuple[Definition, str]] = []
        names = set(self._truth.by_name)
        for each in self._plain:
            parts = each.name.strip("_").split("_")
            if len(parts) < 3 or self.name_of(each) != each.name:
                continue
            for part in ("_".join(parts[1:]), "_".join(parts[:-1])):
                if part not in names and part not in self._truth.words and sum(part in name for name in names) == 1:
                    pool.append((each, part))
        return [self._where("partial", each, part, anywhere=True) for each, part in self._sample(pool, number)]

    def other_spelling(self, number: int) -> list[Drawn]:
        """snake_case asked as CamelCase and the other way round."""
        pool: list[tuple[Definition, str]] = []
        for each in self._plain:
            if self.name_of(each) != each.name:
                continue
            bare = each.name.strip("_")
            if "_" in bare:
                pool.append((each, "".join(part.title() for part in bare.split("_"))))
            elif re.search(r"[a-z][A-Z]", bare):
                pool.append((each, re.sub(r"(?<=[a-z])(?=[A-Z])", "_", bare).lower()))
        flat = [re.sub(r"_", "", name).lower() for name in self._truth.by_name]
        pool = [(each, x) for each, x in pool if flat.count(re.sub(r"_", "", x).lower()) == 1]
        return [self._where("spelling", each, x, anywhere=True) for each, x in self._sample(pool, number)]

    def follow_ups(self, number: int) -> list[Drawn]:
        """A pronoun, asked from another process."""
        drawn = []
        pool = [
            each
            for each in self._plain
            if each.kind != "class"
            and len(self._truth.by_name[each.name]) == 1
            and len(self._called_by(each)) >= 2
            and any(site.caller for site in self._truth.calls_to(each))
            and each.name not in self._truth.constants
        ]
        for place, each in enumerate(self._sample(pool, number)):
            text, form = FOLLOW_UPS[place % len(FOLLOW_UPS)]
            first = self._random.choice((WHERE, WHAT, SHOW) if form != "show" else (WHERE, CALLERS))
            sites = self._truth.calls_to(each)
            one = Drawn(
                "follow-up",
                text,
                each.qualified_name,
                self._judge_of(form, each),
                before=(self._phrase(first, each, self.name_of(each)),),
            )
            if form == "callers":
                one.truth = frozenset((site.caller, site.file) for site in sites if site.caller)
                one.either = frozenset((name, site.file) for site in sites for name in site.may_be_caller)
            drawn.append(one)
        return drawn

    def free(self, number: int) -> list[Drawn]:
        """A question in words out of a definition's documentation; its place is among those that are quoted."""
        pool = []
        for each in self._plain:
            first = each.docstring.strip().split("\n\n")[0].split(". ")[0]
            words = [word for word in re.findall(r"[A-Za-z]{4,}", first) if word.lower() not in VAGUE]
            if 3 <= len(words) <= 12 and not each.name.startswith("test"):
                pool.append((each, words[:4]))
        return [
            Drawn(
                "free",
                f"which {each.kind} deals with {' '.join(words).lower()}?",
                each.qualified_name,
                lambda answer, each=each: f"{each.file}:{each.line}" in answer,  # type: ignore[misc]
            )
            for each, words in self._sample(pool, number)
        ]

    def missing(self, number: int) -> list[Drawn]:
        """Names that do not exist: strange ones, and the repository's own words newly put together."""
        own = sorted(
            {
                part
                for name in self._truth.by_name
                for part in name.lower().strip("_").split("_")
                if len(part) > 3 and part.isalpha()
            }
        )
        flat = {re.sub(r"[^a-z0-9]", "", name.lower()) for name in {*self._truth.by_name, *self._truth.words}}
        drawn: list[Drawn] = []
        while len(drawn) < number:
            kind = len(drawn) % 4
            first, second = self._random.choice(VERBS), self._random.choice(STRANGE)
            if kind == 0:
                name = f"{first}_{second}"
            elif kind == 1:
                name = f"{second.title()}{self._random.choice(own).title()}"
            elif kind == 2:
                name = f"{self._random.choice(own)}_{self._random.choice(own)}"
            else:
                name = f"{self._random.choice(own).title()}{second.title()}.{first}"
            squeezed = re.sub(r"[^a-z0-9]", "", name.lower())
            if any(squeezed in each or (each in squeezed and len(each) > 0.6 * len(squeezed)) for each in flat):
                continue
            template = self._random.choice([*WHERE[:6], *WHAT[:3], *SHOW[:2], *CALLERS[:4], *CALLEES[:2]])
            text = template.format(x=name, k="function")
            drawn.append(Drawn("missing", text, name, found_nothing))
        return drawn

    def name_of(self, each: Definition) -> str:
        """How one would ask for it: the bare name where there is only one, else the qualified one."""
        return each.name if len(self._truth.by_name[each.name]) == 1 else each.qualified_name

    def _is_askable(self, each: Definition) -> bool:
        return len(self._truth.by_name[each.name]) == 1 or (
            len(self._truth.by_qualified_name[each.qualified_name]) == 1 and "." in each.qualified_name
        )

    def _where(self, form: str, each: Definition, asked: str, *, anywhere: bool = False) -> Drawn:
        def judge(answer: str) -> bool:
            return f"{each.file}:{each.line}" in answer.split("\n\n")[0] if anywhere else cites(answer, each)

        return Drawn(form, self._phrase(WHERE, each, asked), each.qualified_name, judge)

    def _judge_of(self, form: str, each: Definition) -> Callable[[str], bool]:
        match form:
            case "where" | "what":
                return lambda answer: cites(answer, each)
            case "show":
                return lambda answer: self._shows(answer, each)
            case "callees":
                return lambda answer: self._lists_callees(answer, each)
            case _:
                return bool

    def _shows(self, answer: str, each: Definition) -> bool:
        lines = self._truth.sources[each.file][each.line - 1 : each.end][:10]
        return cites(answer, each) and all(line.strip() in answer for line in lines)

    def _called_by(self, each: Definition) -> set[str]:
        return {
            site.called
            for site in self._truth.calls
            if site.file == each.file and site.caller == each.qualified_name and each.line <= site.line <= each.end
        }

    def _lists_callees(self, answer: str, each: Definition) -> bool:
        names = self._called_by(each)
        told = set(re.findall(r"\w+", answer.partition("\n")[2]))
        return each.name in answer and len(names & told) >= 0.9 * len(names)

    def _phrase(self, templates: Sequence[str], each: Definition, asked: str) -> str:
        return self._random.choice(templates).format(x=asked, k=each.kind.removeprefix("local "))

    def _sample(self, pool: Sequence, number: int) -> list:  # type: ignore[type-arg]
        return self._random.sample(pool, min(number, len(pool)))

    def _slip(self, name: str) -> str:
        """One slip of the fingers: a letter left out, doubled, swapped with the next, or replaced."""
        places = [place for place, letter in enumerate(name) if letter.isalpha() and place > 0]
        place = self._random.choice(places)
        match self._random.randrange(4):
            case 0:
                return name[:place] + name[place + 1 :]
            case 1:
                return name[:place] + name[place] + name[place:]
            case 2 if place + 1 < len(name):
                return name[:place] + name[place + 1] + name[place] + name[place + 2 :]
            case _:
                return name[:place] + self._random.choice("abcdefghijklmnopqrstuvwxyz") + name[place + 1 :]
