"""Names of the files of a folder, which are those that the command `loci upload` gives them."""

import os
import tempfile
import unittest
from hashlib import sha256
from pathlib import Path

from loci_client.upload_inputs import folder_files


class FolderNames(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.root = Path(temporary.name)

    def write(self, *paths):
        for path in paths:
            file = self.root / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(path)

    def test_a_folder_that_is_given_by_a_link_has_the_name_of_the_link(self):
        self.write("releases/42/a.md")
        (self.root / "docs").symlink_to("releases/42")
        [file] = folder_files(self.root / "docs")[0]
        self.assertEqual(("docs/a.md", "path:docs/a.md"), (file.name, file.external_id))
        before = os.getcwd()
        self.addCleanup(os.chdir, before)
        os.chdir(self.root / "releases" / "42")
        self.assertEqual(["42/a.md"], [file.name for file in folder_files(".")[0]])

    def test_of_a_path_that_is_longer_than_a_name_may_be_the_end_is_the_name(self):
        path = "/".join(["long", *["d" * 200] * 6, "f.txt"])
        self.write(path)
        [file] = folder_files(self.root / "long")[0]
        self.assertEqual("…" + path[-1023:], file.name)
        self.assertEqual(f"path:sha256:{sha256(path.encode()).hexdigest()}", file.external_id)
        # An emoji counts twice, as in the service, and half of one is none.
        wide = "/".join(["wide", *["😀" * 60] * 10, "f.txt"])
        self.write(wide)
        [file] = folder_files(self.root / "wide")[0]
        self.assertEqual(1024, len(file.name.encode("utf-16-le")) // 2)
        self.assertTrue(file.name.startswith("…\ufffd😀") or file.name.startswith("…😀"))
        self.assertTrue(wide.endswith(file.name.lstrip("…\ufffd")))

    def test_of_two_names_that_differ_only_in_their_encoding_one_is_taken_and_the_other_is_reported(self):
        self.write("docs/caf\u00e9.md", "docs/cafe\u0301.md")
        if len(list((self.root / "docs").iterdir())) < 2:
            self.skipTest("the file system takes both names for one")
        files, repeated = folder_files(self.root / "docs")
        self.assertEqual(["docs/caf\u00e9.md"], [file.name for file in files])
        [failure] = repeated
        self.assertEqual((str(self.root / "docs" / "caf\u00e9.md"), "repeated_path"), (failure.name, failure.code))


if __name__ == "__main__":
    unittest.main()
