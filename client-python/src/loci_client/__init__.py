"""Client of Loci, the self-hosted knowledge, memory and conversation service."""

from .answers import AnswerEvent
from .async_client import AsyncLoci
from .client import Loci
from .connection import Connection, find_connection
from .errors import (
    Conflict,
    ConnectionFailed,
    Forbidden,
    InvalidRequest,
    LociError,
    NotConfigured,
    NotFound,
    PayloadTooLarge,
    RateLimited,
    Unauthorized,
    Unavailable,
)
from .readiness import ReadyResult, UnreadyContent
from .upload_inputs import FileInput, UploadFailure
from .uploads import UploadResult

__all__ = [
    "AnswerEvent",
    "AsyncLoci",
    "Conflict",
    "Connection",
    "ConnectionFailed",
    "FileInput",
    "Forbidden",
    "InvalidRequest",
    "Loci",
    "LociError",
    "NotConfigured",
    "NotFound",
    "PayloadTooLarge",
    "RateLimited",
    "ReadyResult",
    "Unauthorized",
    "Unavailable",
    "UnreadyContent",
    "UploadFailure",
    "UploadResult",
    "find_connection",
]
