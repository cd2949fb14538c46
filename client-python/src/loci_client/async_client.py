"""The client for asyncio."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from typing import Any

import httpx
from anyio import to_thread

from . import calls
from .answers import AnswerEvent, AnswerReader, broken_off
from .calls import Id, given_fields
from .client import RETRIES, TIMEOUT, given_connection
from .connection import Connection, find_connection
from .generated.models import (
    Answer,
    Collection,
    Content,
    ContentChunk,
    Conversation,
    MemoryAnswer,
    MemoryDetail,
    MemoryRecord,
    Message,
    SearchResponse,
)
from .pages import page_flow
from .paths import path_value
from .readiness import ReadyResult, Waiting, ready_flow
from .steps import run_async
from .transport import AsyncHttpClient, AsyncRetryTransport, LoopTransport
from .upload_inputs import FileInput, folder_files
from .uploads import Upload, UploadResult, upload_flow


class AsyncLoci:
    """`Loci` for asyncio: the same methods, to be awaited. Generated operations are called with `asyncio` instead of `sync`."""

    def __init__(
        self,
        base_url: str | None = None,
        api_key: str | None = None,
        *,
        token: str | None = None,
        workspace_id: str | None = None,
        connection: Connection | None = None,
        retries: int = RETRIES,
        timeout: httpx.Timeout | float = TIMEOUT,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self.connection = connection or given_connection(base_url, api_key, token, workspace_id)
        self._http = AsyncHttpClient(
            base_url=self.connection.base_url,
            headers=self.connection.headers(),
            timeout=timeout,
            transport=AsyncRetryTransport(transport or LoopTransport(), retries),
        )

    @classmethod
    def from_env(
        cls,
        environment: Mapping[str, str] | None = None,
        *,
        folder: str | os.PathLike[str] | None = None,
        **options: Any,
    ) -> AsyncLoci:
        """Returns a client for `LOCI_URL`, `LOCI_API_KEY` or `LOCI_TOKEN`, and `LOCI_WORKSPACE_ID`, otherwise for
        `.loci/connection.json` in the folder or one of its parents, which `npm start` writes while it runs.

        Raises:
            NotConfigured: If there is neither.
        """
        return cls(connection=find_connection(environment, folder), **options)

    def get_async_httpx_client(self) -> httpx.AsyncClient:
        """The client of httpx that sends everything, with credentials and retries. Generated operations use it."""
        return self._http

    async def aclose(self) -> None:
        await self._http.aclose()

    async def __aenter__(self) -> AsyncLoci:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def create_collection(self, name: str, **fields: Any) -> Collection:
        return await run_async(self._http, calls.create_collection(name, fields))

    async def upload(
        self,
        collection_id: Id,
        *,
        files: Iterable[FileInput | str | os.PathLike[str]] = (),
        texts: Iterable[str] = (),
        urls: Iterable[str] = (),
        metadata: dict[str, Any] | None = None,
        skip_present: bool = False,
        **options: Any,
    ) -> UploadResult:
        """Uploads everything in as many requests as necessary. What is rejected is in `failures`; the others continue.

        Args:
            files: Paths, which are streamed, or `FileInput` with bytes, another name or an id of yours.
            skip_present: Does not send files whose external id, name and bytes the collection already has.
            options: Further fields of `POST /upload`, such as `description`, `reader`, `ingest`, `on_duplicate` and `crawl`.

        Raises:
            LociError: If the upload cannot continue: the service is away, or refuses the collection, the key or the form.
        """
        what = Upload(str(collection_id), files, texts, urls, metadata, skip_present, options=options)
        return await run_async(self._http, upload_flow(what))

    async def upload_folder(
        self,
        collection_id: Id,
        folder: str | os.PathLike[str],
        *,
        hidden: bool = False,
        metadata: dict[str, Any] | None = None,
        skip_present: bool = True,
        **options: Any,
    ) -> UploadResult:
        """Uploads a folder with all its subfolders. A file is named by its path, beginning with the folder's own name, and
        replaces its earlier version; unchanged files are not sent again. Symbolic links to folders are not followed.
        """
        replaces = options.get("on_duplicate") != "keep"
        files, repeated = await to_thread.run_sync(lambda: folder_files(folder, hidden=hidden, replaces=replaces))
        result = await self.upload(collection_id, files=files, metadata=metadata, skip_present=skip_present, **options)
        result.failures[:0] = repeated
        return result

    async def wait_until_ready(
        self,
        upload: UploadResult | None = None,
        *,
        upload_ids: Iterable[Id] = (),
        content_ids: Iterable[Id] = (),
        timeout: float | None = None,
        on_progress: Callable[[ReadyResult], None] | None = None,
    ) -> ReadyResult:
        """Waits until uploads or contents have no more work to do, with those that the upload found present. Contents that failed
        are in `failed`, with the reason. `on_progress` is called within the event loop.

        Raises:
            TimeoutError: If they have after `timeout` seconds. Their ingestion continues.
            LociError: If the service is away, or an upload or content does not exist.
        """
        waiting = Waiting.of(upload, upload_ids, content_ids)
        waiting.timeout, waiting.on_progress = timeout, on_progress
        return await run_async(self._http, ready_flow(waiting))

    async def search(self, query: str, collection_id: Id | None = None, **options: Any) -> SearchResponse:
        """Searches a collection, or those of `collection_ids`. Options are the fields of `POST /collections/search`:
        `search_type`, `filters`, `max_results`, `rerank`, `min_score`, `highlight` …
        """
        return await run_async(self._http, calls.search(query, {"collection_id": collection_id, **options}))

    async def answer(self, query: str, **options: Any) -> Answer:
        """Answers a question with citations. Options are the fields of `POST /answers`: `collection_ids`, `filters` …"""
        return await run_async(self._http, calls.answer(query, options))

    async def stream_answer(self, query: str, **options: Any) -> AsyncIterator[AnswerEvent]:
        """Yields the events of an answer as it is written. Ending the iteration ends the work of the service."""
        reader = AnswerReader()
        body = given_fields({"query": query, **options, "stream": True})
        try:
            async with self._http.stream("POST", "/api/v1/answers", json=body) as response:
                async for piece in response.aiter_bytes():
                    for event in reader.read(piece):
                        yield event
        except httpx.RequestError as error:
            raise broken_off() from error
        reader.require_done()

    async def add_memory(self, memory: str, *, user_id: str | None = None, **options: Any) -> MemoryAnswer:
        return await run_async(self._http, calls.add_memory(memory, {"user_id": user_id, **options}))

    async def search_memories(self, query: str, *, user_id: str | None = None, **options: Any) -> list[MemoryRecord]:
        return await run_async(self._http, calls.search_memories(query, {"user_id": user_id, **options}))

    async def download(self, content_id: Id) -> bytes:
        """Returns the original file of a content, byte for byte."""
        return await run_async(self._http, calls.original_file(content_id))

    async def paginate(self, path: str, **query: Any) -> AsyncIterator[dict[str, Any]]:
        """Yields every entry of the list at a path, such as `/api/v1/webhooks`, as JSON. Loads pages when needed."""
        rest: dict[str, Any] | None = given_fields(query)
        while rest is not None:
            rows, rest = await run_async(self._http, page_flow(path, rest))
            for row in rows:
                yield row

    def collections(self, **query: Any) -> AsyncIterator[Collection]:
        return (Collection.from_dict(row) async for row in self.paginate("/api/v1/collections", **query))

    def contents(self, **query: Any) -> AsyncIterator[Content]:
        return (Content.from_dict(row) async for row in self.paginate("/api/v1/contents", **query))

    def chunks(self, content_id: Id, collection_id: Id, **query: Any) -> AsyncIterator[ContentChunk]:
        path = f"/api/v1/contents/{path_value(content_id)}/chunks"
        query = {"limit": 1000, **query, "collection_id": collection_id}
        return (ContentChunk.from_dict(row) async for row in self.paginate(path, **query))

    def conversations(self, **query: Any) -> AsyncIterator[Conversation]:
        return (Conversation.from_dict(row) async for row in self.paginate("/api/v1/conversations", **query))

    def messages(self, conversation_id: Id, **query: Any) -> AsyncIterator[Message]:
        path = f"/api/v1/conversations/{path_value(conversation_id)}/messages"
        return (Message.from_dict(row) async for row in self.paginate(path, **query))

    def memories(self, **query: Any) -> AsyncIterator[MemoryDetail]:
        return (MemoryDetail.from_dict(row) async for row in self.paginate("/api/v1/memories", **query))
