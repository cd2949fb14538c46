"""The exceptions of this package."""

from __future__ import annotations

from collections.abc import Callable
from email.utils import parsedate_to_datetime
from time import time
from typing import Any, TypeVar

import httpx

Result = TypeVar("Result")

#: Code of a file that cannot be read, or that changed while it was being sent.
UNREADABLE_FILE = "unreadable_file"


class LociError(Exception):
    """An error response of the service, or the reason why it could not be reached. Every error of this package is one.

    `str(error)` is for people and says what to do; programs use the class, or `code`.
    """

    def __init__(
        self,
        detail: str,
        *,
        code: str,
        status: int | None = None,
        request_id: str | None = None,
        issues: list[dict[str, Any]] | None = None,
        retry_after: float | None = None,
        body: Any = None,
    ) -> None:
        super().__init__(detail)
        self.detail = detail
        #: Code of the service, such as `not_found`; `validation_failed` for an invalid request.
        self.code = code
        #: HTTP status; None without a response.
        self.status = status
        #: Identifies the request in the logs of the service.
        self.request_id = request_id
        #: Every problem of an invalid request: `loc`, `msg` and `type`.
        self.issues = issues or []
        #: Seconds of the header `Retry-After`; None without it.
        self.retry_after = retry_after
        #: Body of the response, as JSON or as text.
        self.body = body

    def __reduce__(self) -> tuple[Any, ...]:
        # Exceptions are pickled by their positional arguments alone, and these have others: processes pass them on.
        return _restored, (type(self), self.detail), self.__dict__


def _restored(kind: type[LociError], detail: str) -> LociError:
    error = kind.__new__(kind, detail)
    error.args = (detail,)
    return error


class NotConfigured(LociError):
    """No service is given and none is found."""


class ConnectionFailed(LociError):
    """The service could not be reached, or the connection broke."""

    #: The request was never sent, so that repeating it is safe whatever it does.
    was_sent: bool = True


class InvalidRequest(LociError):
    """400, 415 or 422: `issues` lists every problem."""


class Unauthorized(LociError):
    """401: the key or token is missing, wrong, expired or revoked."""


class Forbidden(LociError):
    """403: the key or user has no permission for this."""


class NotFound(LociError):
    """404: it does not exist, or is not accessible."""


class Conflict(LociError):
    """409: it contradicts the present state."""


class PayloadTooLarge(LociError):
    """413: the body, or the number of items in it, is over a limit."""


class RateLimited(LociError):
    """429: too many requests in a minute; `retry_after` says when to try again."""


class Unavailable(LociError):
    """502, 503 or 504: the service, or what it depends on, is away."""


_BY_STATUS: dict[int, type[LociError]] = {
    400: InvalidRequest,
    401: Unauthorized,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
    413: PayloadTooLarge,
    415: InvalidRequest,
    422: InvalidRequest,
    429: RateLimited,
    502: Unavailable,
    503: Unavailable,
    504: Unavailable,
}


def error_from_response(response: httpx.Response) -> LociError:
    """Returns the exception for a response with a status of 300 or more, whose body has been read."""
    status = response.status_code
    try:
        body = response.json()
    except ValueError:
        body = response.text
    fields = body if isinstance(body, dict) else {}
    detail = fields.get("detail") or fields.get("message")
    issues = [issue for issue in detail if isinstance(issue, dict)] if isinstance(detail, list) else []
    listed = "; ".join(f"{'.'.join(map(str, issue.get('loc', [])))}: {issue.get('msg', '')}" for issue in issues)
    return _BY_STATUS.get(status, LociError)(
        detail if isinstance(detail, str) else listed or _described(response),
        code=fields.get("code") or ("validation_failed" if issues else f"http_{status}"),
        status=status,
        request_id=fields.get("request_id") or response.headers.get("X-Request-Id"),
        issues=issues,
        retry_after=_seconds(response.headers.get("Retry-After")),
        body=body,
    )


def parsed(response: httpx.Response, parse: Callable[[httpx.Response], Result]) -> Result:
    """Returns what a successful response contains.

    Raises:
        LociError: `not_the_api`, if it is something else than the API answers with.
    """
    try:
        return parse(response)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        detail = f"{response.request.url.copy_with(query=None)} answers with something else than the API: check the address."
        raise LociError(detail, code="not_the_api", status=response.status_code, body=response.text[:1000]) from error


def _described(response: httpx.Response) -> str:
    location = response.headers.get("Location")
    if response.status_code < 400 and location is not None:
        return f"The service redirects to {location}. Redirects are not followed: use that address as the base URL."
    return f"The service responded with status {response.status_code}."


def _seconds(retry_after: str | None) -> float | None:
    if not retry_after:
        return None
    try:
        return max(0.0, float(retry_after))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(retry_after).timestamp() - time())
    except ValueError:
        return None
