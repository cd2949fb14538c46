"""What an upload leaves out, reports and splits, with a real service."""

import os
import tempfile
import unittest
from pathlib import Path
from uuid import uuid4

from loci_client import FileInput, Loci
from loci_client.steps import run
from loci_client.uploads import Upload, upload_flow
from relay import Relay


class Uploads(unittest.TestCase):
    def setUp(self):
        self.loci = Loci.from_env()
        self.addCleanup(self.loci.close)
        self.collection = self.loci.create_collection(f"python uploads {uuid4()}").id
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name, "notes")
        self.folder.mkdir()

    def relay(self, meddle=lambda *_: False):
        relay = Relay(meddle)
        self.addCleanup(relay.close)
        return relay

    def test_a_file_whose_name_is_not_utf8_fails_alone_and_the_others_are_sent(self):
        (self.folder / "good.md").write_text("A good name.")
        try:
            (self.folder / os.fsdecode(b"caf\xe9.md")).write_text("A name in Latin-1.")
        except (OSError, UnicodeError):
            self.skipTest("the file system takes no such name")
        for external_id in (None, "its id"):
            path = self.folder / os.fsdecode(b"caf\xe9.md")
            sent = self.loci.upload(self.collection, files=[FileInput(path=path, external_id=external_id)], ingest=False)
            self.assertEqual(["unreadable_file"], [one.code for one in sent.failures])
        sent = self.loci.upload_folder(self.collection, self.folder, ingest=False)
        self.assertEqual(["notes/good.md"], [item.name for item in sent.items])
        [failure] = sent.failures
        self.assertRegex(failure.message, "its name is not UTF-8")
        self.assertRegex(failure.name.encode().decode(), r"caf\\udce9\.md$")
        named = FileInput(path=self.folder / os.fsdecode(b"caf\xe9.md"), name="café.md")
        self.assertEqual(["café.md"], [one.name for one in self.loci.upload(self.collection, files=[named], ingest=False).items])

    def test_it_decides_by_lists_that_contain_all_that_was_written_before(self):
        (self.folder / "a.md").write_text("One.")
        relay = self.relay()
        with relay.client() as loci:
            loci.upload_folder(self.collection, self.folder, ingest=False)
            lists = [request.headers["Cache-Control"] for request in relay.requests if "/contents?" in request.path]
            self.assertEqual(["no-cache", "no-cache"], lists)
            self.assertEqual(1, len(list(loci.contents(collection_id=self.collection))))
            self.assertIsNone(relay.requests[-1].headers["Cache-Control"])

    def test_an_unchanged_file_is_sent_again_when_that_changes_something(self):
        (self.folder / "a.md").write_text("One.")

        def send(**options):
            sent = self.loci.upload_folder(self.collection, self.folder, **{"ingest": False, **options})
            self.assertEqual([], sent.failures)
            return len(sent.items), len(sent.present)

        metadata = {"lang": "en"}
        self.assertEqual((1, 0), send(metadata=metadata, description="Old."))
        stored = next(self.loci.contents(collection_id=self.collection)).metadata.to_dict()
        for unchanged in (
            {},
            {"description": "Old."},
            {"metadata": metadata},
            {"metadata": stored},
            {"on_duplicate": "existing"},
        ):
            self.assertEqual((0, 1), send(**unchanged), unchanged)
        for changing in ({"description": "New."}, {"user_id": "ada"}, {"label": "Notes"}, {"on_duplicate": "keep"}):
            self.assertEqual((1, 0), send(**changing), changing)
        ids = [content.external_id or None for content in self.loci.contents(collection_id=self.collection)]
        self.assertEqual(1, ids.count(None), "one that is kept beside another has no id of its own")
        # What is only stored is sent again to be ingested.
        self.assertEqual((1, 0), send(ingest=None))

    def test_after_a_request_that_was_too_large_the_others_are_smaller(self):
        counts = []

        def refuse(handler, _):
            count = handler.request.body.count(b"filename=")
            counts.append(count)
            if count > 2:
                handler.reply(413)
            return count > 2

        files = [FileInput(data=b"%d" % n, name=f"{n}.txt") for n in range(12)]
        sent = self.send_by(self.relay(refuse), files)
        self.assertEqual((12, []), (len(sent.items), sent.failures))
        self.assertEqual([4, 2, 2, 2, 2, 2, 2], counts)

    def test_a_file_that_is_too_large_by_itself_does_not_make_the_other_requests_smaller(self):
        counts = []

        def refuse(handler, _):
            counts.append(handler.request.body.count(b"filename="))
            is_large = b"too large" in handler.request.body
            if is_large:
                handler.reply(413)
            return is_large

        files = [FileInput(data=b"too large" if n == 0 else b"%d" % n, name=f"{n}.txt") for n in range(12)]
        sent = self.send_by(self.relay(refuse), files)
        self.assertEqual((11, ["0.txt"]), (len(sent.items), [one.name for one in sent.failures]))
        self.assertEqual([4, 2, 1, 1, 2, 4, 4], counts)

    def send_by(self, relay, files):
        what = Upload(str(self.collection), files=files, max_items=4, options={"ingest": False})
        with relay.client() as loci:
            return run(loci.get_httpx_client(), upload_flow(what))


if __name__ == "__main__":
    unittest.main()
