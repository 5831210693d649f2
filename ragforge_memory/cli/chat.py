"""`ragforge chat`: a conversation at the terminal."""

from __future__ import annotations

import typer

from ragforge_memory.cli.options import (
    ContinueOption,
    ModelOption,
    NoIngestOption,
    NoMemoryOption,
    ResumeOption,
    Settings,
    check_conversation,
)


async def chat(
    settings: Settings,
    continue_: ContinueOption = False,
    resume: ResumeOption = None,
    model: ModelOption = None,
    no_memory: NoMemoryOption = False,
    no_ingest: NoIngestOption = False,
) -> None:
    """Talk about the project's code.

    What is said stays in the graph; the command that resumes the conversation is printed on leaving.
    """
    check_conversation(continue_, resume, no_memory)

    from ragforge_memory.cli.commands import COMMANDS, run_command
    from ragforge_memory.cli.session import Opening, open_session
    from ragforge_memory.cli.talk import Talk

    opening = Opening(settings=settings, model=model, memory=not no_memory, ingest=not no_ingest)
    async with open_session(opening) as session:
        talk = Talk(session, await session.conversation(continue_=continue_, resume=resume))
        try:
            await talk.run(run_command, {name: command.help for name, command in COMMANDS.items()})
        finally:
            talk.say_how_to_resume()
        if talk.failed is not None:
            raise typer.Exit(talk.failed.exit_code)
