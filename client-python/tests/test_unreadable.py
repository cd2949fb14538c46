"""Files and folders that cannot be read, with a transport of httpx that takes every upload."""

import os
import tempfile
import unittest
from pathlib import Path
from uuid import uuid4

import httpx

from loci_client import Loci
from loci_client.steps import run
from loci_client.uploads import Upload, upload_flow

_NOBODY = 65534


class Unreadable(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name, "notes")
        self.folder.mkdir()
        # Another user than root must reach it.
        Path(temporary.name).chmod(0o755)
        self.counts: list[int] = []
        self.loci = Loci("http://loci.test", "a key", transport=httpx.MockTransport(self.take), retries=0)
        self.addCleanup(self.loci.close)

    def take(self, request):
        count = request.read().count(b"filename=")
        self.counts.append(count)
        fields = {"upload_id": str(uuid4()), "collection_id": str(uuid4()), "content_type": "file", "uploads": [], "errors": []}
        return httpx.Response(200, json={**fields, "total_uploads": count, "successful_uploads": count, "failed_uploads": 0})

    def without_permissions(self):
        """Root, who may read all, becomes another user until the test ends."""
        if os.geteuid() == 0:
            # What Python loads at the first use may be for root only.
            self.loci.upload_folder(uuid4(), self.folder, skip_present=False)
            self.counts.clear()
            os.seteuid(_NOBODY)
            self.addCleanup(os.seteuid, 0)

    def test_a_file_and_a_folder_without_permission_are_reported_with_the_reason_and_the_rest_is_sent_at_once(self):
        for name in ("a.md", "b.md", "locked.md"):
            (self.folder / name).write_text(name)
        (self.folder / "sub").mkdir()
        (self.folder / "locked.md").chmod(0)
        (self.folder / "sub").chmod(0)
        self.without_permissions()
        sent = self.loci.upload_folder(uuid4(), self.folder, skip_present=False)
        expected = [(str(self.folder / name), "The file cannot be read: Permission denied.") for name in ("locked.md", "sub")]
        self.assertEqual(expected, [(one.name, one.message) for one in sent.failures])
        self.assertEqual([2], self.counts)

    def test_a_file_that_disappears_meanwhile_does_not_make_a_request_of_every_other_one(self):
        paths = [self.folder / f"{n}.md" for n in range(200)]
        for path in paths:
            path.write_text(path.name)
        take = self.take

        def remove_one(request):
            paths[150].unlink(missing_ok=True)
            return take(request)

        with Loci("http://loci.test", "a key", transport=httpx.MockTransport(remove_one), retries=0) as loci:
            what = Upload(str(uuid4()), files=paths, max_items=100)
            sent = run(loci.get_httpx_client(), upload_flow(what))
        self.assertEqual(["150.md"], [one.name for one in sent.failures])
        self.assertEqual((199, 100), (sum(self.counts), what.max_items))
        self.assertLess(len(self.counts), 10)


if __name__ == "__main__":
    unittest.main()
