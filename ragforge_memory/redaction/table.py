"""What secrets look like, as tables: vendors' keys, what logs in somewhere, what a name before it makes a secret.

Each row says what the secret is called in the mark, what must be in a text for the row to be tried, and the pattern. Of
a pattern with a group ``secret`` the group goes and the rest is kept. Nothing unbounded stands before fixed characters,
so each row is linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

import ragforge_memory.redaction.judges as judges

Judge = Callable[[re.Match[str]], bool]


class Rule(NamedTuple):
    """One kind of secret; ``judge`` has the last word on what the pattern finds."""

    kind: str
    hints: tuple[str, ...]
    pattern: re.Pattern[str]
    judge: Judge | None = None
    within: re.Pattern[str] | None = None
    """The only places where the pattern is looked for."""


# kind | prefixes, each a hint | what stands behind. `#` is a letter or a digit; `…` is where the prefix stands, if not
# in front; `~` before a prefix: it must begin a word, for words and base64 have it inside of them too; `>`: the prefix
# is kept. No key goes on in a word behind it.
_VENDORS = r"""
aws key id            | AKIA ASIA ABIA ACCA                             | [A-Z2-7]{16}
google api key        | AIza                                            | [\w-]{35}
google api key        | ~AQ.Ab                                          | [\w-]{30,}
google oauth token    | ya29.                                           | [\w-]{20,}
google client secret  | GOCSPX-                                         | [\w-]{28}
github token          | ghp_ gho_ ghu_ ghs_ ghr_                        | #{36,255}
github token          | github_pat_                                     | \w{60,255}
gitlab token          | glpat- glptt- gldt- glrt- glcbt- glsoat- glft- glimt- glagent- | [\w.-]{20,}
anthropic key         | sk-ant-                                         | [\w-]{20,}
openai key            | ~sk-proj- ~sk-svcacct- ~sk-admin- ~sk-or-v1-    | [\w-]{20,}
openai key            | ~sk-                                            | (?=[A-Za-z]*\d)#{32,}
api key               | ~gsk_                                           | #{50,60}
api key               | ~xai-                                           | #{70,90}
api key               | ~pplx-                                          | #{40,60}
api key               | ~r8_                                            | #{37}
api key               | ~csk-                                           | [0-9a-z]{48}
api key               | ~tvly-                                          | (?=[A-Za-z-]{0,60}\d)[0-9A-Za-z-]{32,64}
api key               | nvapi-                                          | [\w-]{60,80}
api key               | lsv2_pt_ lsv2_sk_                               | [0-9a-f]{32}_[0-9a-f]{10}
api key               | ~pnu_                                           | #{36}
api key               | NRAK-                                           | [0-9A-Z]{27}
api key               | PMAK-                                           | [0-9a-f]{24}-[0-9a-f]{34}
api key               | ~rnd_                                           | (?=[A-Za-z]*\d)#{28,32}
api key               | xkeysib-                                        | [0-9a-f]{64}-#{16}
mailgun key           | ~key-                                           | [0-9a-f]{32}
mailchimp key         | -us                                             | (?<![\w-])[0-9a-f]{32}…\d{1,2}
hugging face token    | hf_                                             | #{34}
slack token           | xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs- xoxc- xoxd- xoxe.xoxb- xoxe.xoxp- | (?=[A-Za-z%-]{0,60}\d)[0-9A-Za-z%-]{10,}
slack app token       | xapp-                                           | \d-[0-9A-Za-z-]{20,}
slack webhook         | https://hooks.slack.com/                        | (?:services|workflows)/[\w/+-]{20,}
discord webhook       | /api/webhooks/                                  | https://discord(?:app)?\.com…\d{10,}/[\w-]{30,}
teams webhook         | .webhook.office.com/                            | https://[a-z0-9.-]{1,250}…webhookb2/[\w@/-]{40,}
stripe key            | sk_live_ sk_test_ rk_live_ rk_test_ whsec_      | #{24,}
twilio key            | ~SK                                             | [0-9a-f]{32}
sendgrid key          | ~SG.                                            | [\w-]{20,40}\.[\w-]{40,}
npm token             | npm_                                            | #{36}
pypi token            | pypi-AgE                                        | [\w-]{50,}
rubygems key          | rubygems_                                       | [0-9a-f]{48}
docker token          | dckr_pat_ dckr_oat_                             | [\w-]{20,}
digitalocean token    | dop_v1_ doo_v1_ dor_v1_                         | [0-9a-f]{64}
databricks token      | ~dapi                                           | [0-9a-f]{32}(?:-\d)?
telegram token        | :AA                                             | (?<![\w-])\d{8,10}…[\w-]{33}
vault token           | ~hvs. ~hvb. ~hvr.                               | [\w-]{24,}
atlassian token       | ATATT3 ATCTT3                                   | [\w=-]{60,}
bitbucket password    | ~ATBB                                           | #{32}
shopify token         | shpat_ shpca_ shppa_ shpss_ shpua_              | [0-9A-Fa-f]{32}
linear key            | lin_api_ lin_oauth_                             | #{32,}
notion token          | ~ntn_                                           | #{40,60}
notion token          | ~secret_                                        | (?=[A-Za-z]*\d)#{43}
figma token           | figd_ figo_ figor_                              | [\w-]{38,}
tailscale key         | tskey-                                          | [a-z]{3,10}-#{6,}(?:-#{16,})?
doppler token         | dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.  | (?:[0-9a-z_-]{2,35}\.)?#{40,44}
sentry token          | sntrys_ sntryu_                                 | [\w=+/-]{40,}
fly token             | ~fo1_ ~fm1_ ~fm2_                               | [\w+/=-]{43,}
square token          | sq0atp- sq0csp-                                 | [\w-]{22,43}
facebook token        | ~EAA                                            | (?=[A-Za-z]*\d)#{90,400}(?![\w+/=-])
grafana token         | glsa_                                           | #{32}_[0-9A-Fa-f]{8}
grafana token         | glc_eyJ                                         | [0-9A-Za-z+/]{40,}={0,2}
dynatrace token       | dt0c01.                                         | [A-Z2-7]{24}\.[A-Z2-7]{64}
pulumi token          | ~pul-                                           | [0-9a-f]{40}
planetscale token     | pscale_tkn_ pscale_oauth_ pscale_pw_            | [\w=.-]{32,}
supabase key          | ~sbp_                                           | [0-9a-f]{40}
supabase key          | ~sb_secret_                                     | [\w-]{20,}
netlify token         | ~nfp_                                           | #{36}
terraform token       | .atlasv1.                                       | #{14}…[\w=-]{60,}
airtable token        | ~pat                                            | #{14}\.[0-9a-f]{64}
azure client secret   | 8Q~                                             | (?<![\w~.-])[\w~.]{3}…[\w~.-]{31,37}
azure account key     | AccountKey=                                     | >[0-9A-Za-z+/]{60,}={0,2}
azure access key      | SharedAccessKey=                                | >[0-9A-Za-z+/]{40,}={0,2}
azure signature       | ?sig= &sig= ;sig=                               | >[0-9A-Za-z%+/]{40,}={0,2}
age key               | AGE-SECRET-KEY-                                 | (?:PQ-)?1[0-9A-Z]{50,}
json web token        | ~eyJ                                            | [\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}
json web token        | ~eyJ                                            | [\w-]{10,}\.[\w-]*(?:\.[\w-]{10,}){3}
"""  # noqa: E501

# kind | hints | judge of what the pattern finds | pattern. `{X}` is a part below; `a ⊃ b`: b is looked for inside of a.
# `user:password@` and its like are examples; `%s`, `$X` and `{x}` are filled in elsewhere. A password may have `@` in
# it, and `/` where no port stands. Of commands, what stands up to the next one: nothing is looked at twice.
_LOGINS = r"""
password     | ://            |                  | (?i)://[^\s:/'"<>{}$`\\]{0,255}:
    (?!(?:pass|passwd|password|pwd|pw|secret|x+|\*+|\.{3}|…|%\w|%\(\w+\)s)@|\$|\[redacted|\d{1,5}(?:[/?#\s]|\Z))
    (?P<secret>[^\s/'"<>{}`\\]{1,300}|[^\s'"<>{}`\\@:]{1,100}?)(?=@[\w.\[-])
token        | ://            | token_of_address | ://(?=[A-Za-z_-]{0,200}\d)(?=[\d_-]{0,200}[A-Za-z])
    (?P<secret>[0-9A-Za-z_-]{16,255})(?=@[\w.\[-])
bearer token | authorization  | known            | (?i){AUTHORIZATION}bearer{SPACE}{CREDENTIAL}
credential   | authorization  | credential       | (?i){AUTHORIZATION}(?P<way>(?:[a-z][\w-]{0,30}{SPACE})?){CREDENTIAL}
bearer token | bearer         |                  | (?i)bearer[ \t]{1,8}(?=[a-z._~+/-]{0,400}[0-9])
    (?P<secret>[0-9a-z._~+/-]{20,}={0,2})
cookie       | cookie         | cookie           | (?i)(?<=cookie){QUOTE}:[ \t]{0,8}{QUOTE}
    [^\s=;,"'`\\]{1,100}=[^\n"'`\\]{8,8000} ⊃
    (?i)(?<![^\s;])(?!(?:path|domain|expires|max-age|samesite)=)[^\s=;,]{1,100}=(?P<secret>[^\s;,]{8,4000})
password     | machine        | password         | machine\s{1,8}\S{1,255}\s{1,40}login\s{1,8}\S{1,255}\s{1,40}
    (?:account\s{1,8}\S{1,255}\s{1,40})?password\s{1,8}(?P<secret>\S{1,255})
password     | curl wget      | password         | (?:curl|wget)[ \t](?:(?:[^\n|;&cw]|c(?!url)|w(?!get)){0,400}?[ \t])?
    (?:-u|--user|--proxy-user|-U)[ =]{0,4}["']?[^\s:"'/]{0,100}:(?P<secret>[^\s"'`]{3,300})
password     | sshpass        | password         | sshpass[ \t]{1,8}-p[ \t]{0,4}["']?(?P<secret>[^\s"'`]{3,300})
password     | mysql mariadb  | password         | (?:mysql|mysqldump|mysqladmin|mariadb)[ \t]
    (?:(?:[^\n|;&m]|m(?!ysql|ariadb)){0,200}?[ \t])?-p["']?(?P<secret>[^\s"'`]{4,300})
"""

# What a name before it makes a secret, looked for in lines with such a name; the judge reads the name. In this order:
# an assignment and nothing else; a sentence, with a sign of assignment or without; an option; YAML and headers;
# scripts, addresses, connection strings; an element of XML; a literal of code, of JSON, of JSON in a string.
_ASSIGNED = r"""
secret       | = :            | alone            | {LINE}(?P<secret>[^\s"'`=]\S{3,2000}){LINE_END}
secret       | = :            | alone_in_quotes  | {LINE}(?P<quote>["'])(?P<secret>[^"']{6,500})(?P=quote){LINE_END}
secret       | = :            | told             | (?:[ \t](?:is|was|be)(?: now)?)?(?P<sep>[ \t]{0,4}[:=][ \t]{0,4})
    (?P<secret>[^\s"'`:=][^\s"'`]{4,199}?){WORD_END}
secret       | is was be      | said             | [ \t](?:is|was|be)(?: now)?:?[ \t]{1,4}["'`]?
    (?P<secret>[^\s"'`]{8,200}?){WORD_END}
secret       | --             | option           | --[a-z-]{0,30}
    (?:password|passwd|token|secret|secret-key|api-key|access-key)[ =]{PLAIN}(?=\s|\Z)
secret       | :              | plain            | :[ \t]{1,20}{PLAIN}
    (?=\\{0,8}["'`]|[ \t\r]{0,20}(?:\n|\Z)|[ \t]{1,20}[#;] )
secret       | =              | plain            | (?<![A-Za-z0-9])(?:SECRET(?:_KEY|_ACCESS_KEY)?|TOKEN|PASSWORD|PASSWD|
    API_KEY|ACCESS_KEY|PRIVATE_KEY)=(?P<secret>{MIXED}[^\s"'`${}<>()%]{8,500})(?=[\s"'`]|\Z)
secret       | =              | plain_in_no_call | ={PLAIN}(?=[\s&;"'`]|\Z)
secret       | </             | quoted           | >(?P<secret>[^<>\s"']{6,500})(?=</)
secret       | = :            | quoted           | (?i)[:=]>?[ \t]{0,20}[rbu]?(?P<quote>\\{0,8}["'`])
    (?P<secret>[^"'`\s]{6,500})(?P=quote)
"""

# A line may stand behind its number and the signs of diffs, quotes, lists and comments; its own comment may follow.
# Code has no quotes behind the `=` of a header. Without quotes, the look at the end comes last: what is called, indexed
# or assigned there is code, and a type is written in capitals, with digits in the middle.
_PARTS = r"""
QUOTE         | \\{0,8}["'`]?[ \t]{0,8}
AUTHORIZATION | authorization{QUOTE}(?::|(?:=>?|,|\]=)(?=[ \t]{0,8}\\{0,8}["']))[ \t]{0,8}{QUOTE}
SPACE         | [ \t]{0,8}(?:\r?\n)?[ \t]{1,8}
CREDENTIAL    | (?P<secret>[^\s"'`\\,;]{8,4000})
LINE          | \A(?:(?:[\w./\\@-]{1,200}[:-])?[ \t]{0,8}\d{1,6}(?::|-|\t|\x20?[|→]))?(?P<indent>[ \t]{0,200})
    (?P<sign>[-+>|*#;/]{0,3}[ \t]{0,40})(?:(?:export|set|setx|ENV|ARG|-e|declare|local|readonly)[ \t]{1,8})?
    (?P<name>[\w./@:"'`*\\-]{1,120}?)(?P<sep>[ \t]{0,40}(?:=|:[ \t])[ \t]{0,40})
LINE_END      | [ \t\r]*(?:[ \t][#;].*)?\Z
WORD_END      | (?=[.,;!?)]{0,3}["'`]?(?:\s|\Z))
MIXED         | (?=\S{0,200}\d)(?=\S{0,200}[A-Za-z])
PLAIN         | (?P<secret>{MIXED}(?![A-Z][a-z]+\d{0,3}(?:[A-Z]\w*)?(?:\s|\Z))[^\s"'`${}<>()\[\]%,;|&=*\\]{8,500})
"""


def _rows(table: str, columns: int) -> list[list[str]]:
    """The cells of a table; an indented line goes on with the last cell of the one before it."""
    return [
        [cell.strip() for cell in row.split(" | ", columns - 1)] for row in re.sub(r"\n +", "", table).split("\n")[1:-1]
    ]


def _vendor(kind: str, names: str, body: str) -> Rule:
    hints = tuple(name.removeprefix("~") for name in names.split())
    # The look behind comes after the prefix: searching for a literal is fast.
    begins = r"(?<![\w-]{})" if names.startswith("~") else ""
    prefix = f"(?:{'|'.join(re.escape(hint) + begins.format(re.escape(hint)) for hint in hints)})"
    body = body.replace("#", "[0-9A-Za-z]")
    if body.startswith(">"):
        body = f"…(?P<secret>{body[1:]})"
    text = body.replace("…", prefix) if "…" in body else prefix + body
    return Rule(kind, hints, re.compile(rf"{text}(?![\w-])", re.A))


def _rule(kind: str, hints: str, judge: str, text: str) -> Rule:
    for name, part in reversed(_rows(_PARTS, 2)):
        text = text.replace(f"{{{name}}}", part)
    within, _, pattern = text.rpartition(" ⊃")
    place = re.compile(within) if within else None
    return Rule(kind, tuple(hints.split()), re.compile(pattern), getattr(judges, judge) if judge else None, place)


VENDORS = tuple(_vendor(*row) for row in _rows(_VENDORS, 3))
LOGINS = tuple(_rule(*row) for row in _rows(_LOGINS, 4))
ASSIGNED = tuple(_rule(*row) for row in _rows(_ASSIGNED, 4))
