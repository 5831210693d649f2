"""The managed local server: a private Neo4j that this library fetches, starts, watches and stops.

``server.py`` is the way in. One server a home; a small supervisor process owns it and holds a lock for its life,
so "is it running" is a question to the operating system and never a guess by process id.
"""
