"""Errors as users meet them: of other processes, of credentials, of ids that are missing, and of what is not the API."""

import asyncio
import copy
import multiprocessing
import pickle
import threading
import unittest
from http.server import BaseHTTPRequestHandler, HTTPServer

import httpx

from loci_client import AsyncLoci, ConnectionFailed, Loci, LociError, NotConfigured, RateLimited
from loci_client.generated.api.memories import delete_memory

#: Nothing listens here.
NOWHERE = "http://127.0.0.1:9"


def search_nowhere():
    with Loci(NOWHERE, "a key", retries=0) as loci:
        loci.search("q")


class Errors(unittest.TestCase):
    def client(self, answer, **options):
        loci = Loci("http://loci.test", "a key", transport=httpx.MockTransport(answer), retries=0, **options)
        self.addCleanup(loci.close)
        return loci

    def test_an_error_is_the_same_after_it_was_pickled_or_copied(self):
        loci = self.client(
            lambda _: httpx.Response(429, json={"detail": "Slow down.", "code": "busy"}, headers={"Retry-After": "7"})
        )
        with self.assertRaises(RateLimited) as caught:
            loci.search("q")
        for same in (pickle.loads(pickle.dumps(caught.exception)), copy.copy(caught.exception)):
            self.assertIs(RateLimited, type(same))
            self.assertEqual(("Slow down.", "busy", 429, 7.0), (str(same), same.code, same.status, same.retry_after))

    def test_an_error_in_a_process_of_a_pool_reaches_the_one_that_waits(self):
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            with self.assertRaises(ConnectionFailed) as caught:
                pool.apply_async(search_nowhere).get(timeout=60)
        self.assertFalse(caught.exception.was_sent)

    def test_a_key_from_a_file_may_end_with_a_line_break_and_one_with_other_characters_is_not_shown(self):
        seen = []
        loci = Loci("http://loci.test", "lk_secret\n", transport=httpx.MockTransport(seen.append), retries=0)
        self.addCleanup(loci.close)
        self.assertEqual("lk_secret", loci.connection.api_key)
        for key in ("lk_sec\nret", "lk_secrét"):
            with self.assertRaises(NotConfigured) as caught:
                Loci("http://loci.test", key)
            self.assertNotIn("sec", str(caught.exception))
        with self.assertRaises(NotConfigured) as caught:
            Loci("http://ada:hunter2@loci.test", "a key")
        self.assertNotIn("hunter2", str(caught.exception))

    def test_a_value_that_would_change_the_path_is_refused_and_nothing_is_sent(self):
        sent = []
        loci = self.client(lambda request: sent.append(request) or httpx.Response(204))
        for value in ("", ".", ".."):
            self.assert_fails("invalid_path_parameter", delete_memory.sync, client=loci, memory_id=value)
            self.assert_fails("invalid_path_parameter", loci.download, value)
            self.assert_fails("invalid_path_parameter", loci.messages, value)
            self.assert_fails("invalid_path_parameter", loci.wait_until_ready, content_ids=[value])
        self.assertEqual([], sent)

    def test_an_answer_of_something_else_than_the_api_is_an_error_of_this_package(self):
        for text in ("please sign in", "[]", "{}"):
            loci = self.client(lambda _, text=text: httpx.Response(200, text=text))
            self.assert_fails("not_the_api", loci.search, "q")
            self.assert_fails("not_the_api", loci.add_memory, "Anna lives in Rome.")

    def assert_fails(self, code, call, *args, **given):
        with self.assertRaises(LociError) as caught:
            call(*args, **given)
        self.assertEqual(code, caught.exception.code)


class Answering(BaseHTTPRequestHandler):
    def do_POST(self):
        body = b'{"results": [], "total_results": 0}'
        self.send_response(503)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Loops(unittest.TestCase):
    def test_one_client_is_used_in_several_event_loops(self):
        server = HTTPServer(("127.0.0.1", 0), Answering)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        loci = AsyncLoci(f"http://127.0.0.1:{server.server_port}", "a key", retries=0)
        for _ in range(3):
            with self.assertRaises(LociError) as caught:
                asyncio.run(loci.search("q"))
            self.assertEqual(503, caught.exception.status)
        self.assertEqual(1, len(loci._http._transport._inner._by_loop), "nothing is kept of loops that have ended")

    def test_progress_is_told_within_the_event_loop(self):
        threads = []
        content = {"id": "c", "status": "ready", "collection_id": "k"}
        transport = httpx.MockTransport(lambda _: httpx.Response(200, json=content))

        async def wait():
            async with AsyncLoci("http://loci.test", "a key", transport=transport, retries=0) as loci:
                await loci.wait_until_ready(content_ids=["c"], on_progress=lambda _: threads.append(asyncio.get_running_loop()))
                self.assertEqual([asyncio.get_running_loop()], threads)

        asyncio.run(wait())


if __name__ == "__main__":
    unittest.main()
