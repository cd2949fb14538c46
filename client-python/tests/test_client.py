"""The client against a real service, whose address and key are in LOCI_URL and LOCI_API_KEY."""

import os
import tempfile
import unittest
from pathlib import Path
from uuid import uuid4

from loci_client import AsyncLoci, FileInput, InvalidRequest, Loci, NotConfigured, NotFound, Unauthorized
from loci_client.generated.api.collections import get_collection
from loci_client.generated.api.uploads import upload_content
from loci_client.generated.models import UploadContentBody
from loci_client.generated.models.content_status import check_content_status
from loci_client.generated.types import File
from relay import Relay

#: Every byte, line ends of all systems, and what the boundary of a form could be.
BYTES = bytes(range(256)) * 40 + b"\r\n--+++\r\n--+++--\r\n\n\r\0"


class Uploads(unittest.TestCase):
    def setUp(self):
        self.loci = Loci.from_env()
        self.addCleanup(self.loci.close)
        self.collection = self.loci.create_collection(f"python {uuid4()}")

    def test_bytes_come_back_as_they_were_sent(self):
        sent = self.loci.upload(self.collection.id, files=[FileInput(data=BYTES, name="a.bin")], ingest=False)
        self.assertEqual([], sent.failures)
        self.assertEqual(BYTES, self.loci.download(sent.items[0].content_id))

    def test_the_generated_upload_sends_bytes_too(self):
        with tempfile.TemporaryFile() as file:
            file.write(BYTES)
            file.seek(0)
            body = UploadContentBody(self.collection.id, files=[File(file, "b.bin", "application/octet-stream")], ingest=False)
            sent = upload_content.sync(client=self.loci, body=body)
        self.assertEqual(BYTES, self.loci.download(sent.uploads[0].content_id))

    def test_a_folder_is_searchable_and_what_is_unchanged_is_not_sent_again(self):
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary, "guides")
            (folder / "deep").mkdir(parents=True)
            (folder / "otters.md").write_text("# Otters\n\nOtters hold hands while they sleep.")
            (folder / "deep" / "beavers.md").write_text("# Beavers\n\nBeavers build dams of wood.")
            (folder / ".hidden").write_text("not this one")
            (folder / "broken").symlink_to("nowhere")
            os.mkfifo(folder / "pipe")
            sent = self.loci.upload_folder(self.collection.id, folder, metadata={"lang": "en"})
            self.assertEqual(["guides/deep/beavers.md", "guides/otters.md"], sorted(item.name for item in sent.items))
            self.assertEqual([str(folder / "broken")], [one.name for one in sent.failures])
            ready = self.loci.wait_until_ready(sent, timeout=120)
            self.assertEqual(({"ready": 2}, []), (ready.by_status, ready.failed))
            found = self.loci.search("how do otters sleep", self.collection.id, filters={"lang": "en"}, explain=True)
            self.assertEqual("guides/otters.md", found.results[0].source)
            self.assertEqual(["Otters"], found.results[0].chunk.heading_path)
            self.assertEqual(1, found.results[0].explain.vector.rank)
            (folder / "otters.md").write_text("# Otters\n\nOtters float on their backs.")
            again = self.loci.upload_folder(self.collection.id, folder, metadata={"lang": "en"})
            self.assertEqual(["guides/deep/beavers.md"], [content.name for content in again.present])
            self.assertEqual([True], [item.replaced for item in again.items])
            self.loci.wait_until_ready(again, timeout=120)
        contents = list(self.loci.contents(collection_id=self.collection.id, limit=1))
        self.assertEqual(2, len(contents), "one page for each")
        filtered = self.loci.contents(collection_id=self.collection.id, filters={"name": "guides/otters.md"})
        self.assertEqual(["guides/otters.md"], [content.name for content in filtered])

    def test_what_cannot_be_read_is_reported_and_the_rest_continues(self):
        # Files of this kind have no size, as if they had grown since.
        grown = ["/proc/version"] if os.path.exists("/proc/version") else []
        files = ["/nowhere/at-all.md", *grown, FileInput(data=b"%PDF-1.7 and nothing of the kind", name="broken.pdf")]
        sent = self.loci.upload(self.collection.id, files=files, texts=["A good text."])
        expected = [("/nowhere/at-all.md", "unreadable_file"), *[("version", "unreadable_file") for _ in grown]]
        self.assertEqual(expected, [(one.name, one.code) for one in sent.failures])
        self.assertEqual(2, len(sent.items))
        ready = self.loci.wait_until_ready(sent, timeout=120)
        self.assertEqual([("broken.pdf", "unreadable")], [(one.name, one.error_code) for one in ready.failed])

    def test_answers_chunks_and_memories_are_typed(self):
        sent = self.loci.upload(self.collection.id, files=[FileInput(data=b"Ferries leave at noon.", name="ferry.txt")])
        self.loci.wait_until_ready(content_ids=[item.content_id for item in sent.items], timeout=120)
        answer = self.loci.answer("When do ferries leave?", collection_ids=[self.collection.id])
        self.assertEqual(["ferry.txt"], [citation.source for citation in answer.citations])
        events = list(self.loci.stream_answer("When do ferries leave?", collection_ids=[self.collection.id]))
        self.assertEqual(answer.answer, events[-1].data["answer"])
        [chunk] = self.loci.chunks(sent.items[0].content_id, self.collection.id)
        self.assertEqual("Ferries leave at noon.", chunk.content)
        user = f"user {uuid4()}"
        kept = self.loci.add_memory("Likes ferries.", user_id=user, metadata={"lang": "en"})
        self.assertEqual(["Likes ferries."], [one.memory for one in self.loci.search_memories("ferries", user_id=user)])
        self.assertEqual([kept.memory_id], [one.memory_id for one in self.loci.memories(user_id=user)])
        self.assertEqual(([], []), (list(self.loci.conversations(user_id=user)), list(self.loci.paginate("/api/v1/webhooks"))))

    def test_waiting_ends_with_its_time_and_ingestion_goes_on(self):
        sent = self.loci.upload(self.collection.id, texts=["One of many words. " * 20_000])
        with self.assertRaisesRegex(TimeoutError, "Ingestion continues"):
            self.loci.wait_until_ready(sent, timeout=0)

    def test_more_items_than_a_request_may_have_are_sent_in_several(self):
        from loci_client.steps import run
        from loci_client.uploads import Upload, upload_flow

        what = Upload(str(self.collection.id), texts=[f"Text {n}." for n in range(7)], max_items=3, options={"ingest": False})
        sent = run(self.loci.get_httpx_client(), upload_flow(what))
        self.assertEqual((7, 3), (len(sent.items), len(sent.upload_ids)))

    def test_items_beyond_the_limit_of_the_service_are_sent_in_another_request_and_the_others_once(self):
        from loci_client.steps import run
        from loci_client.uploads import Upload, upload_flow

        texts = [f"Text {n}." for n in range(1003)]
        options = {"ingest": False, "on_duplicate": "keep"}
        what = Upload(str(self.collection.id), texts=texts, max_items=2000, options=options)
        sent = run(self.loci.get_httpx_client(), upload_flow(what))
        self.assertEqual((1003, 2, []), (len(sent.items), len(sent.upload_ids), sent.failures))
        self.assertEqual(1003, len({item.content_id for item in sent.items}))


