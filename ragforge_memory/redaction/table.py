"""What secrets look like, as tables: vendors' keys, what logs in somewhere, what a name before it makes a secret.

Each row says what the secret is called in the mark, what must be in a text for the row to be tried, and the pattern. Of
a pattern with a group ``secret`` the group goes and the rest is kept. Nothing unbounded stands before fixed characters,
so each row is linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from ragforge_memory.redaction import judges


class Rule(NamedTuple):
    """One kind of secret, the pattern's group of that name; ``judge`` has the last word on what was found."""

    kind: str
    hints: tuple[str, ...]
    pattern: re.Pattern[str]
    judge: Callable[[re.Match[str]], bool] | None = None


# kind | prefixes, each a hint | what stands behind. `#` is a letter or a digit; `…` is where the prefix stands, if not
# in front; `~` before a prefix: it must begin a word, for words and base64 have it inside of them too. No key goes on
# in a word behind it. What few have is an `api key` by its shape: hexadecimal, letters and digits, anything.
_VENDORS = r"""
aws key id            | AKIA ASIA ABIA ACCA                             | [A-Z2-7]{16}
google key            | AIza ~AQ.Ab ya29. GOCSPX-                       | [\w-]{28,}
github token          | ghp_ gho_ ghu_ ghs_ ghr_ github_pat_            | \w{36,255}
gitlab token          | glpat- glptt- gldt- glrt- glcbt- glsoat- glft- glimt- glagent- | [\w.-]{20,}
anthropic key         | sk-ant-                                         | [\w-]{20,}
openai key            | ~sk-                                            | (?:(?:proj|svcacct|admin|or-v1)-[\w-]{20,}|(?=[A-Za-z]*\d)#{32,})
hugging face token    | hf_                                             | #{34}
slack token           | xapp- xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs- xoxc- xoxd- xoxe.xoxb- xoxe.xoxp- | (?=[A-Za-z%-]{0,60}\d)[0-9A-Za-z%-]{10,}
webhook               | hooks.slack.com/ discord.com/api/webhooks/ discordapp.com/api/webhooks/ .webhook.office.com/ | https://[a-z0-9.-]{0,250}…[\w@/+-]{30,}
stripe key            | sk_live_ sk_test_ rk_live_ rk_test_ whsec_      | #{24,}
sendgrid key          | ~SG.                                            | [\w-]{20,40}\.[\w-]{40,}
mailchimp key         | -us                                             | (?<![\w-])[0-9a-f]{32}…\d{1,2}
npm token             | npm_                                            | #{36}
pypi token            | pypi-AgE                                        | [\w-]{50,}
telegram token        | :AA                                             | (?<![\w-])\d{8,10}…[\w-]{33}
facebook token        | ~EAA                                            | (?=[A-Za-z]*\d)#{90,400}(?![\w+/=-])
terraform token       | .atlasv1.                                       | #{14}…[\w=-]{60,}
azure client secret   | 8Q~                                             | (?<![\w~.-])[\w~.]{3}…[\w~.-]{31,37}
azure key             | AccountKey= SharedAccessKey= ?sig= &sig= ;sig=  | …(?P<secret>[0-9A-Za-z%+/]{40,}={0,2})
json web token        | ~eyJ                                            | [\w-]{10,}\.(?:eyJ[\w-]{10,}\.[\w-]{10,}|[\w-]*(?:\.[\w-]{10,}){3})
api key               | ~key- ~SK ~dapi ~pul- ~sbp_ lsv2_pt_ lsv2_sk_ rubygems_ dop_v1_ doo_v1_ dor_v1_ PMAK- xkeysib- shpat_ shpca_ shppa_ shpss_ shpua_ | (?i:[0-9a-f]{24,64})(?:[_-]#{1,40})?
api key               | ~gsk_ ~csk- ~xai- ~pplx- ~r8_ ~rnd_ ~pnu_ ~ntn_ ~nfp_ ~secret_ ~ATBB lin_api_ lin_oauth_ | (?=[A-Za-z]*\d)#{28,90}
api key               | ~tvly- dt0c01. dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit. | (?=[\w.-]{0,60}\d)(?:[\w-]{2,35}\.)?[0-9A-Za-z-]{32,64}
ragforge key          | ~rf_ | [0-9a-f]{12}_[0-9a-f]{64}
api key               | ~pat | #{14}\.[0-9a-f]{64}
api key               | nvapi- NRAK- figd_ figo_ figor_ sntrys_ sntryu_ ATATT3 ATCTT3 pscale_tkn_ pscale_oauth_ pscale_pw_ ~hvs. ~hvb. ~hvr. dckr_pat_ dckr_oat_ sq0atp- sq0csp- glsa_ glc_eyJ ~fo1_ ~fm1_ ~fm2_ ~sb_secret_ tskey- AGE-SECRET-KEY- | [\w=+/-]{20,}
"""  # noqa: E501

