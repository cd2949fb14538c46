"""What the client sends, as a transport of httpx receives it."""

import json
import unittest

import httpx

from loci_client import AsyncLoci, Loci, Unavailable
from loci_client.passages import search_fields

#: The conditions that a content has no such key.
FILTERS = ({"withdrawn_at": None}, {"$or": [{"owner": None}, {"owner": "ada"}]})


class Requests(unittest.IsolatedAsyncioTestCase):
    def setUp(self):
        self.transport = httpx.MockTransport(self.receive)
        self.loci = Loci("http://loci.test", "a key", transport=self.transport, retries=0)
        self.addCleanup(self.loci.close)

    def receive(self, request):
        self.request = request
        # No answer is needed to see what was sent.
        return httpx.Response(503)

    def sent_by(self, call, *args, **given):
        with self.assertRaises(Unavailable):
            # Lists and streams ask when they are iterated.
            next(call(*args, **given))
        return self.sent()

    def sent(self):
        return dict(self.request.url.params) if self.request.method == "GET" else json.loads(self.request.content)

    def test_a_filter_for_a_missing_key_reaches_the_service(self):
        for filters in FILTERS:
            given = {"filters": filters, "min_score": None}
            body = {"query": "q", "filters": filters}
            self.assertEqual(body, self.sent_by(self.loci.search, "q", **given))
            self.assertEqual(body, self.sent_by(self.loci.search_memories, "q", **given))
            self.assertEqual(body, self.sent_by(self.loci.answer, "q", **given))
            self.assertEqual({**body, "stream": True}, self.sent_by(self.loci.stream_answer, "q", **given))
            self.assertEqual({"filters": json.dumps(filters)}, self.sent_by(self.loci.contents, **given))

    async def test_it_does_in_asyncio_as_well(self):
        async with AsyncLoci("http://loci.test", "a key", transport=self.transport, retries=0) as loci:
            for filters in FILTERS:
                given = {"filters": filters, "min_score": None}
                with self.assertRaises(Unavailable):
                    await loci.search("q", **given)
                self.assertEqual({"query": "q", "filters": filters}, self.sent())
                with self.assertRaises(Unavailable):
                    await anext(loci.stream_answer("q", **given))
                self.assertEqual({"query": "q", "filters": filters, "stream": True}, self.sent())
                with self.assertRaises(Unavailable):
                    await anext(loci.contents(**given))
                self.assertEqual({"filters": json.dumps(filters)}, self.sent())

    def test_a_filter_of_a_retriever_does_as_well(self):
        for filters in FILTERS:
            fields = search_fields([], 5, {"filters": filters, "min_score": None})
            expected = {"query": "q", "collection_ids": [], "max_results": 5, "filters": filters}
            self.assertEqual(expected, self.sent_by(self.loci.search, "q", **fields))

    def test_metadata_keeps_its_keys_without_a_value(self):
        metadata = {"replaced_by": None, "n": 1}
        sent = self.sent_by(self.loci.add_memory, "Likes tea.", metadata=metadata)
        self.assertEqual({"memory": "Likes tea.", "metadata": metadata}, sent)


class Waits(unittest.TestCase):
    def setUp(self):
        self.statuses = {f"a{n}": "pending" for n in range(100)} | {f"b{n}": "reading" for n in range(3)}
        self.paths: list[str] = []

    def answer(self, request):
        self.paths.append(request.url.path)
        id, query = request.url.path.rsplit("/", 1)[-1], request.url.params
        if id == "contents":
            found = [
                one for one, status in self.statuses.items() if (one[0], status) == (query["collection_id"], query["status"])
            ]
            start, end = int(query.get("cursor", 0)), int(query.get("cursor", 0)) + int(query["limit"])
            page = [self.shown(one) for one in found[start:end]]
            return httpx.Response(200, json={"data": page, "next_cursor": str(end) if end < len(found) else None})
        return httpx.Response(200, json=self.shown(id)) if id in self.statuses else httpx.Response(404)

    def shown(self, id):
        status = self.statuses[id]
        return {"id": id, "collection_id": id[0], "name": id, "status": status, "error_code": None, "status_message": None}

    def test_many_contents_are_waited_for_by_lists_of_what_is_unfinished(self):
        ids, progress = list(self.statuses), []

        def work(so_far):
            progress.append(so_far.settled)
            pending = [id for id, status in self.statuses.items() if status == "pending"]
            self.statuses |= dict.fromkeys(pending[:40], "ready")
            if len(progress) == 2:
                del self.statuses["a99"]
                self.statuses |= {"b0": "ready", "b1": "failed", "b2": "ready"}

        with Loci("http://loci.test", "a key", transport=httpx.MockTransport(self.answer), retries=0) as loci:
            ready = loci.wait_until_ready(content_ids=ids, on_progress=work)
        self.assertEqual((102, {"ready": 101, "failed": 1}), (ready.total, ready.by_status))
        self.assertEqual(["b1"], [one.content_id for one in ready.failed])
        self.assertGreater(len(progress), 3)
        singles = [path for path in self.paths if path != "/api/v1/contents"]
        # Each when it is settled; before, one tells the collection, and those of the other are not in its lists. The last ones
        # are too few for lists.
        self.assertLessEqual(len(singles), len(ids) + 1 + 3 + 23)

    def test_a_few_among_many_unfinished_contents_of_others_are_asked_for_by_themselves(self):
        own = [f"a{n}" for n in range(30)]
        self.statuses = {f"a-other-{n}": "pending" for n in range(20_000)} | dict.fromkeys(own, "pending")
        turns = []

        def work(_):
            turns.append((self.paths.count("/api/v1/contents"), len(self.paths)))
            self.paths.clear()
            if len(turns) == 2:
                self.statuses |= dict.fromkeys(own, "ready")

        with Loci("http://loci.test", "a key", transport=httpx.MockTransport(self.answer), retries=0) as loci:
            ready = loci.wait_until_ready(content_ids=own, on_progress=work)
        self.assertEqual((30, {"ready": 30}), (ready.total, ready.by_status))
        for pages, requests in turns:
            self.assertLessEqual(pages, 2)
            self.assertLessEqual(requests, 30 + 2)


if __name__ == "__main__":
    unittest.main()
