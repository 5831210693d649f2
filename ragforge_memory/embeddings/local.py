"""The local embedder: small int8 models on onnxruntime, one thread a process and model, no network after the download.

The models are the e5-small-v2, all-MiniLM-L6-v2 and bge-small-en-v1.5 of LangChain4j's Maven artifacts (Apache-2.0,
384 dimensions); how each is pooled and prefixed follows its model card. English mostly.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import os
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ragforge_memory.config.known_models import embedding_model_name
from ragforge_memory.embeddings.calibration import UNRELATED_COSINE
from ragforge_memory.embeddings.engine import EXIT_SECONDS, PASSAGES, QUESTION, EmbeddingThread
from ragforge_memory.embeddings.port import Vector
from ragforge_memory.errors import EmbeddingError, InvalidInput, RagforgeError
from ragforge_memory.home import cache_home

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

    from ragforge_memory.downloads.progress import Reporter

INSTALL_COMMAND = "pip install 'ragforge-memory[local]'"

DIMENSION = 384
MAX_TOKENS = 512
MAX_QUERY_TOKENS = 64
# A token is rarely under 4 characters of English or code: what lies beyond can hardly be inside the window.
MAX_CHARACTERS = 16 * MAX_TOKENS
MAX_THREADS = 8


@dataclass(frozen=True, slots=True)
class LocalModel:
    """How a model is used: the text before a question and before a passage, and how its tokens are pooled."""

    query_prefix: str = ""
    passage_prefix: str = ""
    pooling: Literal["mean", "first"] = "mean"


LOCAL_MODELS: dict[str, LocalModel] = {
    "e5-small-v2": LocalModel("query: ", "passage: "),
    "all-minilm-l6-v2": LocalModel(),
    "bge-small-en-v1.5": LocalModel("Represent this sentence for searching relevant passages: ", pooling="first"),
}


def is_installed() -> bool:
    """Whether the ``local`` extra is here; nothing is imported to find out."""
    return all(importlib.util.find_spec(name) is not None for name in ("onnxruntime", "tokenizers"))


def is_fetched(model: str, home: Path | None = None) -> bool:
    """Whether a model's files are on this machine already."""
    folder = cache_home(home) / "models" / embedding_model_name(model)
    return (folder / "model.onnx").is_file() and (folder / "tokenizer.json").is_file()


class LocalEmbedder:
    """Embeds on this machine. Embedders of the same model in one process share its thread and its memory.

    Args:
        model: ``e5-small-v2``, ``all-minilm-l6-v2`` or ``bge-small-en-v1.5``.
        home: instead of ``RAGFORGE_HOME``, for the model's files.
        progress: told of the download, the first time.

    Raises:
        InvalidInput: there is no such model.
    """

    def __init__(
        self, model: str = "e5-small-v2", *, home: Path | None = None, progress: Reporter | None = None
    ) -> None:
        name = embedding_model_name(model)
        if name not in LOCAL_MODELS:
            raise InvalidInput(
                f"there is no local embedding model {model!r}", hint=f"known are {', '.join(LOCAL_MODELS)}"
            )
        self._model = name
        self._home = home
        self._progress = progress
        self._thread: EmbeddingThread | None = None
        self._closed = False

    provider = "local"
    dimension = DIMENSION

    @property
    def model(self) -> str:
        return self._model

    @property
    def unrelated_cosine(self) -> float:
        return UNRELATED_COSINE[self._model]

    def warm(self) -> None:
        """Starts to load the model in the background (0.4 s; the first time it is fetched, 25 MB)."""
        self._engine().warm()

    async def embed_query(self, text: str) -> Vector:
        (vector,) = await asyncio.wrap_future(self._engine().submit(QUESTION, [text]))
        return vector

    async def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        if not texts:
            return []
        return await asyncio.wrap_future(self._engine().submit(PASSAGES, list(texts)))

    async def aclose(self) -> None:
        """Gives the thread back; the last embedder of a model waits until it has ended, but not for a download."""
        if self._closed:
            return
        self._closed = True
        thread, self._thread = self._thread, None
        if thread is not None and _give_back(thread):
            with contextlib.suppress(TimeoutError):
                patience = None if thread.loaded else EXIT_SECONDS
                await asyncio.wait_for(asyncio.wrap_future(thread.ended), patience)
                thread.join(1)  # its last steps, a few microseconds

    def _engine(self) -> EmbeddingThread:
        if self._closed:
            raise EmbeddingError("the embedder is closed")
        if self._thread is None:
            self._thread = _shared(self._model, self._home, self._progress)
        return self._thread


