"""Defaults, options and settings: what lines declare by a string, a flag or a symbol, no definition's name."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragforge_memory import AsyncConversationAgent
from ragforge_memory.language.reading.options import options_of
from ragforge_memory.language.reading.questions import read_questions
from ragforge_memory.llm.extractive.code.declared import declares, literal
from tests.extractive.asking import ask

FILES = {
    "src/table.c": """int limit(struct options *oo)
{
  return get_number(oo, "history-limit");
}

struct entry table[] = {
  { .name = "history-limit",
    .minimum = 0,
    .default_num = 2000
  },
  { .name = "prefix",
    .default_num = 'b'
  },
};
""",
    "src/cli.rs": """fn build() -> Command {
    Command::new("run").arg(
        Arg::new("warmup")
            .long("warmup")
            .short('w'),
    )
}
""",
    "src/flags.go": """package flags

func size(width, height int) map[string]int {
	return map[string]int{"height": height}
}

func parse(arg string) {
	switch arg {
	case "--height":
		next()
	}
}

func defaults() Options {
	return Options{
		Height: 8,
	}
}
""",
    "lib/base.rb": """class Base
  set :port, 4567
  set :show_errors, proc { development? }

  class ShowErrors
  end

  def run(options)
    port = options[:port]
    port
  end
end
""",
    "src/Pool.java": """class Pool {
    private volatile int maxPoolSize;

    Pool() {
        maxPoolSize = -1;
    }
}
""",
    "app/session.py": """class Session:
    def __init__(
        self,
        cookie_age: int | None = 14 * 24 * 60,  # in minutes
    ):
        self.cookie_age = cookie_age

    def header(self):
        return "{age}".format(
            cookie_age=f"Age={self.cookie_age}" if self.cookie_age else "",
        )
""",
    "src/cors/index.ts": "export const cors = (options?: Given) => {\n  const defaults = {\n    origin: '*',\n  }\n}\n",
    "src/secure/index.ts": "const DEFAULT_OPTIONS = { origin: 'none' }\n",
    "test/pool.test.ts": "const MAX_POOL_SIZE = 3\nconst opts = { idleTime: 5 }\n",
    "src/idle.ts": "export function getIdleTime(): number { return 1 }\n",
    "src/config.php": """<?php
class Config {
    public static $schema = [
        'vendor-dir' => ['is_string', 'trim'],
    ];
    public static $defaults = [
        'vendor-dir' => 'vendor',
    ];
}
""",
    "LICENSE": "set :port, portions of the software\n",
}


@pytest.fixture
async def reads(agent: AsyncConversationAgent, tmp_path: Path) -> AsyncConversationAgent:
    for name, text in FILES.items():
        path = tmp_path / "project" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    await agent.ingest(tmp_path / "project")
    return agent


@pytest.mark.anyio
async def test_what_declares_comes_first(reads: AsyncConversationAgent) -> None:
    for question, first, quoted in (
        ("where is history-limit?", "`history-limit` - src/table.c:7", ".default_num = 2000"),
        ("what is the default of history-limit?", "`history-limit` - src/table.c:7", ".default_num = 2000"),
        ("where is the default history limit set?", "`history limit` - src/table.c:7", ".default_num = 2000"),
        ("where is the default prefix key set?", "`prefix` - src/table.c:11", ".default_num = 'b'"),
        ("where is the --warmup option defined?", "`--warmup` - src/cli.rs:3", '.long("warmup")'),
        # A key that is called so is no flag.
        ("what does the --height flag do?", "`--height` - src/flags.go:9", "next()"),
        ("what is the default of --height?", "`--height` - src/flags.go:16", "Height: 8,"),
        ("where is the :port setting?", "`:port` - lib/base.rb:2", "set :port, 4567"),
        ("where is the default port set?", "`port` - lib/base.rb:2", "set :port, 4567"),
        ("what does set :port do?", "`:port` - lib/base.rb:2", "set :port, 4567"),
        # The very letters come before what is only spelled so, or stands in a test.
        ("what is the default of cookie_age?", "`cookie_age` - app/session.py:4", "= 14 * 24 * 60"),
        ("what is the default of show_errors?", "`show_errors` - lib/base.rb:3", "proc { development? }"),
        ("where is maxPoolSize?", "`maxPoolSize` - src/Pool.java:2", "private volatile int maxPoolSize;"),
        ("where is the default of maxPoolSize set?", "`maxPoolSize` - src/Pool.java:5", "maxPoolSize = -1;"),
        ("what is the default of idleTime?", "`getIdleTime` - src/idle.ts:1", "getIdleTime"),
        ("where is the default of cors origin set?", "`origin` - src/cors/index.ts:3", "origin: '*',"),
        # Of two keys of a name the one with a plain value says what it is.
        ("what does vendor-dir default to?", "`vendor-dir` - src/config.php:7", "'vendor-dir' => 'vendor',"),
        ("where is DEFAULT_OPTIONS?", "`DEFAULT_OPTIONS` - src/secure/index.ts:1", "DEFAULT_OPTIONS"),
    ):
        answer = await ask(reads, question)
        assert answer[0].startswith(f"{first} ("), question
        assert quoted in "\n".join(answer).partition("\n\n")[0], question


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("where is the --no-sort flag?", ["no-sort"]),
        ("where is -v handled?", ["v"]),
        ("where is the default of cors origin set?", ["cors origin", "origin"]),
        ("where is Bank::port?", []),
        ("how are non-ascii names handled?", []),
        ("where is the port?", []),
        ("show me src/my-file.py", []),
    ],
)
def test_what_may_be_an_option(question: str, names: list[str]) -> None:
    assert [each.name for each in options_of(read_questions(question)[0])] == names


@pytest.mark.parametrize(
    ("line", "is_declared"),
    [
        ("set :port, 80", True),
        ("enable :port", True),
        ('flags.IntVar(&port, "port", 80)', True),
        ("parser.add_argument('-p', '--port')", True),
        ('viper.SetDefault("port", 80)', True),
        ("'port' => 80,", True),
        ('name: "port",', True),
        ("opts['port'] = 80", True),
        ("send :port, 80", False),
        ("options[:port]", False),
        ('config.get("port")', False),
        ('if key == "port":', False),
        ('// set("port", 80)', False),
        ("set :port_range, 80", False),
    ],
)
def test_what_declares_and_what_only_uses(line: str, is_declared: bool) -> None:
    assert declares(literal("port"), line) is is_declared
