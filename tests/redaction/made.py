"""What looks like a key, made here, so that no file holds anything that looks like one."""

from __future__ import annotations

import hashlib


def made(length: int, letters: str = "aB3dE5fG7hJ9kL2mN4pQ6rS8tU1vW0xYz") -> str:
    """So many characters that look like a key."""
    return (letters * (length // len(letters) + 1))[:length]


PEM_BODY = "\n".join(made(64, "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC") for _ in range(12)) + "\nabc=="
PEM = f"-----BEGIN RSA PRIVATE KEY-----\n{PEM_BODY}\n-----END RSA PRIVATE KEY-----"
SECRET = "q7Xv-9zKp2LmW4"
SHA = hashlib.sha256(b"x").hexdigest()

HEX, UPPER = "0123456789abcdef", "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
KEYS = {
    "aws key id": ["AKIA" + made(16, UPPER), "ASIA" + made(16, UPPER)],
    "google key": ["AIza" + made(35), "AQ.Ab" + made(40), "ya29." + made(60), "GOCSPX-" + made(28)],
    "github token": [f"gh{kind}_{made(36)}" for kind in "pousr"] + ["github_pat_" + made(82)],
    "gitlab token": ["glpat-" + made(20), "glrt-" + made(26)],
    "anthropic key": ["sk-ant-api03-" + made(93)],
    "openai key": ["sk-" + made(48), "sk-proj-" + made(60), "sk-or-v1-" + made(64, HEX), "sk-" + made(32, HEX)],
    "api key": [
        "gsk_" + made(52),
        "xai-" + made(80),
        "pplx-" + made(48),
        "r8_" + made(37),
        "csk-" + made(48, HEX),
        "tvly-" + made(32),
        "nvapi-" + made(64),
        "rnd_" + made(28),
        "pnu_" + made(36),
        "NRAK-" + made(27, UPPER),
        "PMAK-" + made(24, HEX) + "-" + made(34, HEX),
        "lsv2_pt_" + made(32, HEX) + "_" + made(10, HEX),
        "SK" + made(32, HEX),
        "dckr_pat_" + made(27),
        "dop_v1_" + made(64, HEX),
        "dapi" + made(32, HEX),
        "dapi" + made(32, HEX) + "-2",
        "hvs." + made(90),
        "ATATT3" + made(180),
        "ATBB" + made(32),
        "shpat_" + made(32, HEX),
        "lin_api_" + made(40),
        "ntn_" + made(46),
        "secret_" + made(43),
        "figd_" + made(40),
        "tskey-auth-" + made(11) + "-" + made(32),
        "dp.pt." + made(43),
        "dp.st.prd." + made(43),
        "sntrys_" + made(60),
        "fo1_" + made(43),
        "fm2_" + made(120),
        "sq0atp-" + made(22),
        "glsa_" + made(32) + "_" + made(8, HEX),
        "glc_eyJ" + made(60),
        "dt0c01." + made(24, UPPER) + "." + made(64, UPPER),
        "pul-" + made(40, HEX),
        "pscale_tkn_" + made(43),
        "sbp_" + made(40, HEX),
        "sb_secret_" + made(31),
        "nfp_" + made(36),
        "pat" + made(14) + "." + made(64, HEX),
        "AGE-SECRET-KEY-1" + made(58, UPPER),
        "rubygems_" + made(48, HEX),
        "key-" + made(32, HEX),
        "xkeysib-" + made(64, HEX) + "-" + made(16),
    ],
    "hugging face token": ["hf_" + made(34, "aBcDeFgH")],
    "slack token": [
        "xoxb-" + "123456789012-" + made(24),
        "xoxp-" + "1234567890-" + made(20),
        "xapp-1-" + made(40, UPPER),
    ],
    "webhook": [
        "https://hooks.slack.com/services/" + "T00000000/B00000000/" + made(24),
        "https://discord.com/api/webhooks/" + "123456789012345678/" + made(68),
        "https://ada.webhook.office.com/webhookb2/" + made(36) + "@" + made(36) + "/x/" + made(32),
    ],
    "stripe key": ["sk_live_" + made(24), "rk_test_" + made(99), "whsec_" + made(32)],
    "sendgrid key": ["SG." + made(22) + "." + made(43)],
    "npm token": ["npm_" + made(36)],
    "pypi token": ["pypi-AgE" + made(120)],
    "telegram token": ["123456789:AA" + made(33)],
    "json web token": [
        "eyJ" + made(33) + ".eyJ" + made(60) + "." + made(43),
        "eyJ" + made(33) + ".." + made(16) + "." + made(60) + "." + made(22),
        ".".join(["eyJ" + made(33), made(80), made(16), made(60), made(22)]),
    ],
    "facebook token": ["EAA" + made(120)],
    "terraform token": [made(14) + ".atlasv1." + made(67)],
    "azure client secret": [made(3) + "8Q~" + made(34)],
    "ragforge key": ["rf_" + made(12, HEX) + "_" + made(64, HEX)],
    "mailchimp key": [made(32, HEX) + "-us12"],
}
# What nothing else begins with is one behind other letters too.
