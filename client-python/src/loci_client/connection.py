"""Where the service is, and with which credentials."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from .errors import NotConfigured

#: Sent in headers. Their values are never part of a message.
_CREDENTIALS = {"api_key": "API key", "token": "token", "workspace_id": "workspace id"}


@dataclass(frozen=True)
class Connection:
    """Address and credentials of a Loci service."""

    base_url: str
    api_key: str | None = field(default=None, repr=False)
    #: Bearer token of a user, instead of an API key.
    token: str | None = field(default=None, repr=False)
    workspace_id: str | None = None
    #: Default collection; only a local installation has one.
    collection_id: str | None = None

    def __post_init__(self) -> None:
        for name, title in _CREDENTIALS.items():
            value = getattr(self, name)
            if value is None:
                continue
            # Files of secrets end with a line break.
            text = value.strip()
            if not (text.isascii() and text.isprintable()):
                raise _not_configured(f"The {title} has characters that no header can have: was it copied completely?")
            object.__setattr__(self, name, text)

    def headers(self) -> dict[str, str]:
        named = {
            "X-API-Key": self.api_key,
            "Authorization": None if self.token is None else f"Bearer {self.token}",
            "X-Workspace-Id": self.workspace_id,
        }
        return {name: value for name, value in named.items() if value is not None}


def find_connection(environment: Mapping[str, str] | None = None, folder: str | os.PathLike[str] | None = None) -> Connection:
    """Returns the connection of `LOCI_URL`, `LOCI_API_KEY` or `LOCI_TOKEN`, and `LOCI_WORKSPACE_ID`, otherwise that of
    `.loci/connection.json` in the folder or one of its parents, which `npm start` writes while it runs.

    Raises:
        NotConfigured: If there is neither, or the file is left over or not to be trusted.
    """
    settings = os.environ if environment is None else environment
    base_url = settings.get("LOCI_URL") or None
    token = settings.get("LOCI_TOKEN") or None
    api_key = (settings.get("LOCI_API_KEY") or None) if token is None else None
    workspace_id = settings.get("LOCI_WORKSPACE_ID") or None
    if base_url is not None:
        return Connection(parse_base_url(base_url), api_key, token, workspace_id)
    fields = _found_file(Path(folder or ".").resolve())
    if api_key is None and token is None:
        api_key = fields.get("api_key") or None
    return Connection(
        parse_base_url(str(fields.get("base_url") or "")),
        api_key,
        token,
        workspace_id,
        fields.get("collection_id") or None,
    )


def parse_base_url(text: str) -> str:
    """Returns the address without a trailing slash and `/api/v1`."""
    if "@" in urlsplit(text).netloc:
        raise _not_configured("The address of the service contains a user name or password. Use an API key or a token instead.")
    if urlsplit(text).scheme not in ("http", "https") or not urlsplit(text).hostname:
        raise _not_configured(f'"{text}" is not a valid service address. Use one such as http://127.0.0.1:8700.')
    return text.rstrip("/").removesuffix("/api/v1")


def _found_file(start: Path) -> dict[str, Any]:
    for folder in (start, *start.parents):
        path = folder / ".loci" / "connection.json"
        if path.is_file():
            return _read(path)
    raise _not_configured(
        "Loci was not found: there is no .loci/connection.json in this folder or its parents. Start Loci here with "
        "npm start, or set LOCI_URL and LOCI_API_KEY."
    )


def _read(path: Path) -> dict[str, Any]:
    try:
        fields = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise _not_configured(f"{path} cannot be read: {error}. Set LOCI_URL and LOCI_API_KEY.") from error
    if not isinstance(fields, dict):
        raise _not_configured(f"{path} is damaged: start Loci again, or set LOCI_URL and LOCI_API_KEY.")
    _require_trusted(path, str(fields.get("base_url")))
    _require_running(path, fields.get("pid"))
    return fields


def _require_trusted(path: Path, base_url: str) -> None:
    """Rejects a file that another user may have written or a repository may contain: what is uploaded, and the API key of
    the environment, would be sent to its address."""
    if not hasattr(os, "getuid"):
        return
    found = path.stat()
    if found.st_uid not in (os.getuid(), 0):
        raise _not_configured(f"{path} belongs to another user, so it is not used. Set LOCI_URL and LOCI_API_KEY.")
    if found.st_mode & 0o077 and not _is_loopback(base_url):
        raise _not_configured(
            f"{path} points to another machine and is accessible to other users, which npm start never allows, so it is "
            "not used. Set LOCI_URL and LOCI_API_KEY."
        )


def _is_loopback(base_url: str) -> bool:
    host = urlsplit(base_url).hostname or ""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def _require_running(path: Path, pid: Any) -> None:
    """The service removes the file when it stops. A file that is left over is known by its process id."""
    if not isinstance(pid, int) or os.name != "posix":
        return
    try:
        os.kill(pid, 0)
    except PermissionError:
        return
    except ProcessLookupError:
        raise _not_configured(
            f"Loci is not running: {path} is left over from a process that has ended. Start it with npm start."
        ) from None


def _not_configured(detail: str) -> NotConfigured:
    return NotConfigured(detail, code="not_configured")
