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


if __name__ == "__main__":
    unittest.main()
