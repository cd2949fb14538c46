import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { collectFiles } from '../../../client/src/cli/collect-files.ts';
import { fileInput } from '../../../client/src/upload/upload-input.ts';
import { addFileWithoutUtf8Name, folderOf } from '../folders.ts';

const NOBODY = 65_534;

/** A folder with files without permission to read them; root, who may read all, becomes another user until the test ends. */
async function folderWithoutPermissions(t: ExecutionContext): Promise<string> {
  const folder = await folderOf(t, { 'open.txt': 'Open.', 'locked.txt': 'Locked.', 'sub/a.txt': 'Inside.' });
  await chmod(folder, 0o755);
  await chmod(join(folder, 'locked.txt'), 0);
  await chmod(join(folder, 'sub'), 0);
  if (process.geteuid?.() === 0) {
    process.seteuid?.(NOBODY);
    t.teardown(() => process.seteuid?.(0));
  }
  return folder;
}

// In sequence, because the user is that of the whole process.
test.serial(
  'files and folders without permission to read them are problems of their own, with the reason',
  async (t) => {
    const folder = await folderWithoutPermissions(t);
    const { files, problems } = await collectFiles([folder], { hidden: false });
    t.deepEqual(
      files.map(({ path }) => path),
      [join(folder, 'open.txt')],
    );
    t.deepEqual(
      problems.map(({ input, code }) => [input, code]),
      [
        [join(folder, 'locked.txt'), 'unreadable_file'],
        [join(folder, 'sub'), 'unreadable_file'],
      ],
    );
    t.true(problems.every(({ message }) => /permission denied/.test(message)));
  },
);

test.serial('a file without permission to read it is not sent, and the reason is not that it changed', async (t) => {
  const folder = await folderWithoutPermissions(t);
  t.like(await fileInput(join(folder, 'locked.txt')), {
    code: 'unreadable_file',
    message: 'The file cannot be read: permission denied.',
  });
  t.like(await fileInput(join(folder, 'open.txt')), { sizeBytes: 5 });
});

test.serial('a file whose name is not UTF-8 is a problem that says so', async (t) => {
  const folder = await folderOf(t, { 'good.txt': 'Good.' });
  const isMade = await addFileWithoutUtf8Name(folder);
  const { files, problems } = await collectFiles([folder], { hidden: false });
  t.is(files.length, 1);
  t.deepEqual(
    problems.map(({ code, message }) => [code, message]),
    isMade ? [['unreadable_file', 'Its name is not UTF-8.']] : [],
  );
});
