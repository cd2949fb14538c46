import { join } from 'node:path';
import test from 'ava';
import { collectFiles } from '../../../client/src/cli/collect-files.ts';
import { folderOf } from '../folders.ts';

test('a file that is given by itself and in its folder is the one of the folder, in either order', async (t) => {
  const folder = join(await folderOf(t, { 'docs/a.md': 'One.', 'docs/b.md': 'Two.' }), 'docs');
  const file = join(folder, 'a.md');
  for (const given of [
    [file, folder],
    [folder, file],
    [file, folder, file],
  ]) {
    const { files } = await collectFiles(given, { hidden: false });
    t.deepEqual(
      files.map(({ contentPath, isInFolder }) => [contentPath, isInFolder]),
      [
        ['docs/a.md', true],
        ['docs/b.md', true],
      ],
    );
  }
  const { files } = await collectFiles([file, file], { hidden: false });
  t.like(files, [{ isInFolder: false }]);
  t.is(files.length, 1);
});
