import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import anyTest, { type TestFn } from 'ava';
import { createReaderPool, type ReaderPool, type UnpackTask } from '#providers/readers/reader-pool.ts';
import { eml } from '#test/support/fixtures/eml.ts';
import { zipFile, type ZipFileEntry } from '#test/support/fixtures/zip-file.ts';

const MIB = 1024 * 1024;
const test = anyTest as TestFn<{ folder: string; pool: ReaderPool }>;

test.before(async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'loci-test-'));
  const limits = { processes: 2, memoryBytes: 400 * MIB, timeoutMs: 60_000, maxTextBytes: 4 * MIB };
  t.context = { folder, pool: createReaderPool({ ...limits, workFolder: folder }) };
});
test.after.always(async (t) => {
  await t.context.pool.close();
  await rm(t.context.folder, { recursive: true, force: true });
});

const TASK: Omit<UnpackTask, 'path'> = {
  mediaType: 'application/zip',
  from: 0,
  taskLimits: { entries: 100, bytes: 8 * MIB },
  maxEntryBytes: MIB,
  budgetBytes: 8 * MIB,
  totalBytes: 8 * MIB,
  refusal: null,
};

let files = 0;
type Unpacked = { key: string; path: string; text: string | null; code: string | null; message: string | null };

async function unpack(
  { folder, pool }: { folder: string; pool: ReaderPool },
  bytes: string | Buffer,
  task: Partial<UnpackTask> = {},
): Promise<{ parts: Unpacked[]; next: number | null }> {
  const path = join(folder, `file-${(files += 1)}`);
  await writeFile(path, bytes);
  await using batch = await pool.unpack({ ...TASK, path, ...task }, {});
  const [outcome] = batch.outcomes;
  if (!outcome?.ok) throw outcome?.error ?? new Error('no outcome');
  const { result } = outcome;
  const parts: Unpacked[] = [];
  for (const part of result.entries) {
    const pieces: Uint8Array[] = [];
    if (!part.refusal) for await (const piece of result.open(part)) pieces.push(piece);
    const { key, path: inside, refusal } = part;
    const text = refusal ? null : Buffer.concat(pieces).toString();
    parts.push({ key, path: inside, text, code: refusal?.code ?? null, message: refusal?.message ?? null });
  }
  return { parts, next: result.next };
}

const pathsOf = ({ parts }: { parts: readonly Unpacked[] }) => parts.map(({ path }) => path);
const file = (name: string | Buffer, bytes: string | Buffer = 'x', more: Partial<ZipFileEntry> = {}) => ({
  name,
  bytes,
  ...more,
});

test('extracts the files of an archive with paths and bytes, without folders and system files', async (t) => {
  const entries = [
    file('reports/', ''),
    file('reports/one.txt', 'first'),
    file('two.txt', 'second', { method: 0 }),
    file('__MACOSX/._two.txt', 'fork'),
    file('reports/.DS_Store', 'junk'),
  ];
  const { parts, next } = await unpack(t.context, zipFile(entries));
  t.is(next, null);
  t.deepEqual(
    parts.map(({ path, text }) => [path, text]),
    [
      ['reports/one.txt', 'first'],
      ['two.txt', 'second'],
    ],
  );
});

test('sanitizes names that lead out of the archive, and skips links', async (t) => {
  const names = ['/etc/passwd', '../../up.txt', 'a/../../b.txt', 'C:\\x\\y.txt', './c.txt', '..', 'd\u0007\u202E.txt'];
  const link = file('link', '/etc/passwd', { mode: 0o120777 });
  const unpacked = await unpack(t.context, zipFile([link, ...names.map((name) => file(name))]));
  t.deepEqual(pathsOf(unpacked), ['etc/passwd', 'up.txt', 'a/b.txt', 'x/y.txt', 'c.txt', 'unnamed', 'd.txt']);
});

test('extracts all files of the same name, with stable keys', async (t) => {
  const archive = zipFile([file('a/n.txt', 'one'), file('a/n.txt', 'two'), file('README', '1'), file('README', '2')]);
  const first = await unpack(t.context, archive);
  t.deepEqual(pathsOf(first), ['a/n.txt', 'a/n (2).txt', 'README', 'README (2)']);
  t.deepEqual(
    first.parts.map(({ text }) => text),
    ['one', 'two', '1', '2'],
  );
  t.is(new Set(first.parts.map(({ key }) => key)).size, 4);
  const rest = await unpack(t.context, archive, { from: 1 });
  t.deepEqual(rest.parts, first.parts.slice(1));
});

test('decodes names as UTF-8, with or without the flag, else in code page 437', async (t) => {
  const entries = [
    file('日本.txt', 'x', { flags: 0x800 }),
    file('Übung.txt'),
    file(Buffer.from('Gr\x94\xe1e.txt', 'latin1')),
  ];
  t.deepEqual(pathsOf(await unpack(t.context, zipFile(entries))), ['日本.txt', 'Übung.txt', 'Größe.txt']);
});

