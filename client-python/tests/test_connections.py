"""Answers that break off, and answers of others than the service."""

import json
import os
import unittest
from unittest.mock import patch
from uuid import uuid4

from loci_client import AsyncLoci, ConnectionFailed, FileInput, Loci, LociError, Unavailable
from loci_client.answers import AnswerReader
from relay import Relay

BYTES = bytes(range(256)) * 1000
#: What Unicode, and str.splitlines, have for line ends besides CR and LF.
TEXT = "one\u2028two\u2029three\u0085four\x0b\x0c\x1c\x1d\x1efive"
EVENTS = [("delta", {"text": TEXT}), ("done", {"answer": TEXT})]


def stream_of(line_end):
    written = [
        f"event: {event}{line_end}data: {json.dumps(data, ensure_ascii=False)}{line_end}{line_end}" for event, data in EVENTS
    ]
    return ("\ufeff: a comment" + line_end + "".join(written)).encode()


class Connections(unittest.IsolatedAsyncioTestCase):
    def setUp(self):
        self.loci = Loci.from_env()
        self.addCleanup(self.loci.close)
        self.collection = self.loci.create_collection(f"python connections {uuid4()}").id

    def relay(self, meddle):
        relay = Relay(meddle)
        self.addCleanup(relay.close)
        return relay

    def stored(self, data, name):
        return self.loci.upload(self.collection, files=[FileInput(data=data, name=name)], ingest=False).items[0].content_id

    def test_an_answer_consists_of_the_same_events_wherever_its_bytes_are_cut(self):
        for line_end in ("\n", "\r", "\r\n"):
            stream = stream_of(line_end)
            for at in range(len(stream) + 1):
                reader = AnswerReader()
                events = [event for piece in (stream[:at], stream[at:]) for event in reader.read(piece)]
                self.assertEqual(EVENTS, [(event.event, event.data) for event in events], (line_end, at))
                reader.require_done()

    async def test_text_with_line_ends_of_unicode_comes_through_in_a_streamed_answer(self):
        def answer(handler, _):
            handler.reply(200, stream_of("\n"), {"Content-Type": "text/event-stream"})
            return True

        relay = self.relay(answer)
        with relay.client() as loci:
            self.assertEqual(EVENTS, [(event.event, event.data) for event in loci.stream_answer("When?")])
        async with relay.async_client() as loci:
            self.assertEqual(EVENTS, [(event.event, event.data) async for event in loci.stream_answer("When?")])

    async def test_a_streamed_answer_with_broken_data_is_an_error_of_this_package(self):
        def answer(handler, _):
            handler.reply(200, b"event: done\ndata: {\n\n", {"Content-Type": "text/event-stream"})
            return True

        with self.relay(answer).client() as loci, self.assertRaisesRegex(ConnectionFailed, "Ask again"):
            list(loci.stream_answer("When?"))

    async def test_a_download_that_breaks_off_is_requested_again(self):
        content_id = self.stored(BYTES, "a.bin")

        def cut(handler, number):
            if number % 2 == 1:
                handler.reply(200, BYTES[:1000], {"Content-Type": "application/octet-stream"}, missing=len(BYTES) - 1000)
            return number % 2 == 1

        relay = self.relay(cut)
        with relay.client() as loci:
            self.assertEqual(BYTES, loci.download(content_id))
        async with relay.async_client() as loci:
            self.assertEqual(BYTES, await loci.download(content_id))
        self.assertEqual(4, len(relay.requests))
        with relay.client(retries=0) as loci, self.assertRaises(ConnectionFailed):
            loci.download(content_id)

    async def test_a_file_in_a_bucket_is_requested_without_credentials_and_proxies_of_the_environment(self):
        def answer(handler, _):
            if handler.path.endswith("/file"):
                handler.reply(303, headers={"Location": f"{relay.url}/bucket/key?signature=s"})
            elif sum(one.path.startswith("/bucket") for one in relay.requests) % 2 == 1:
                handler.reply(200, BYTES[:1000], missing=1000)
            else:
                handler.reply(200, BYTES)
            return True

        relay = self.relay(answer)
        # Nothing listens there.
        with patch.dict(os.environ, {"HTTP_PROXY": "http://127.0.0.1:9", "http_proxy": "http://127.0.0.1:9"}):
            with relay.client() as loci:
                self.assertEqual(BYTES, loci.download(uuid4()))
            async with relay.async_client() as loci:
                self.assertEqual(BYTES, await loci.download(uuid4()))
        asked = [one for one in relay.requests if one.path == "/bucket/key?signature=s"]
        self.assertEqual(4, len(asked))
        self.assertEqual({"host"}, {name.lower() for one in asked for name in one.headers.keys()})

    async def test_what_a_bucket_refuses_is_an_error_of_this_package(self):
        status = 403

        def answer(handler, _):
            if handler.path.endswith("/file"):
                handler.reply(303, headers={"Location": f"{relay.url}/bucket/key"})
            else:
                handler.reply(status, b"<Error><Code>AccessDenied</Code></Error>", {"Content-Type": "application/xml"})
            return True

        relay = self.relay(answer)
        with relay.client(retries=0) as loci:
            for status, expected in ((403, LociError), (404, LociError), (303, LociError), (503, Unavailable)):
                with self.assertRaises(LociError) as caught:
                    loci.download(uuid4())
                self.assertEqual((expected, status), (type(caught.exception), caught.exception.status))
        async with relay.async_client(retries=0) as loci:
            status = 403
            with self.assertRaisesRegex(LociError, "Links expire") as refused:
                await loci.download(uuid4())
        self.assertEqual("bucket_refused", refused.exception.code)

    async def test_a_web_page_in_place_of_the_api_is_an_error_that_says_what_to_check(self):
        def answer(handler, _):
            handler.reply(200, b"<!doctype html><title>Sign in</title>", {"Content-Type": "text/html; charset=utf-8"})
            return True

        relay = self.relay(answer)
        says = f"^{relay.url}/console answers with a web page, not with the API: check the address"
        given = (f"{relay.url}/console", "key")
        with Loci(*given) as loci:
            for call in (
                lambda: list(loci.collections()),
                lambda: loci.search("otters", uuid4()),
                lambda: loci.upload(uuid4(), texts=["One."]),
                lambda: loci.download(uuid4()),
                lambda: list(loci.stream_answer("When?")),
            ):
                before = len(relay.requests)
                with self.assertRaisesRegex(LociError, says) as caught:
                    call()
                self.assertEqual(("not_the_api", 200), (caught.exception.code, caught.exception.status))
                self.assertEqual(1, len(relay.requests) - before)
        async with AsyncLoci(*given) as loci:
            with self.assertRaisesRegex(LociError, says):
                await loci.download(uuid4())
            with self.assertRaisesRegex(LociError, says):
                [event async for event in loci.stream_answer("When?")]

    def test_a_file_that_is_a_web_page_is_downloaded(self):
        page = b"<!doctype html><title>Otters</title><p>Otters hold hands."
        content_id = self.stored(page, "otters.html")
        self.assertEqual("text/html", self.loci.get_httpx_client().get(f"/api/v1/contents/{content_id}").json()["type"])
        self.assertEqual(page, self.loci.download(content_id))


if __name__ == "__main__":
    unittest.main()