@dataclass(slots=True)
class _Shared:
    thread: EmbeddingThread
    users: int = 0


_threads: dict[tuple[int, str, Path | None], _Shared] = {}
_threads_lock = threading.Lock()


def _shared(model: str, home: Path | None, progress: Reporter | None) -> EmbeddingThread:
    key = (os.getpid(), model, home)
    with _threads_lock:
        found = _threads.get(key)
        if found is None:
            left = threading.Event()
            thread = EmbeddingThread(
                lambda: _load(model, home, progress, left), name=f"ragforge-embed-{model}", left=left
            )
            found = _threads[key] = _Shared(thread)
        found.users += 1
        return found.thread


def _give_back(thread: EmbeddingThread) -> bool:
    """One user less; True where that was the last one and the thread now ends."""
    with _threads_lock:
        for key, shared in _threads.items():
            if shared.thread is thread:
                shared.users -= 1
                if shared.users:
                    return False
                del _threads[key]
                break
    thread.stop()
    return True


def _load(model: str, home: Path | None, progress: Reporter | None, left: threading.Event) -> OnnxEncoder:
    if not is_installed():
        raise EmbeddingError(
            "the local embedding model needs onnxruntime and tokenizers", hint=f"run: {INSTALL_COMMAND}"
        )
    from ragforge_memory.downloads.models import fetch_model

    try:
        folder = fetch_model(model, home=home, progress=progress, left=left)
    except RagforgeError as error:
        raise EmbeddingError(
            f"the embedding model {model} could not be fetched: {error.message}", hint=error.hint
        ) from error
    return OnnxEncoder(LOCAL_MODELS[model], folder)


class OnnxEncoder:
    """A loaded model: ``model.onnx`` and ``tokenizer.json`` of a folder. Used by one thread."""

    def __init__(self, model: LocalModel, folder: Path) -> None:
        import onnxruntime
        from tokenizers import Tokenizer

        options = onnxruntime.SessionOptions()
        # Given, so that onnxruntime does not pin its threads to cores, which a container may forbid.
        options.intra_op_num_threads = min(_usable_cores(), MAX_THREADS)
        options.inter_op_num_threads = 1
        # Threads that spin while they wait would take the cores from the event loop and the server.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        options.log_severity_level = 3
        self._model = model
        self._session: InferenceSession = onnxruntime.InferenceSession(
            str(folder / "model.onnx"), options, providers=["CPUExecutionProvider"]
        )
        self._inputs = {entry.name for entry in self._session.get_inputs()}
        self._tokenizer: Tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(MAX_TOKENS)

    def question(self, text: str) -> Vector:
        tokens = self._tokens(self._model.query_prefix, text)
        if len(tokens) > MAX_QUERY_TOKENS:
            tokens = [*tokens[: MAX_QUERY_TOKENS - 1], tokens[-1]]  # the last one ends the text
        return self._vector(tokens)

    def passage(self, text: str) -> Vector:
        return self._vector(self._tokens(self._model.passage_prefix, text))

    def _tokens(self, prefix: str, text: str) -> list[int]:
        # One at a time: the tokenizer's own parallelism warns after a fork, and these are microseconds.
        ids: list[int] = self._tokenizer.encode(prefix + text[:MAX_CHARACTERS]).ids
        return ids

    def _vector(self, tokens: list[int]) -> Vector:
        """The unit vector of one text, alone in its call.

        The model scales what it rounds to int8 by the largest number of the whole call, padding included: in company a
        text would have another vector than alone (cosine 0.99 to 0.998).
        """
        import numpy as np

        ids = np.array([tokens], dtype=np.int64)
        feed = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        ((hidden,),) = self._session.run(None, {name: feed[name] for name in self._inputs})
        pooled = hidden[0] if self._model.pooling == "first" else hidden.mean(axis=0)
        vector: Vector = (pooled / max(np.linalg.norm(pooled), 1e-12)).astype(float).tolist()
        return vector


def _usable_cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
