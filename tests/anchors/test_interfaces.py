"""What was asked for by an interface and is a struct of its name now."""

from __future__ import annotations

import pytest

from tests.anchors.conftest import Repository, Run, Talk

BODIES = """
func (l *%(type)s) Warn(text string, fields ...Field) {
	entry := l.core.Check(WarnLevel, text)
	for _, field := range fields {
		entry.Add(field)
	}
	entry.Write()
}

func (l *%(type)s) Close() error {
	return l.core.Close()
}
"""
BEFORE = """
package log

type Logger interface {
	Warn(text string, fields ...Field)
	Close() error
}

type logger struct {
	core Core
}
"""
AFTER = """
package log

type Logger struct {
	core Core
}
"""


@pytest.mark.anyio
async def test_what_a_struct_did_for_an_interface_is_in_the_struct_of_the_interfaces_name(
    repository: Repository, run: Run, talk: Talk
) -> None:
    repository.write("log.go", BEFORE + BODIES % {"type": "logger"})
    repository.commit()
    await run()
    await talk.say("logger.Warn", "logger.Close", "Logger.Close")
    repository.write("log.go", AFTER + BODIES % {"type": "Logger"})
    await run()

    found = await talk.labels()

    assert {name: (each.status, each.moved_to_name) for name, each in found.items()} == {
        "logger.Warn": ("moved", "Logger.Warn"),
        "logger.Close": ("moved", "Logger.Close"),
        "Logger.Close": ("drifted", None),
    }