class Errors(unittest.TestCase):
    def test_errors_have_a_class_of_their_own_and_the_words_of_the_service(self):
        with Loci.from_env() as loci:
            with self.assertRaisesRegex(NotFound, "does not exist") as caught:
                get_collection.sync(uuid4(), client=loci)
            self.assertEqual((404, "not_found"), (caught.exception.status, caught.exception.code))
            self.assertTrue(caught.exception.request_id)
            with self.assertRaises(InvalidRequest) as caught:
                loci.search("otters", uuid4(), max_results=1000)
            self.assertEqual([["body", "max_results"]], [issue["loc"] for issue in caught.exception.issues])
        with Loci(os.environ["LOCI_URL"], "loci_wrong") as loci, self.assertRaises(Unauthorized):
            list(loci.collections())

    def test_a_status_of_a_later_version_of_the_service_is_kept(self):
        self.assertEqual("melting", check_content_status("melting"))

    def test_no_service_is_an_error_that_says_what_to_do(self):
        with tempfile.TemporaryDirectory() as folder, self.assertRaisesRegex(NotConfigured, "LOCI_URL"):
            Loci.from_env({}, folder=folder)

    def test_a_post_whose_answer_is_lost_takes_effect_once(self):
        def lose(handler, number):
            if number == 1:
                handler.pass_on(is_lost=True)
            elif number == 2:
                handler.reply(503)
            return number <= 2

        relay = Relay(lose)
        self.addCleanup(relay.close)
        name = f"once {uuid4()}"
        with relay.client() as loci:
            loci.create_collection(name)
            self.assertEqual(3, len(relay.requests))
            self.assertEqual(1, len({request.headers["Idempotency-Key"] for request in relay.requests}))
            self.assertEqual(1, len(list(loci.collections(search=name))))


class Asynchronous(unittest.IsolatedAsyncioTestCase):
    async def test_the_same_in_asyncio(self):
        async with AsyncLoci.from_env() as loci:
            collection = await loci.create_collection(f"python async {uuid4()}")
            files = [FileInput(data=BYTES, name="c.bin"), FileInput(data=b"Ferries leave at noon.", name="ferry.txt")]
            sent = await loci.upload(collection.id, files=files[:1], ingest=False)
            self.assertEqual(BYTES, await loci.download(sent.items[0].content_id))
            sent = await loci.upload(collection.id, files=files[1:])
            await loci.wait_until_ready(sent, timeout=120)
            found = await loci.search("when do ferries leave", collection.id)
            self.assertEqual("ferry.txt", found.results[0].source)
            names = [content.name async for content in loci.contents(collection_id=collection.id, limit=1)]
            self.assertEqual(["c.bin", "ferry.txt"], sorted(names))
            self.assertEqual(collection.id, (await get_collection.asyncio(collection.id, client=loci)).id)
            events = [event async for event in loci.stream_answer("When do ferries leave?", collection_ids=[collection.id])]
            self.assertEqual(("sources", "done"), (events[0].event, events[-1].event))
            with self.assertRaises(NotFound):
                await loci.download(uuid4())


if __name__ == "__main__":
    unittest.main()
