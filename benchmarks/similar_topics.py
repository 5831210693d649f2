"""Twenty topics of a code agent's conversations, each with a paraphrase that shares none of its telling words."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Planted:
    """A conversation's messages, and how somebody asks for it later."""

    question: str
    answer: str
    follow_up: str
    paraphrase: str


TOPICS = (
    Planted(
        "The login page lets people try passwords for ever, how do we stop brute force?",
        "Count failed attempts per account in Redis and lock the account for ten minutes after five of them.",
        "And show a captcha from the third one on.",
        "limiting how often somebody can guess their credentials when signing in",
    ),
    Planted(
        "Our Docker image is 2 GB, the deploys take for ever.",
        "Build in two stages: compile in the first, copy only the binary into a slim base image.",
        "Good, and cache the dependency layer.",
        "making the container smaller so that shipping a release is quicker",
    ),
    Planted(
        "Why does the nightly job run out of memory on the big customers' CSV exports?",
        "It reads the whole file into a list; iterate over rows and write them in chunks instead.",
        "I'll stream it then.",
        "heap grows until the batch process is killed while handling large spreadsheets",
    ),
    Planted(
        "The two threads that update the account balance sometimes lose a payment.",
        "It is a read-modify-write race; take a row lock with SELECT FOR UPDATE in one transaction.",
        "Or an optimistic version column.",
        "concurrent writers overwrite each other's money transfers",
    ),
    Planted(
        "Can we translate the interface into German and French?",
        "Wrap the strings with gettext, extract a catalogue, and give translators the po files.",
        "Plural forms need care.",
        "localising what the user sees for other languages",
    ),
    Planted(
        "The flame graph shows that JSON parsing takes 60 percent of the request.",
        "Switch to orjson and avoid decoding the body twice in the middleware.",
        "Let me profile again after that.",
        "speeding up deserialisation, the hot spot when serving an API call",
    ),
    Planted(
        "How should we move the users table to the new schema without downtime?",
        "Add the new columns first, write to both, backfill in batches, then switch reads and drop the old ones.",
        "We can do the backfill at night.",
        "changing database structure while the site stays up",
    ),
    Planted(
        "The tests are flaky: test_checkout fails once in twenty runs.",
        "It depends on the order of a set; sort before comparing, and fix the random seed.",
        "Let me run it a hundred times.",
        "a unit check that passes or breaks at random from one CI build to the next",
    ),
    Planted(
        "Please add dark mode to the settings page.",
        "Define the colours as CSS variables and switch them by prefers-color-scheme and a toggle.",
        "Remember the choice in local storage.",
        "a night theme with black backgrounds for the front end",
    ),
    Planted(
        "Which licence should the library have if companies shall be able to use it?",
        "Apache 2.0: it is permissive and has a patent grant; MIT is shorter but silent on patents.",
        "Then Apache it is.",
        "the legal terms under which others may reuse our open source package",
    ),
    Planted(
        "Emails to new customers land in the spam folder.",
        "Set up SPF, DKIM and DMARC for the domain and send from a warmed-up address.",
        "I'll ask for the DNS records.",
        "welcome messages are classified as junk by mail providers",
    ),
    Planted(
        "The search box should tolerate typing mistakes.",
        "Use trigram similarity in Postgres with a GIN index, or edit distance of one in the engine.",
        "Trigrams are enough.",
        "fuzzy matching so misspelled queries still bring results",
    ),
    Planted(
        "We need to know who deleted that invoice.",
        "Write every change to an append-only audit log with the actor, the time and the old value.",
        "Retention of seven years.",
        "a trail that records which person removed or altered billing documents",
    ),
    Planted(
        "The mobile app drains the battery since the last release.",
        "It polls for location every second; use significant-change updates and stop in the background.",
        "And batch the network calls.",
        "phone power consumption went up because of GPS tracking",
    ),
    Planted(
        "How do we keep the AWS bill down? The staging machines run all weekend.",
        "Scale the staging group to zero by schedule on Friday evening and start it on Monday.",
        "Spot instances too.",
        "saving cloud costs by switching off unused servers",
    ),
    Planted(
        "The websocket drops every sixty seconds behind the load balancer.",
        "The idle timeout closes it; send a ping every thirty seconds or raise the timeout.",
        "Ping is simpler.",
        "realtime connection gets cut periodically by the proxy, keep it alive",
    ),
    Planted(
        "Users in Sydney see yesterday's date on their reports.",
        "Store UTC, convert with the user's zone at display, and never use the server's local clock.",
        "zoneinfo has them all.",
        "time zone bug, wrong calendar day shown to Australians",
    ),
    Planted(
        "How can we let customers undo a deletion?",
        "Mark the record as deleted with a timestamp, hide it everywhere, and purge it after thirty days.",
        "A trash folder, then.",
        "recoverable removal, restoring things that were thrown away",
    ),
    Planted(
        "The recommender suggests what the customer has just bought.",
        "Filter out recent purchases after ranking and penalise items of the same category.",
        "For how long?",
        "suggestions repeat products people already own",
    ),
    Planted(
        "I want the pull requests to be smaller, reviews take days.",
        "Stack them: each branch changes one thing, and the template asks for at most 300 lines.",
        "Let's try it for a sprint.",
        "code review turnaround is slow, merge requests are too large",
    ),
)

