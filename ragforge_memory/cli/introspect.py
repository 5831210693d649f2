"""`ragforge introspect`: what the graph is made of, whoever made it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ragforge_memory.cli.options import JsonOption, Settings
from ragforge_memory.cli.output import as_json, print_json
from ragforge_memory.cli.shown import echo
from ragforge_memory.cli.terminal import Terminal, note

if TYPE_CHECKING:
    from ragforge_memory.models.graph_schema import GraphSchema


async def introspect(
    settings: Settings,
    out: Annotated[Path | None, typer.Option("--out", metavar="FILE", help="Write it as JSON.", dir_okay=False)] = None,
    write: Annotated[
        bool, typer.Option("--write", help="Write the labels as entities into ragforge.config.yaml.")
    ] = False,
    label: Annotated[
        list[str] | None, typer.Option("--label", metavar="LABEL", help="Only these for --write, with theirs.")
    ] = None,
    all_: Annotated[bool, typer.Option("--all", help="Show the labels of ragforge's own memory too.")] = False,
    json: JsonOption = False,
) -> None:
    """Look at the Neo4j that the configuration names: labels, properties, relationships, indexes, counts.

    Any graph, not ragforge's alone. Of each label the first 1,000 nodes are looked at; nothing is written to the graph.
    """
    from ragforge_memory.cli.preparation import shown_preparation
    from ragforge_memory.cli.session import locate
    from ragforge_memory.graph.connect import connect_as_is
    from ragforge_memory.graph.introspection import introspect as looked_over
    from ragforge_memory.scaffold.configuration import add_entities
    from ragforge_memory.scaffold.entities import entities_of
    from ragforge_memory.scaffold.merging import write_new

    place = locate(settings)
    with shown_preparation(Terminal.of_this_process()) as progress:
        client = await connect_as_is(place.loaded.config.neo4j, progress=progress)
    try:
        schema = await looked_over(client)
    finally:
        await client.aclose()
    if out is not None:
        file = out.absolute()
        write_new(file.parent, {file.name: as_json(schema, indent=2) + "\n"})
    if write:
        file, names = add_entities(place.loaded, entities_of(schema, labels=tuple(label or ())))
        note(f"{file}: {', '.join(names) or 'unchanged, for the graph has no labels of yours'}")
    if json:
        print_json(schema)
    elif out is None and not write:
        _print(schema, of_memory=all_)


def _print(schema: GraphSchema, *, of_memory: bool) -> None:
    labels = [each for each in schema.labels if of_memory or not each.is_memory]
    left = len(schema.labels) - len(labels)
    for each in labels:
        key = f", key {each.key}" if each.key else ""
        echo(f"{each.label}  {each.nodes:,} nodes{key}")
        for it in each.properties:
            some = "" if it.nodes == each.looked_at else f"  (of {it.nodes:,} of {each.looked_at:,})"
            echo(f"  {it.name}: {it.type}{some}")
        for relation in schema.relationships:
            if relation.from_label == each.label:
                echo(f"  -[{relation.type}]-> {relation.to_label}")
    names = {each.label for each in labels}
    for index in schema.indexes:
        if names & set(index.labels) and index.type not in ("lookup",):
            unique = "unique " if index.unique else ""
            echo(
                f"{unique}{index.type} index {index.name} on {', '.join(index.properties)} of {', '.join(index.labels)}"
            )
    if not labels:
        note("there is nothing in this graph yet" + (f" but ragforge's own memory ({left} labels)" if left else ""))
    elif left:
        note(f"{left} labels of ragforge's own memory are left out; --all shows them")
