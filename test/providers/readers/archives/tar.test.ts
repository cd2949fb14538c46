import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import anyTest, { type TestFn } from 'ava';
import { createReaderPool, type ReaderPool, type UnpackTask } from '#providers/readers/reader-pool.ts';
import { readBytes } from '#test/support/fixtures/read-bytes.ts';
import { paxRecords, tarFile } from '#test/support/fixtures/tar-file.ts';

const MIB = 1024 * 1024;
const TAR = 'application/x-tar';
const GZIP = 'application/gzip';
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
  mediaType: TAR,
  from: 0,
  taskLimits: { entries: 100, bytes: 8 * MIB },
  maxEntryBytes: MIB,
  budgetBytes: 8 * MIB,
  totalBytes: 8 * MIB,
  refusal: null,
};

let files = 0;

async function unpack(
  { folder, pool }: { folder: string; pool: ReaderPool },
  bytes: Buffer,
  task: Partial<UnpackTask> = {},
): Promise<{ parts: [path: string, content: string][]; next: number | null }> {
  const path = join(folder, `file-${(files += 1)}`);
  await writeFile(path, bytes);
  await using batch = await pool.unpack({ ...TASK, path, ...task }, {});
  const [outcome] = batch.outcomes;
  if (!outcome?.ok) throw outcome?.error ?? new Error('no outcome');
  const parts: [string, string][] = [];
  for (const entry of outcome.result.entries) {
    const pieces: Uint8Array[] = [];
    if (!entry.refusal) for await (const piece of outcome.result.open(entry)) pieces.push(piece);
    parts.push([entry.path, entry.refusal?.code ?? Buffer.concat(pieces).toString()]);
  }
  return { parts, next: outcome.result.next };
}

const ENTRIES = [
  { name: 'reports/', type: '5' },
  { name: 'reports/one.txt', bytes: 'first' },
  { name: 'link', type: '2' },
  { name: './._two.txt', bytes: 'fork' },
  { name: '../../two.txt', bytes: 'second' },
];

test('extracts the files of a TAR archive, plain and compressed, without folders, links and system files', async (t) => {
  const expected = [
    ['reports/one.txt', 'first'],
    ['two.txt', 'second'],
  ];
  const archive = tarFile(ENTRIES);
  t.deepEqual((await unpack(t.context, archive)).parts, expected);
  t.deepEqual((await unpack(t.context, gzipSync(archive), { mediaType: GZIP })).parts, expected);
  t.deepEqual((await unpack(t.context, archive.subarray(0, -1024))).parts, expected, 'without the end of the archive');
});

test('reads a TAR archive as the list of its files, by its content', async (t) => {
  for (const [name, mediaType, bytes] of [
    ['a.tar', TAR, tarFile(ENTRIES)],
    ['a.tar.gz', GZIP, gzipSync(tarFile(ENTRIES))],
    ['a.tgz', GZIP, gzipSync(tarFile(ENTRIES))],
    ['a.txt', TAR, tarFile([{ name: 'reports/one.txt' }, { name: 'two.txt', bytes: 'words '.repeat(20_000) }])],
  ] as const) {
    const read = await readBytes(bytes, { name });
    t.is(read.mediaType, mediaType);
    t.is(read.text, `# ${name}\n\n2 files:\n\n- reports/one.txt\n- two.txt\n`);
  }
  const { notes } = await readBytes(tarFile(ENTRIES), { name: 'a.tar' });
  t.deepEqual(notes, { entry_count: 2, unpacked_bytes: 11, links_left_out: 1 });
});

test('extracts the file of a gzip file under its name', async (t) => {
  const bytes = gzipSync('The log of the day.');
  t.deepEqual((await unpack(t.context, bytes, { mediaType: GZIP, name: 'logs/day.log.gz' })).parts, [
    ['day.log', 'The log of the day.'],
  ]);
  t.is((await readBytes(bytes, { name: 'day.log.gz' })).text, '# day.log.gz\n\n1 files:\n\n- day.log\n');
});

