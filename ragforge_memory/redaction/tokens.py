"""What vendors' keys and tokens look like: a table of prefixes with what stands behind them.

Each pattern begins with fixed characters, and nothing unbounded stands before them, so each is linear in the text.
"""

from __future__ import annotations

import re
from typing import NamedTuple


class TokenPattern(NamedTuple):
    """What one kind of secret looks like; ``hints`` are pieces of text of which one must be there."""

    kind: str
    hints: tuple[str, ...]
    pattern: re.Pattern[str]


def _pattern(kind: str, hints: str, text: str) -> TokenPattern:
    return TokenPattern(kind, tuple(hints.split()), re.compile(text))


def _word(prefix: str) -> str:
    """``prefix`` at the beginning of a word: for those that words and base64 have inside of them too.

    The look behind comes after it: searching for a literal is fast.
    """
    return rf"{prefix}(?<![A-Za-z0-9_-]{prefix})"


_ENDS = r"(?![A-Za-z0-9_-])"

# A prefix that nothing else has is one behind `_` and behind a letter too: `my_ghp_…`, `TOKENghp_…`.
PATTERNS: tuple[TokenPattern, ...] = (
    _pattern("aws key id", "AKIA ASIA ABIA ACCA", rf"A(?:KIA|SIA|BIA|CCA)[A-Z2-7]{{16}}{_ENDS}"),
    _pattern("google api key", "AIza", rf"AIza[0-9A-Za-z_-]{{35}}{_ENDS}"),
    _pattern("google api key", "AQ.Ab", rf"{_word('AQ[.]Ab')}[0-9A-Za-z_-]{{30,}}"),
    _pattern("google oauth token", "ya29.", r"ya29\.[0-9A-Za-z_-]{20,}"),
    _pattern("google client secret", "GOCSPX-", rf"GOCSPX-[0-9A-Za-z_-]{{28}}{_ENDS}"),
    _pattern("github token", "ghp_ gho_ ghu_ ghs_ ghr_", rf"gh[pousr]_[0-9A-Za-z]{{36,255}}{_ENDS}"),
    _pattern("github token", "github_pat_", rf"github_pat_[0-9A-Za-z_]{{60,255}}{_ENDS}"),
    _pattern(
        "gitlab token",
        "glpat- glptt- gldt- glrt- glcbt- glsoat- glft- glimt- glagent-",
        r"gl(?:pat|ptt|dt|rt|cbt|soat|ft|imt|agent)-[0-9A-Za-z_.-]{20,}",
    ),
    _pattern("anthropic key", "sk-ant-", r"sk-ant-[0-9A-Za-z_-]{20,}"),
    # With a prefix of the vendor's, else one run of letters and digits: words with hyphens are names.
    _pattern("openai key", "sk-", rf"{_word('sk-')}(?:proj|svcacct|admin|or-v1)-[0-9A-Za-z_-]{{20,}}"),
    _pattern("openai key", "sk-", rf"{_word('sk-')}(?=[A-Za-z]*[0-9])[0-9A-Za-z]{{32,}}{_ENDS}"),
    _pattern("api key", "gsk_", rf"{_word('gsk_')}[0-9A-Za-z]{{50,60}}{_ENDS}"),
    _pattern("api key", "xai-", rf"{_word('xai-')}[0-9A-Za-z]{{70,90}}{_ENDS}"),
    _pattern("api key", "pplx-", rf"{_word('pplx-')}[0-9A-Za-z]{{40,60}}{_ENDS}"),
    _pattern("api key", "r8_", rf"{_word('r8_')}[0-9A-Za-z]{{37}}{_ENDS}"),
    _pattern("api key", "csk-", rf"{_word('csk-')}[0-9a-z]{{48}}{_ENDS}"),
    _pattern("api key", "tvly-", rf"{_word('tvly-')}(?=[A-Za-z-]{{0,60}}[0-9])[0-9A-Za-z-]{{32,64}}{_ENDS}"),
    _pattern("api key", "nvapi-", r"nvapi-[0-9A-Za-z_-]{60,80}"),
    _pattern("api key", "lsv2_", r"lsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}"),
    _pattern("api key", "pnu_", rf"{_word('pnu_')}[0-9A-Za-z]{{36}}{_ENDS}"),
    _pattern("api key", "NRAK-", rf"NRAK-[0-9A-Z]{{27}}{_ENDS}"),
    _pattern("api key", "PMAK-", rf"PMAK-[0-9a-f]{{24}}-[0-9a-f]{{34}}{_ENDS}"),
    _pattern("api key", "rnd_", rf"{_word('rnd_')}(?=[A-Za-z]*[0-9])[0-9A-Za-z]{{28,32}}{_ENDS}"),
    _pattern("api key", "xkeysib-", rf"xkeysib-[0-9a-f]{{64}}-[0-9A-Za-z]{{16}}{_ENDS}"),
    _pattern("mailgun key", "key-", rf"{_word('key-')}[0-9a-f]{{32}}{_ENDS}"),
    _pattern("mailchimp key", "-us", rf"(?<![0-9A-Za-z_-])[0-9a-f]{{32}}-us\d{{1,2}}{_ENDS}"),
    _pattern("hugging face token", "hf_", rf"hf_[0-9A-Za-z]{{34}}{_ENDS}"),
    _pattern(
        "slack token",
        "xoxa- xoxb- xoxe- xoxe. xoxo- xoxp- xoxr- xoxs- xoxc- xoxd-",
        r"xox(?:[abceoprsd]-|e\.xox[bp]-)(?=[A-Za-z%-]{0,60}[0-9])[0-9A-Za-z%-]{10,}",
    ),
    _pattern("slack app token", "xapp-", r"xapp-\d-[0-9A-Za-z-]{20,}"),
    _pattern(
        "slack webhook", "hooks.slack.com", r"https://hooks\.slack\.com/(?:services|workflows)/[0-9A-Za-z/+_-]{20,}"
    ),
    _pattern(
        "discord webhook", "/api/webhooks/", r"https://discord(?:app)?\.com/api/webhooks/\d{10,}/[0-9A-Za-z_-]{30,}"
    ),
    _pattern(
        "teams webhook",
        ".webhook.office.com",
        r"https://(?:[a-z0-9-]{1,63}\.){1,4}office\.com/webhookb2/[0-9A-Za-z@/_-]{40,}",
    ),
    _pattern(
        "stripe key",
        "sk_live_ sk_test_ rk_live_ rk_test_ whsec_",
        rf"(?:(?:sk|rk)_(?:live|test)_|whsec_)[0-9A-Za-z]{{24,}}{_ENDS}",
    ),
    _pattern("twilio key", "SK", rf"{_word('SK')}[0-9a-f]{{32}}{_ENDS}"),
    _pattern("sendgrid key", "SG.", rf"{_word('SG[.]')}[0-9A-Za-z_-]{{20,40}}\.[0-9A-Za-z_-]{{40,}}"),
    _pattern("npm token", "npm_", rf"npm_[0-9A-Za-z]{{36}}{_ENDS}"),
    _pattern("pypi token", "pypi-AgE", r"pypi-AgE[0-9A-Za-z_-]{50,}"),
    _pattern("rubygems key", "rubygems_", rf"rubygems_[0-9a-f]{{48}}{_ENDS}"),
    _pattern("docker token", "dckr_pat_ dckr_oat_", r"dckr_[po]at_[0-9A-Za-z_-]{20,}"),
    _pattern("digitalocean token", "dop_v1_ doo_v1_ dor_v1_", rf"do[opr]_v1_[0-9a-f]{{64}}{_ENDS}"),
    _pattern("databricks token", "dapi", rf"{_word('dapi')}[0-9a-f]{{32}}(?:-\d)?{_ENDS}"),
    _pattern("telegram token", ":AA", rf"(?<![A-Za-z0-9_-])\d{{8,10}}:AA[0-9A-Za-z_-]{{33}}{_ENDS}"),
    _pattern("vault token", "hvs. hvb. hvr.", rf"{_word('hv[sbr][.]')}[0-9A-Za-z_-]{{24,}}"),
    _pattern("atlassian token", "ATATT3 ATCTT3", r"AT[AC]TT3[0-9A-Za-z_=-]{60,}"),
    _pattern("bitbucket password", "ATBB", rf"{_word('ATBB')}[0-9A-Za-z]{{32}}{_ENDS}"),
    _pattern(
        "shopify token",
        "shpat_ shpca_ shppa_ shpss_ shpua_",
        rf"shp(?:at|ca|pa|ss|ua)_[0-9A-Fa-f]{{32}}{_ENDS}",
    ),
    _pattern("linear key", "lin_api_ lin_oauth_", r"lin_(?:api|oauth)_[0-9A-Za-z]{32,}"),
    _pattern("notion token", "ntn_", rf"{_word('ntn_')}[0-9A-Za-z]{{40,60}}{_ENDS}"),
    _pattern("notion token", "secret_", rf"{_word('secret_')}(?=[A-Za-z]*[0-9])[0-9A-Za-z]{{43}}{_ENDS}"),
    _pattern("figma token", "figd_ figo_ figor_", r"fig(?:d|o|or)_[0-9A-Za-z_-]{38,}"),
    _pattern("tailscale key", "tskey-", r"tskey-[a-z]{3,10}-[0-9A-Za-z]{6,}(?:-[0-9A-Za-z]{16,})?"),
    _pattern(
        "doppler token",
        "dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.",
        r"dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[0-9a-z_-]{2,35}\.)?[0-9A-Za-z]{40,44}(?![0-9A-Za-z])",
    ),
    _pattern("sentry token", "sntrys_ sntryu_", r"sntry[su]_[0-9A-Za-z_=+/-]{40,}"),
    _pattern("fly token", "fo1_ fm1_ fm2_", rf"{_word('f(?:o1|m1|m2)_')}[0-9A-Za-z_+/=-]{{43,}}"),
    _pattern("square token", "sq0atp- sq0csp-", rf"sq0(?:atp|csp)-[0-9A-Za-z_-]{{22,43}}{_ENDS}"),
    # Base64 begins so once in a while, but then with signs among so many characters.
    _pattern("facebook token", "EAA", rf"{_word('EAA')}(?=[A-Za-z]*[0-9])[0-9A-Za-z]{{90,400}}(?![A-Za-z0-9_+/=-])"),
    _pattern("grafana token", "glsa_", rf"glsa_[0-9A-Za-z]{{32}}_[0-9A-Fa-f]{{8}}{_ENDS}"),
    _pattern("grafana token", "glc_eyJ", r"glc_eyJ[0-9A-Za-z+/]{40,}={0,2}"),
    _pattern("dynatrace token", "dt0c01.", rf"dt0c01\.[A-Z2-7]{{24}}\.[A-Z2-7]{{64}}{_ENDS}"),
    _pattern("pulumi token", "pul-", rf"{_word('pul-')}[0-9a-f]{{40}}{_ENDS}"),
    _pattern("planetscale token", "pscale_", r"pscale_(?:tkn|oauth|pw)_[0-9A-Za-z_=.-]{32,}"),
    _pattern(
        "supabase key", "sbp_ sb_secret_", rf"{_word('sb')}(?:p_[0-9a-f]{{40}}{_ENDS}|_secret_[0-9A-Za-z_-]{{20,}})"
    ),
    _pattern("netlify token", "nfp_", rf"{_word('nfp_')}[0-9A-Za-z]{{36}}{_ENDS}"),
    _pattern("terraform token", ".atlasv1.", r"[0-9A-Za-z]{14}\.atlasv1\.[0-9A-Za-z_=-]{60,}"),
    _pattern("airtable token", "pat", rf"{_word('pat')}[0-9A-Za-z]{{14}}\.[0-9a-f]{{64}}{_ENDS}"),
    _pattern(
        "azure client secret", "8Q~", rf"(?<![A-Za-z0-9_~.-])[0-9A-Za-z_~.]{{3}}8Q~[0-9A-Za-z_~.-]{{31,37}}{_ENDS}"
    ),
    _pattern("azure account key", "AccountKey=", r"(?<=AccountKey=)[0-9A-Za-z+/]{60,}={0,2}"),
    _pattern("azure access key", "SharedAccessKey=", r"(?<=SharedAccessKey=)[0-9A-Za-z+/]{40,}={0,2}"),
    _pattern("azure signature", "sig=", r"(?<=[?&;]sig=)[0-9A-Za-z%+/]{40,}={0,2}"),
    _pattern("age key", "AGE-SECRET-KEY-", r"AGE-SECRET-KEY-(?:PQ-)?1[0-9A-Z]{50,}"),
    # The second part of an encrypted one is no JSON, and may be empty; it has five.
    _pattern(
        "json web token",
        "eyJ",
        rf"{_word('eyJ')}[0-9A-Za-z_-]{{10,}}\.(?:eyJ[0-9A-Za-z_-]{{10,}}\.[0-9A-Za-z_-]{{10,}}"
        r"|[0-9A-Za-z_-]*\.[0-9A-Za-z_-]{10,}\.[0-9A-Za-z_-]{10,}\.[0-9A-Za-z_-]{10,})",
    ),
)
