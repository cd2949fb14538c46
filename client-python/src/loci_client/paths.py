"""Values within paths of the API."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from .errors import LociError

#: Clients and servers drop these from a path, whatever their encoding: the request would reach what is above it.
_NOT_IN_PATHS = ("", ".", "..")


def path_value(value: Any) -> str:
    """Returns a value as it is written in a path.

    Raises:
        LociError: `invalid_path_parameter`, if it is empty, `.` or `..`: the path would be that of another operation.
    """
    text = str(value)
    if text in _NOT_IN_PATHS:
        detail = f'"{text}" cannot be part of the path of a request. Pass the id; nothing was sent.'
        raise LociError(detail, code="invalid_path_parameter")
    return quote(text, safe="")