test('reads long names and sizes of pax and GNU archives', async (t) => {
  const long = `${'deep/'.repeat(40)}näme.txt`;
  const archive = tarFile([
    { name: 'pax', type: 'g', bytes: paxRecords({ comment: 'all' }) },
    { name: 'pax', type: 'x', bytes: paxRecords({ path: long, size: '3' }) },
    { name: 'short', bytes: 'one' },
    { name: '././@LongLink', type: 'L', bytes: `${long}\0` },
    { name: 'short', bytes: 'two' },
    { name: 'plain', bytes: 'three' },
  ]);
  const { parts } = await unpack(t.context, archive);
  t.deepEqual(parts, [
    [long, 'one'],
    [long.replace('näme', 'näme (2)'), 'two'],
    ['plain', 'three'],
  ]);
});

test('entries of a TAR archive over a limit are rejected; the others are extracted, task by task', async (t) => {
  const archive = gzipSync(
    tarFile([
      { name: 'large', bytes: Buffer.alloc(2 * MIB) },
      { name: 'a', bytes: 'x'.repeat(600_000) },
      { name: 'b', bytes: 'x'.repeat(600_000) },
      { name: 'c', bytes: 'last' },
      { name: 'empty' },
    ]),
  );
  const found: [string, string | number][] = [];
  let tasks = 0;
  for (let from: number | null = 0; from !== null; tasks += 1) {
    const task = { mediaType: GZIP, from, taskLimits: { entries: 2, bytes: 8 * MIB }, budgetBytes: MIB };
    const unpacked: Awaited<ReturnType<typeof unpack>> = await unpack(t.context, archive, task);
    found.push(
      ...unpacked.parts.map(([path, text]): [string, string | number] => [path, text.length > 99 ? text.length : text]),
    );
    from = unpacked.next;
  }
  t.is(tasks, 3);
  t.deepEqual(found, [
    ['large', 'file_too_large'],
    ['a', 600_000],
    ['b', 600_000],
    ['c', 'last'],
    ['empty', 'empty_file'],
  ]);
  const { parts } = await unpack(t.context, archive, { mediaType: GZIP, budgetBytes: MIB });
  t.deepEqual(
    parts.map(([path, text]) => [path, text.length > 99 ? text.length : text]),
    [
      ['large', 'file_too_large'],
      ['a', 600_000],
      ['b', 'archive_limit'],
      ['c', 'last'],
      ['empty', 'empty_file'],
    ],
  );
});

test('rejects damaged and truncated archives, and entries that claim a wrong size, with `unreadable`', async (t) => {
  const archive = tarFile([{ name: 'a.txt', bytes: 'x'.repeat(2000) }]);
  const broken = Buffer.from(archive);
  broken[3] = 1;
  const damaged: [Buffer, string][] = [
    [archive.subarray(0, 900), TAR],
    [archive.subarray(0, 300), TAR],
    [broken, TAR],
    [gzipSync(archive).subarray(0, -12), GZIP],
    [Buffer.concat([gzipSync('text').subarray(0, 10), Buffer.alloc(50, 255)]), GZIP],
    [tarFile([{ name: 'a', bytes: 'short', claimedBytes: 0o77777777777 }]), TAR],
    [tarFile([{ name: 'pax', type: 'x', bytes: 'x', claimedBytes: 64 * MIB }]), TAR],
  ];
  for (const [bytes, mediaType] of damaged)
    await t.throwsAsync(
      unpack(t.context, bytes, { mediaType, name: 'a.gz', maxEntryBytes: 2 ** 40, budgetBytes: 2 ** 40 }),
      {
        code: 'unreadable',
        message: /damaged or truncated/,
      },
    );
});

test('a gzip bomb is listed without its bytes in memory, and nothing of it is extracted', async (t) => {
  const bomb = gzipSync(tarFile([{ name: 'zeros', bytes: Buffer.alloc(512 * MIB) }]));
  t.true(bomb.length < MIB);
  const { parts, next } = await unpack(t.context, bomb, { mediaType: GZIP });
  t.deepEqual(parts, [['zeros', 'file_too_large']]);
  t.is(next, null);
});
