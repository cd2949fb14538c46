"""A proxy before the service, which loses, refuses and replaces what a test says."""

import os
import threading
from collections.abc import Callable
from dataclasses import dataclass
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx

from loci_client import AsyncLoci, Loci


@dataclass
class Request:
    path: str
    headers: Message
    body: bytes


class Handler(BaseHTTPRequestHandler):
    relay: "Relay"
    request: Request

    def do_GET(self):
        body = self.rfile.read(int(self.headers["Content-Length"] or 0))
        self.request = Request(self.path, self.headers, body)
        self.relay.requests.append(self.request)
        if not self.relay.meddle(self, len(self.relay.requests)):
            self.pass_on()

    do_POST = do_GET

    def pass_on(self, *, is_lost=False):
        """Passes the request on to the service, and what it answers back: not at all when it is lost."""
        headers = {name: value for name, value in self.headers.items() if name.lower() not in ("host", "connection")}
        with httpx.Client(trust_env=False) as client:
            url = os.environ["LOCI_URL"] + self.path
            answer = client.request(self.command, url, content=self.request.body, headers=headers)
        if is_lost:
            self.close_connection = True
            return
        names = ("Content-Type", "Content-Disposition")
        self.reply(answer.status_code, answer.content, {name: answer.headers[name] for name in names if name in answer.headers})

    def reply(self, status, body=b"", headers=None, *, missing=0):
        """Answers. When bytes are missing, the connection breaks before they come."""
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body) + missing))
        self.end_headers()
        self.wfile.write(body)
        self.close_connection = missing > 0

    def log_message(self, *_):
        pass


class Relay:
    """`meddle` gets each request with its number, from 1, and returns whether it has answered it."""

    def __init__(self, meddle: Callable[[Handler, int], bool] = lambda *_: False):
        self.meddle, self.requests = meddle, []
        handler = type("OwnHandler", (Handler,), {"relay": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def client(self, **options) -> Loci:
        return Loci(self.url, os.environ["LOCI_API_KEY"], **options)

    def async_client(self, **options) -> AsyncLoci:
        return AsyncLoci(self.url, os.environ["LOCI_API_KEY"], **options)

    def close(self):
        self._server.shutdown()
        self._server.server_close()
