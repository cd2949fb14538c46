"""Transports of httpx that retry, and raise the exceptions of this package."""

from __future__ import annotations

import asyncio
from typing import Any
from uuid import uuid4

import h11
import httpx
from tenacity import (
    AsyncRetrying,
    RetryCallState,
    Retrying,
    retry_if_exception,
    stop_after_attempt,
    wait_exponential_jitter,
)

from .errors import (
    UNREADABLE_FILE,
    Conflict,
    ConnectionFailed,
    LociError,
    RateLimited,
    Unavailable,
    error_from_response,
)

_KEY = "Idempotency-Key"
#: Methods that are repeated. Every POST and PUT has an `Idempotency-Key`, with which it takes effect only once.
_REPEATABLE = {"GET", "HEAD", "OPTIONS", "PUT", "POST"}
#: With a longer `Retry-After`, the request is not retried.
_MAX_RETRY_AFTER_S = 120
#: httpcore does not translate that of h11 for bodies.
_UNSENDABLE = (httpx.LocalProtocolError, h11.LocalProtocolError)
#: Extension of a request whose answer is read before it is returned.
_WHOLE = "loci_client.whole"
#: The only operation of the API that answers with a page; users open it in browsers.
_PAGE_PATH = "/api/v1/oauth/callback"
_backoff = wait_exponential_jitter(initial=0.3, max=10, jitter=0.3)


class HttpClient(httpx.Client):
    """Tells its transport which answers nobody reads piece by piece."""

    def send(self, request: httpx.Request, *, stream: bool = False, **options: Any) -> httpx.Response:
        request.extensions[_WHOLE] = not stream
        return super().send(request, stream=stream, **options)


class AsyncHttpClient(httpx.AsyncClient):
    """`HttpClient` for asyncio."""

    async def send(self, request: httpx.Request, *, stream: bool = False, **options: Any) -> httpx.Response:
        request.extensions[_WHOLE] = not stream
        return await super().send(request, stream=stream, **options)


class RetryTransport(httpx.BaseTransport):
    """Retries repeatable requests while the service is unavailable or busy. A POST takes effect only once, by its key."""

    def __init__(self, inner: httpx.BaseTransport, retries: int) -> None:
        self._inner, self._retries = inner, retries

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        _name(request)
        for attempt in Retrying(**_policy(request, self._retries)):
            with attempt:
                return self._attempt(request)
        raise AssertionError("tenacity returns or raises")

    def _attempt(self, request: httpx.Request) -> httpx.Response:
        try:
            response = self._inner.handle_request(request)
            if _is_read_whole(request, response):
                response.read()
                response.close()
        except _UNSENDABLE as error:
            raise unsendable(error) from error
        except httpx.RequestError as error:
            raise connection_failed(request, error) from error
        return _checked(request, response)

    def close(self) -> None:
        self._inner.close()


class AsyncRetryTransport(httpx.AsyncBaseTransport):
    """`RetryTransport` for asyncio."""

    def __init__(self, inner: httpx.AsyncBaseTransport, retries: int) -> None:
        self._inner, self._retries = inner, retries

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        _name(request)
        async for attempt in AsyncRetrying(**_policy(request, self._retries)):
            with attempt:
                return await self._attempt(request)
        raise AssertionError("tenacity returns or raises")

    async def _attempt(self, request: httpx.Request) -> httpx.Response:
        try:
            response = await self._inner.handle_async_request(request)
            if _is_read_whole(request, response):
                await response.aread()
                await response.aclose()
        except _UNSENDABLE as error:
            raise unsendable(error) from error
        except httpx.RequestError as error:
            raise connection_failed(request, error) from error
        return _checked(request, response)

    async def aclose(self) -> None:
        await self._inner.aclose()