# kind | hints | judge of what the pattern finds | pattern. `user:password@` and its like are examples; `%s`, `$X` and
# `{x}` are filled in elsewhere. A password may have `@` in it, and `/` where no port stands. Of commands, what stands
# up to the next one: nothing is looked at twice.
_LOGINS = r"""
password     | ://            |                  | (?i)://[^\s:/'"<>{}$`\\]{0,255}:
    (?!(?:pass|passwd|password|pwd|pw|secret|x+|\*+|\.{3}|…|%\w|%\(\w+\)s)@|\$|\[redacted|\d{1,5}(?:[/?#\s]|\Z))
    (?P<secret>[^\s/'"<>{}`\\]{1,300}|[^\s'"<>{}`\\@:]{1,100}?)(?=@[\w.\[-])
token        | ://            | credential       | ://(?P<secret>[0-9A-Za-z_-]{16,255})(?=@[\w.\[-])
bearer token | bearer         |                  | (?i)bearer[ \t]{0,8}(?:\r?\n)?[ \t]{1,8}(?=[a-z._~+/-]{0,400}[0-9])
    (?P<secret>[0-9a-z._~+/-]{20,}={0,2})
credential   | authorization  | credential       | (?i)authorization{QUOTE}(?::|(?:=>?|,|\]=)(?=[ \t]{0,8}\\{0,8}["']))
    [ \t]{0,8}{QUOTE}(?P<way>(?:[a-z][\w-]{0,30}[ \t]{0,8}(?:\r?\n)?[ \t]{1,8})?)(?P<secret>[^\s"'`\\,;]{8,4000})
cookies      | cookie         | cookies          | (?i)cookie{QUOTE}:[ \t]{0,8}{QUOTE}
    (?P<secret>[^\s=;,"'`\\]{1,100}=[^\n"'`\\]{8,8000})
password     | machine        | password         | machine\s{1,8}\S{1,255}\s{1,40}login\s{1,8}\S{1,255}\s{1,40}
    (?:account\s{1,8}\S{1,255}\s{1,40})?password\s{1,8}(?P<secret>\S{1,255})
password     | curl wget      | password         | (?:curl|wget)[ \t](?:(?:[^\n|;&cw]|c(?!url)|w(?!get)){0,400}?[ \t])?
    (?:-u|--user|--proxy-user|-U)[ =]{0,4}["']?[^\s:"'/]{0,100}:(?P<secret>[^\s"'`]{3,300})
password     | mysql mariadb sshpass | password    | (?:sshpass[ \t]{1,8}-p[ \t]{0,4}|
    (?:mysql|mysqldump|mysqladmin|mariadb)[ \t](?:(?:[^\n|;&m]|m(?!ysql|ariadb)){0,200}?[ \t])?-p)["']?
    (?P<secret>[^\s"'`]{3,300})
"""

# What a name before it makes a secret, looked for in lines with such a name. First an assignment and nothing else: a
# line may stand behind its number and the signs of diffs, quotes, lists and comments; its own comment may follow. Then
# whatever stands behind such a name in a line: a literal, an element of XML, a word of a sentence or a command.
_ASSIGNED = r"""
secret       | = :            | alone            | \A(?:(?:[\w./\\@-]{1,200}[:-])?[ \t]{0,8}
    \d{1,6}(?::|-|\t|\x20?[|→]))?(?P<indent>[ \t]{0,200})(?P<sign>[-+>|*#;/]{0,3}[ \t]{0,40})
    (?:(?:export|set|setx|ENV|ARG|-e|declare|local|readonly)[ \t]{1,8})?(?P<name>[\w./@:"'`*\\-]{1,120}?)
    (?P<sep>[ \t]{0,40}(?:=|:[ \t])[ \t]{0,40})(?P<secret>(?![rbuf]?["'`])[^\s=]\S{3,2000})[ \t\r]*(?:[ \t][#;].*)?\Z
secret       | = : is was be -- </ | inside      | (?P<option>(?<!-)--[a-z-]{0,30})?(?P<name>(?i:{NAME}))
    (?P<close>\\{0,8}["'`*\]]{0,3})(?P<is>[ \t](?:is|was|be)(?: now)?)?
    (?P<sep>[ \t]{0,8}:?={1,3}>?[ \t]{0,20}|[ \t]{0,8}:[ \t]{0,20}|>|[ \t]{1,4})(?:[rbu]?(?P<quote>\\{0,8}["'`]))?
    (?P<secret>(?(quote)[^"'`\n]{6,500}|[^\s"'`,;&|<>{}()\[\]$%\\=*:][^\s"'`,;|<>{}()\[\]\\=]{4,500}?={0,2}))
    (?(quote)(?P=quote)|(?=\*{0,2}[.,;!?)]{0,3}["'`]?(?:\s|\Z)|\\{0,8}(?:["'`;]|&[\w-]+=)|\\{1,8}[nrt]|</))
"""


def _rows(table: str, columns: int) -> list[list[str]]:
    """The cells of a table; an indented line goes on with the last cell of the one before it."""
    return [
        [cell.strip() for cell in row.split(" | ", columns - 1)] for row in re.sub(r"\n +", "", table).split("\n")[1:-1]
    ]


def _vendor(kind: str, names: str, body: str) -> Rule:
    hints = tuple(name.removeprefix("~") for name in names.split())
    # The look behind comes after the prefix: searching for a literal is fast.
    begins = (rf"(?<![\w-]{re.escape(name[1:])})" if name.startswith("~") else "" for name in names.split())
    prefix = "|".join(re.escape(hint) + begin for hint, begin in zip(hints, begins, strict=True))
    body = body if "…" in body else f"…{body}"
    body = body if "<secret>" in body else f"(?P<secret>{body})"
    text = body.replace("#", "[0-9A-Za-z]").replace("…", f"(?:{prefix})")
    return Rule(kind, hints, re.compile(rf"{text}(?![\w-])", re.A))


def _rule(kind: str, hints: str, judge: str, text: str) -> Rule:
    text = text.replace("{NAME}", judges.NAME).replace("{QUOTE}", r"\\{0,8}[\"'`]?[ \t]{0,8}")
    return Rule(kind, tuple(hints.split()), re.compile(text), getattr(judges, judge) if judge else None)


VENDORS = tuple(_vendor(*row) for row in _rows(_VENDORS, 3))
LOGINS = tuple(_rule(*row) for row in _rows(_LOGINS, 4))
ASSIGNED = tuple(_rule(*row) for row in _rows(_ASSIGNED, 4))