test('reports entries that are rejected with a reason; the others are extracted', async (t) => {
  const entries = [
    file('good.txt', 'good'),
    file('secret.txt', 'x', { flags: 1 }),
    file('bzip.txt', 'x', { method: 12 }),
    file('large.txt', 'x', { claimedBytes: 2 * MIB }),
    file('liar.txt', 'long enough', { claimedBytes: 3 }),
    file('broken.txt', 'x', { claimedChecksum: 1 }),
    file('empty.txt', ''),
    file('last.txt', 'last'),
  ];
  const { parts } = await unpack(t.context, zipFile(entries));
  t.deepEqual(
    parts.map(({ path, code }) => [path, code]),
    [
      ['good.txt', null],
      ['secret.txt', 'encrypted'],
      ['bzip.txt', 'unreadable'],
      ['large.txt', 'file_too_large'],
      ['liar.txt', 'unreadable'],
      ['broken.txt', 'unreadable'],
      ['empty.txt', 'empty_file'],
      ['last.txt', null],
    ],
  );
  t.regex(parts[1]?.message ?? '', /password/);
  t.regex(parts[2]?.message ?? '', /bzip2/);
  t.regex(parts[3]?.message ?? '', /2 MiB.*LOCI_MAX_FILE_BYTES/);
  t.is(parts[7]?.text, 'last');
});

test('extracts no more bytes than allowed, but continues with smaller entries', async (t) => {
  const entries = [file('one', 'x'.repeat(600_000)), file('two', 'x'.repeat(600_000)), file('three', 'x'.repeat(1000))];
  const limits = { budgetBytes: MIB, totalBytes: 3 * MIB };
  const { parts } = await unpack(t.context, zipFile(entries), limits);
  t.deepEqual(
    parts.map(({ code }) => code),
    [null, 'archive_limit', null],
  );
  t.regex(parts[1]?.message ?? '', /more than 3 MiB.*LOCI_ARCHIVE_MAX_RATIO/);
});

test('a task extracts some files and returns the index to continue with', async (t) => {
  const archive = zipFile(Array.from({ length: 7 }, (_, index) => file(`${index}.txt`, 'x'.repeat(300))));
  const seen: string[] = [];
  const steps: (number | null)[] = [];
  for (let from: number | null = 0; from !== null;) {
    const unpacked: { parts: Unpacked[]; next: number | null } = await unpack(t.context, archive, {
      from,
      taskLimits: { entries: 3, bytes: steps.length === 0 ? 700 : MIB },
    });
    seen.push(...pathsOf(unpacked));
    steps.push((from = unpacked.next));
  }
  t.deepEqual(steps, [2, 5, null]);
  t.deepEqual(
    seen,
    Array.from({ length: 7 }, (_, index) => `${index}.txt`),
  );
});

test('rejects a truncated archive, and a file that is not an archive, with `unreadable`', async (t) => {
  const whole = zipFile([file('a.txt', 'some text that is long enough to be cut')]);
  for (const bytes of [whole.subarray(0, -30), Buffer.from('PK\u0003\u0004nonsense')]) {
    await t.throwsAsync(unpack(t.context, bytes), { code: 'unreadable', message: /damaged|cut off/ });
  }
});

test('extracts attachments of a message including embedded messages, without signatures and inline images', async (t) => {
  const inner = eml({ subject: 'Inner', text: 'Words inside.' });
  const message = eml({
    subject: 'Outer',
    text: 'See attached.',
    attachments: [
      { name: 'plan/../b.txt', type: 'text/plain', bytes: 'the plan' },
      { name: null, type: 'message/rfc822', bytes: inner },
      { name: null, type: 'application/pdf', bytes: '%PDF-' },
      { name: 'smime.p7s', type: 'application/pkcs7-signature', bytes: 'x' },
    ],
  });
  const { parts } = await unpack(t.context, message, { mediaType: 'message/rfc822' });
  t.deepEqual(
    parts.map(({ path }) => path),
    ['plan_.._b.txt', 'message-2.eml', 'attachment-3.pdf'],
  );
  t.is(parts[0]?.text, 'the plan');
  t.regex(parts[1]?.text ?? '', /Subject: Inner[\s\S]*Words inside/);
});

test('reads an archive as the list of its files, whatever reader is chosen for them', async (t) => {
  const path = join(t.context.folder, 'list.zip');
  await writeFile(path, zipFile([file('a/one.txt'), file('two.pdf'), file('link', 'x', { mode: 0o120777 })]));
  for (const reader of ['native', 'pdf', 'unstructured']) {
    const task = { path, reader, mediaType: 'application/zip', name: 'list.zip' };
    await using batch = await t.context.pool.read([task]);
    const [outcome] = batch.outcomes;
    if (!outcome?.ok) throw outcome?.error ?? new Error('no outcome');
    const text: Uint8Array[] = [];
    for await (const piece of outcome.result.text()) text.push(piece);
    t.is(Buffer.concat(text).toString(), '# list.zip\n\n2 files:\n\n- a/one.txt\n- two.pdf\n');
    t.deepEqual(outcome.result.notes, { entry_count: 2, unpacked_bytes: 2, links_left_out: 1 });
  }
});