class LoopTransport(httpx.AsyncBaseTransport):
    """The connections of each event loop: those of a loop that has ended cannot be used in the next one."""

    def __init__(self) -> None:
        self._by_loop: dict[asyncio.AbstractEventLoop, httpx.AsyncHTTPTransport] = {}
        #: Of Trio, whose runs end with all that they opened only when a client is closed.
        self._other: httpx.AsyncHTTPTransport | None = None

    def _current(self) -> httpx.AsyncHTTPTransport:
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            self._other = self._other or httpx.AsyncHTTPTransport()
            return self._other
        if loop not in self._by_loop:
            # An idle connection refers to its loop, so that these entries do not disappear by themselves.
            for ended in [known for known in self._by_loop if known.is_closed()]:
                del self._by_loop[ended]
            self._by_loop[loop] = httpx.AsyncHTTPTransport()
        return self._by_loop[loop]

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        return await self._current().handle_async_request(request)

    async def aclose(self) -> None:
        await self._current().aclose()


def connection_failed(request: httpx.Request, error: httpx.RequestError) -> ConnectionFailed:
    """Returns the exception for a request without a response, or with half of one."""
    host = f"{request.url.scheme}://{request.url.netloc.decode()}"
    reason = str(error) or type(error).__name__
    failed = ConnectionFailed(f"Cannot reach {host}: {reason}.", code="unreachable")
    failed.was_sent = not isinstance(error, (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout))
    return failed


def unsendable(error: Exception) -> LociError:
    """Returns the exception for a request that cannot be sent as it is. What h11 says about headers contains their values."""
    if "Content-Length" in str(error):
        return LociError(f"A file changed while it was being sent: {error}.", code=UNREADABLE_FILE)
    return LociError("The request cannot be sent: a header has characters that no header can have.", code="invalid_header")


def _name(request: httpx.Request) -> None:
    # A repeated change could overwrite what others have changed in between.
    if request.method in ("POST", "PUT"):
        request.headers.setdefault(_KEY, str(uuid4()))


def _is_read_whole(request: httpx.Request, response: httpx.Response) -> bool:
    """What is read at once can be requested again when the connection breaks within it."""
    if response.status_code >= 300 or request.extensions.get(_WHOLE, False):
        return True
    return response.headers.get("Content-Type", "").startswith("application/json") or _is_page(request, response)


def _is_page(request: httpx.Request, response: httpx.Response) -> bool:
    """A file of this type has the name under which it is to be saved."""
    is_html = response.headers.get("Content-Type", "").lower().startswith("text/html")
    return is_html and "Content-Disposition" not in response.headers and not request.url.path.endswith(_PAGE_PATH)


def _checked(request: httpx.Request, response: httpx.Response) -> httpx.Response:
    # A download may be answered with the URL of the bucket.
    if response.status_code >= 300 and response.status_code != 303:
        raise error_from_response(response)
    if response.status_code < 300 and _is_page(request, response):
        detail = "answers with a web page, not with the API: check the address, and whether a proxy asks to sign in."
        raise LociError(f"{_address(request)} {detail}", code="not_the_api", status=response.status_code)
    return response


def _address(request: httpx.Request) -> str:
    path, _, _ = request.url.path.partition("/api/v1/")
    return f"{request.url.scheme}://{request.url.netloc.decode()}{path}"


def _policy(request: httpx.Request, retries: int) -> dict:
    return {
        "stop": stop_after_attempt(retries + 1),
        "retry": retry_if_exception(lambda error: _is_retried(request, error)),
        "wait": _wait,
        "reraise": True,
    }


def _is_retried(request: httpx.Request, error: BaseException) -> bool:
    if not isinstance(error, LociError) or (error.retry_after or 0) > _MAX_RETRY_AFTER_S:
        return False
    # These were refused before they had any effect.
    if isinstance(error, RateLimited) or (isinstance(error, ConnectionFailed) and not error.was_sent):
        return True
    if request.method not in _REPEATABLE and _KEY not in request.headers:
        return False
    is_running = isinstance(error, Conflict) and error.code == "idempotency_conflict"
    return is_running or error.status == 408 or isinstance(error, (ConnectionFailed, Unavailable))


def _wait(state: RetryCallState) -> float:
    error = state.outcome.exception() if state.outcome is not None else None
    requested = error.retry_after if isinstance(error, LociError) else None
    return max(_backoff(state), requested or 0)