# What the other conversations are about: every pair of one of each, so that none is a planted one.
AREAS = (
    "the parser of the configuration file",
    "the release notes",
    "the command line flags",
    "the plugin loader",
    "the logging format",
    "the retry policy of the HTTP client",
    "the cache of compiled templates",
    "the pagination of the orders endpoint",
    "the type hints of the models package",
    "the onboarding guide",
    "the rounding of prices",
    "the image thumbnails",
    "the PDF layout",
    "the feature flags",
    "the message queue consumer",
    "the health check",
    "the admin sidebar",
    "the sitemap generator",
    "the backup script",
    "the address form",
)
DOINGS = (
    ("Where is {} implemented?", "It begins in the module of that name; the entry point is the function at its top."),
    ("Write documentation for {}.", "I described what it does, its arguments and an example."),
    ("Rename the helper in {}.", "Renamed, with all of its callers; the tests pass."),
    ("Is there a test for {}?", "There is one for the usual case, none for errors; I added two."),
    ("Refactor {} into smaller functions.", "It is split into three: read, check and write."),
    ("What does {} do when its input is empty?", "It returns early with an empty result."),
    ("Remove dead code from {}.", "Two functions had no callers and are gone."),
    ("Explain {} to me.", "It takes what it is given step by step and hands on the result."),
    ("Why is {} so long?", "It grew by special cases; half of them can share a path."),
    ("Port {} to Python 3.13.", "Only an import had to change."),
    ("Add an example of {} to the README.", "Added below the installation section."),
    ("Who changed {} last?", "The last change was a formatting one in spring."),
    ("Can {} be made async?", "Yes, its two blocking calls have awaitable twins."),
    ("Add a metric for {}.", "A counter and a histogram are exported now."),
    ("Check the naming in {}.", "Two names differ from the convention; I changed them."),
    ("Compare {} with version one.", "The behaviour is the same but for the defaults."),
    ("Deprecate the old entry of {}.", "It warns now and goes in the next major version."),
    ("Bring the comments of {} up to date.", "Five comments said what is no longer so; they are right again."),
    ("Which modules import {}?", "Four do, all of them in the service layer."),
    ("Simplify the signature of {}.", "Three parameters with one value each are gone."),
    ("Let {} accept a path object.", "It takes text and paths alike now."),
    ("Show the dependencies of {}.", "It needs only the standard library and one of our own modules."),
    ("Freeze the public names of {}.", "They are listed and a test holds them."),
    ("Sort the imports of {}.", "Sorted, by group and name."),
)
