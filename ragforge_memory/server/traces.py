"""Sends the spans of turns to a collector, where the environment names one."""

from __future__ import annotations

import os

from ragforge_memory.errors import ConfigError

_ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")


def send_traces() -> bool:
    """Sets OpenTelemetry up by its own environment variables; returns whether there is a collector.

    Raises:
        ConfigError: a collector is named, and the extra is not installed.
    """
    named = next((name for name in _ENDPOINTS if os.environ.get(name)), None)
    if named is None:
        return False
    try:
        from opentelemetry import trace
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import SERVICE_NAME, Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError as error:
        raise ConfigError(
            f"{named} names a collector, and {error.name} is not installed",
            hint='pip install "ragforge-memory[otel]", or unset it',
        ) from error
    name = os.environ.get("OTEL_SERVICE_NAME", "ragforge")
    provider = TracerProvider(resource=Resource.create({SERVICE_NAME: name}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)
    return True
