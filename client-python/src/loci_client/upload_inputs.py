"""What an upload sends: files of folders, files by path, bytes in memory, texts and URLs."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Literal, Protocol
from unicodedata import normalize

Source = Literal["file", "text", "url"]
_MAX_ID_CHARACTERS = 255
_MAX_NAME_CHARACTERS = 1024


@dataclass(frozen=True)
class FileInput:
    """A file on disk (`path`) or in memory (`data`)."""

    path: str | os.PathLike[str] | None = None
    data: bytes | None = None
    #: Name of the content; by default that of the file. It may be a path, such as `guides/start.md`.
    name: str | None = None
    #: Id of yours: a content of the collection that has it is replaced.
    external_id: str | None = None


@dataclass(frozen=True)
class UploadInput:
    """One item of an upload."""

    source: Source
    name: str
    size: int
    text: str = ""
    path: Path | None = None
    data: bytes | None = None
    external_id: str | None = None

    def open(self) -> BinaryIO | bytes:
        return (self.data or b"") if self.path is None else self.path.open("rb")

    def own_fields(self) -> dict[str, str]:
        """What the form says of this item alone: its id, and its name if that is a path."""
        fields = {} if self.external_id is None else {"external_id": self.external_id}
        return fields | ({"name": self.name} if self.source == "file" and self.name != self.plain_name else {})

    @property
    def plain_name(self) -> str:
        return self.name.replace("\\", "/").rsplit("/", 1)[-1]

    def sha256(self) -> str:
        if self.path is None:
            return hashlib.sha256(self.data or b"").hexdigest()
        with self.path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()


@dataclass(frozen=True)
class UploadFailure:
    """An item that could not be read or was rejected."""

    name: str
    code: str
    message: str


def file_input(given: FileInput | str | os.PathLike[str]) -> UploadInput:
    """Raises OSError if the file cannot be read, or has a name that no request can contain."""
    file = given if isinstance(given, FileInput) else FileInput(path=given)
    _require_utf8(file.name or (Path(file.path).name if file.path is not None else ""))
    if file.path is None:
        data = file.data or b""
        return UploadInput("file", normalize("NFC", file.name or "file"), len(data), data=data, external_id=file.external_id)
    path = Path(file.path)
    found = path.stat()
    if not (path.is_file() or path.is_dir()):
        raise OSError("it is no regular file")
    # A folder fails, too: with the reason why it could not be listed, if there is one.
    path.open("rb").close()
    return UploadInput("file", normalize("NFC", file.name or path.name), found.st_size, path=path, external_id=file.external_id)


def _require_utf8(name: str) -> None:
    """Rejects names of files whose bytes are no UTF-8. Python keeps such bytes as surrogates, which nothing can encode."""
    if printable(name) != name:
        raise OSError("its name is not UTF-8")


def printable(name: str) -> str:
    """Returns a name with escapes for what is no UTF-8 in it."""
    return name.encode(errors="backslashreplace").decode()


def text_input(text: str) -> UploadInput:
    return UploadInput("text", "text", len(text.encode()), text=text)


def url_input(url: str) -> UploadInput:
    return UploadInput("url", url, len(url), text=url)


def folder_files(
    folder: str | os.PathLike[str], *, hidden: bool = False, replaces: bool = True
) -> tuple[list[FileInput], list[UploadFailure]]:
    """Returns all files of a folder, named by their paths, beginning with the folder's own name (`docs/guides/start.md`).

    Each has the id `path:docs/guides/start.md`, so that it replaces its earlier version, unless `replaces` is false. The
    command `loci upload` names them alike. Of several with the same path, one is taken, and the others are failures.
    """
    root = Path(folder)
    if not root.is_dir():
        raise NotADirectoryError(f"{root} is not a folder.")
    # The name that was given, also of a link.
    own = os.path.basename(os.path.abspath(root))
    files: dict[str, FileInput] = {}
    repeated: list[UploadFailure] = []
    for path in _walk(root, hidden):
        content_path = normalize("NFC", "/".join(filter(None, (own, *path.relative_to(root).parts))))
        if content_path in files:
            message = f"Another file of this upload has the path {content_path}, too. Upload one of them by itself."
            repeated.append(UploadFailure(printable(str(path)), "repeated_path", message))
        else:
            own_id = _external_id(content_path) if replaces else None
            files[content_path] = FileInput(path=path, name=_name_of(content_path), external_id=own_id)
    return list(files.values()), repeated


def _name_of(content_path: str) -> str:
    """Returns the name of the content with this path; of a path that is too long, its end."""
    units = _utf16(content_path)
    if len(units) <= 2 * _MAX_NAME_CHARACTERS:
        return content_path
    end = units[-2 * (_MAX_NAME_CHARACTERS - 1) :].decode("utf-16-le", "surrogatepass")
    # Half of a character cannot be sent.
    return "…" + ("\ufffd" + end[1:] if "\udc00" <= end[0] <= "\udfff" else end)


def _external_id(content_path: str) -> str:
    """A path that is too long for an id goes in hashed."""
    own = f"path:{content_path}"
    if len(_utf16(own)) <= 2 * _MAX_ID_CHARACTERS:
        return own
    return f"path:sha256:{hashlib.sha256(content_path.encode(errors='surrogatepass')).hexdigest()}"


def _utf16(text: str) -> bytes:
    """The service counts UTF-16 code units. Names that are no UTF-8 are reported by the upload."""
    return text.encode("utf-16-le", "surrogatepass")


def _walk(root: Path, hidden: bool) -> Iterator[Path]:
    """Links to files are followed; links to folders are not, because they could form cycles."""
    unreadable: list[Path] = []
    for folder, folders, files in os.walk(root, onerror=lambda error: unreadable.append(Path(error.filename))):
        folders[:] = sorted(name for name in folders if hidden or not name.startswith("."))
        for path in (Path(folder, name) for name in sorted(files) if hidden or not name.startswith(".")):
            # A broken link is reported by the upload; pipes and sockets are no files.
            if path.is_symlink() or path.is_file():
                yield path
    # Reported by the upload as well.
    yield from unreadable


class Limits(Protocol):
    """Of one request. They are reduced while batches are made, if the service takes less."""

    max_items: int
    max_bytes: int


def batches(inputs: Iterable[UploadInput], limits: Limits) -> Iterator[list[UploadInput]]:
    """Groups inputs in their order. One that is over the size limit is sent alone."""
    batch: list[UploadInput] = []
    size = 0
    for one in inputs:
        if batch and (len(batch) >= limits.max_items or size + one.size > limits.max_bytes):
            yield batch
            batch, size = [], 0
        batch.append(one)
        size += one.size
    if batch:
        yield batch
