"""Flows of several requests, written once for both clients: a flow is a generator that yields requests and pauses."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from time import sleep
from typing import Any, TypeVar

import anyio
import anyio.to_thread
import httpx

Result = TypeVar("Result")


@dataclass
class Send:
    """A request. `opened` keeps the files that it sends open until it is answered."""

    method: str
    path: str
    arguments: dict[str, Any] = field(default_factory=dict)
    opened: ExitStack = field(default_factory=ExitStack)


@dataclass
class Fetch:
    """A GET of an address that is signed by itself. Nothing of the client goes with it: no credentials, no headers."""

    url: str


@dataclass
class Pause:
    seconds: float


@dataclass
class Tell:
    """A call of the user's own function, where the user's own code runs: for asyncio, within its loop."""

    call: Callable[[], object]


Flow = Generator[Send | Fetch | Pause | Tell, Any, Result]


def run(client: httpx.Client, flow: Flow[Result]) -> Result:
    """Runs a flow. An error of a request is raised where the flow yields it."""
    resume: Callable[[], Any] = partial(next, flow)
    while True:
        try:
            step = resume()
        except StopIteration as end:
            return end.value
        if isinstance(step, Pause):
            sleep(step.seconds)
            resume = partial(next, flow)
            continue
        try:
            if isinstance(step, Tell):
                answer = step.call()
            elif isinstance(step, Fetch):
                answer = client.send(_request(client, step))
            else:
                with step.opened:
                    answer = client.request(step.method, step.path, **step.arguments)
            resume = partial(flow.send, answer)
        except Exception as error:
            resume = partial(flow.throw, error)


def _request(client: httpx.Client | httpx.AsyncClient, fetch: Fetch) -> httpx.Request:
    return httpx.Request("GET", fetch.url, extensions={"timeout": client.timeout.as_dict()})


_END = object()


async def run_async(client: httpx.AsyncClient, flow: Flow[Result]) -> Result:
    """`run` for asyncio. What the flow does itself, such as reading folders, happens in a thread."""
    resume: Callable[[], Any] = partial(next, flow)
    while True:
        step, value = await anyio.to_thread.run_sync(_advance, resume)
        if step is _END:
            return value
        if isinstance(step, Pause):
            await anyio.sleep(step.seconds)
            resume = partial(next, flow)
            continue
        try:
            if isinstance(step, Tell):
                answer = step.call()
            elif isinstance(step, Fetch):
                answer = await client.send(_request(client, step))
            else:
                with step.opened:
                    answer = await client.request(step.method, step.path, **step.arguments)
            resume = partial(flow.send, answer)
        except Exception as error:
            resume = partial(flow.throw, error)


def _advance(resume: Callable[[], Any]) -> tuple[Any, Any]:
    # StopIteration cannot leave a thread.
    try:
        return resume(), None
    except StopIteration as end:
        return _END, end.value
