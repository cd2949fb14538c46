import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import anyTest, { type TestFn } from 'ava';
import { detectFileType } from '#providers/readers/detect-type.ts';
import {
  createReaderPool,
  type Outcome,
  type ReaderPool,
  type ReadResult,
  type ReadTask,
  type SplitPlan,
} from '#providers/readers/reader-pool.ts';
import { readAndSplit, readError } from '#providers/readers/read-and-split.ts';
import type { ReadPayload } from '#providers/readers/task-payload.ts';
import { docx, docxParagraph, pdf, zip } from '#test/support/fixtures/documents.ts';

const MIB = 1024 * 1024;
const PLAN: SplitPlan = {
  limits: { maxTokens: 60, targetTokens: 40 },
  counting: { kind: 'estimate', charactersPerToken: 4 },
};
const test = anyTest as TestFn<{ folder: string; pool: ReaderPool }>;

test.before(async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'loci-test-'));
  const pool = createReaderPool({
    processes: 2,
    memoryBytes: 400 * MIB,
    timeoutMs: 60_000,
    maxTextBytes: 4 * MIB,
    workFolder: folder,
  });
  t.context = { folder, pool };
});
test.after.always(async (t) => {
  await t.context.pool.close();
  await rm(t.context.folder, { recursive: true, force: true });
});

async function taskFor(folder: string, name: string, bytes: string | Buffer): Promise<ReadTask> {
  const path = join(folder, name);
  await writeFile(path, bytes);
  return { path, name, reader: 'native', mediaType: (await detectFileType(path, { name })).mediaType };
}

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const collected: Item[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

async function textOf(source: { text(): AsyncIterable<Uint8Array> }): Promise<string> {
  return Buffer.concat(await collect(source.text())).toString();
}

test('titles and headings can be stored, wherever they were cut and whatever they contain', async (t) => {
  const { folder, pool } = t.context;
  const tale = 'The ferry leaves at ten o’clock from the northern pier. '.repeat(20);
  const files = {
    'heading.md': `# ${'a'.repeat(199)}😀 and more\n\n${tale}`,
    'title.html': `<!doctype html><title>${'a'.repeat(299)}😀</title><p>${tale}</p>`,
    'subject.eml': `From: a@example.org\r\nTo: b@example.org\r\nSubject: =?utf-8?Q?Invoice=00_42?=\r\n\r\n${tale}`,
    'matter.md': `---\ntitle: Report\0 Q1\n---\n\n${tale}`,
  };
  const tasks = await Promise.all(Object.entries(files).map(([name, bytes]) => taskFor(folder, name, bytes)));
  await using batch = await pool.read(tasks, { plan: PLAN });
  for (const [place, name] of Object.keys(files).entries()) {
    const outcome = batch.outcomes[place];
    if (!outcome?.ok) {
      t.fail(`${name} was not read`);
      continue;
    }
    const chunks = await collect(outcome.result.chunks());
    t.true(chunks.length > 1, name);
    const stored = [
      ...Object.values(outcome.result.notes),
      ...chunks.flatMap((one) => [one.context, ...one.headingPath]),
    ];
    t.true(
      stored.some((text) => typeof text === 'string' && text !== ''),
      `${name} has a title or a heading`,
    );
    for (const text of stored.filter((one) => typeof one === 'string'))
      t.true(text.isWellFormed() && !text.includes('\0'), `${name}: ${JSON.stringify(text)}`);
  }
});

test('reads documents of every type in one call', async (t) => {
  const sentence = 'The quick brown fox jumps over the lazy dog';
  const files: Readonly<Record<string, string | Buffer>> = {
    'a.txt': sentence,
    'a.md': `# T\n\n${sentence}`,
    'a.html': `<!doctype html><p>${sentence}</p>`,
    'a.csv': `a,b\n1,${sentence}\n`,
    'a.json': JSON.stringify({ a: sentence }),
    'a.jsonl': `${JSON.stringify({ a: sentence })}\n${JSON.stringify({ a: 2 })}\n`,
    'a.py': `# ${sentence}\n`,
    'a.pdf': pdf([[{ text: sentence }]]),
    'a.docx': docx(docxParagraph(sentence)),
  };
  const tasks = await Promise.all(Object.entries(files).map(([name, bytes]) => taskFor(t.context.folder, name, bytes)));
  await using batch = await t.context.pool.read(tasks, { plan: PLAN });
  for (const [index, outcome] of batch.outcomes.entries()) {
    if (!outcome.ok) throw outcome.error;
    const text = await textOf(outcome.result);
    const chunks = await collect(outcome.result.chunks());
    t.true(text.includes(sentence), tasks[index]?.name);
    t.is(Buffer.byteLength(text), outcome.result.sizeBytes);
    t.is(chunks.length, outcome.result.chunkCount);
    t.true(
      chunks.some((chunk) => chunk.text.includes(sentence)) &&
        chunks.every((chunk) => chunk.text === text.slice(chunk.start, chunk.end)),
    );
  }
  t.is(batch.outcomes.length, tasks.length);
});

test('a document that fails is reported with its error code; the others continue', async (t) => {
  const bomb = docx(docxParagraph(' '.repeat(40_000_000)));
  const tasks = await Promise.all([
    taskFor(t.context.folder, 'good.txt', 'good'),
    taskFor(t.context.folder, 'blank.txt', ' \n '),
    taskFor(t.context.folder, 'scan.pdf', pdf([[]])),
    taskFor(t.context.folder, 'locked.pdf', pdf([[{ text: 'x' }]], { isEncrypted: true })),
    taskFor(t.context.folder, 'bomb.docx', bomb),
    taskFor(t.context.folder, 'large.txt', 'x'.repeat(5 * MIB)),
    taskFor(t.context.folder, 'last.txt', 'last'),
  ]);
  await using batch = await t.context.pool.read([
    ...tasks,
    { ...tasks[0], path: tasks[0]?.path ?? '', name: '', mediaType: 'text/plain', reader: 'pdf' },
  ]);
  const codes = batch.outcomes.map((outcome) => (outcome.ok ? 'ok' : outcome.error.code));
  t.deepEqual(codes, [
    'ok',
    'no_text',
    'no_text',
    'encrypted',
    'read_output_limit',
    'read_output_limit',
    'ok',
    'type_mismatch',
  ]);
  for (const outcome of batch.outcomes) if (!outcome.ok) t.notRegex(outcome.error.message, /\/|\n|node_modules/);
});

test('an error of the machine, such as a full disk, is not taken for one of the document', async (t) => {
  const full = await t.throwsAsync(writeFile('/dev/full', 'x'), { code: 'ENOSPC' });
  t.is(readError(full), full);
  const task: ReadPayload = {
    kind: 'read',
    reader: 'native',
    mediaType: 'text/plain',
    name: 'a.txt',
    mainText: false,
    maxTextBytes: MIB,
    timeoutMs: 60_000,
    plan: null,
  };
  const path = join(t.context.folder, 'long.txt');
  await writeFile(path, 'word '.repeat(20_000));
  const outputPrefix = join(t.context.folder, 'full');
  await symlink('/dev/full', `${outputPrefix}.txt`);
  await t.throwsAsync(readAndSplit({ path }, { task, outputPrefix }), { code: 'ENOSPC' });
});

test('stops a document that inflates beyond its declared size', async (t) => {
  const liar = zip(
    { '[Content_Types].xml': '', 'word/document.xml': Buffer.alloc(400 * MIB, 0x20) },
    { claimedBytes: 10 },
  );
  t.true(liar.length < MIB);
  const tasks = await Promise.all([
    taskFor(t.context.folder, 'liar.docx', liar),
    taskFor(t.context.folder, 'after.txt', 'after'),
  ]);
  await using batch = await t.context.pool.read(tasks);
  const [stopped, after] = batch.outcomes;
  t.true(stopped?.ok === false && ['read_memory_limit', 'unreadable'].includes(stopped.error.code));
  t.true(after?.ok);
});

test('splitting a text that was read before returns the same chunks as reading and splitting at once', async (t) => {
  const page = Array.from({ length: 40 }, (_, index) => ({
    text: `Line ${index} of a page with some words on it`,
    y: 780 - index * 14,
  }));
  const task = await taskFor(t.context.folder, 'pages.pdf', pdf(Array.from({ length: 20 }, () => page)));
  await using read = await t.context.pool.read([task], { plan: PLAN });
  const [outcome] = read.outcomes;
  if (!outcome?.ok) throw outcome?.error ?? new Error('no outcome');
  const text = await textOf(outcome.result);
  t.true(text.length > 16_384, 'long enough to travel in files');
  const path = join(t.context.folder, 'pages.txt');
  await writeFile(path, text);
  await using split = await t.context.pool.split([{ path, pages: outcome.result.pages }], { plan: PLAN });
  const [again] = split.outcomes;
  if (!again?.ok) throw again?.error ?? new Error('no outcome');
  const chunks = await collect(again.result.chunks());
  t.deepEqual(chunks, await collect(outcome.result.chunks()));
  t.deepEqual([chunks[0]?.page, chunks.at(-1)?.page], [1, 20]);
});

test('reports each document as soon as it is read, with its text', async (t) => {
  const names = ['one.csv', 'two.csv', 'three.csv'];
  const tasks = await Promise.all(names.map((name) => taskFor(t.context.folder, name, `word,number\n${name},1\n`)));
  const reported = new Map<number, Promise<string>>();
  const onOutcome = (index: number, outcome: Outcome<ReadResult>): void => {
    if (outcome.ok) reported.set(index, textOf(outcome.result));
  };
  await using batch = await t.context.pool.read(tasks, { plan: PLAN, lane: 'express', share: 'w', onOutcome });
  t.is(batch.outcomes.length, names.length);
  for (const [index, name] of names.entries()) t.true((await reported.get(index))?.includes(name), name);
});

test('a document whose reading takes more processor time than its size allows fails alone', async (t) => {
  // The time limit scales the processor time: a second, and five for each MiB. The paragraphs pack to a few KiB and take more.
  const pool = createReaderPool({
    processes: 1,
    memoryBytes: 1024 * MIB,
    timeoutMs: 30_000,
    maxTextBytes: 64 * MIB,
    workFolder: t.context.folder,
  });
  t.teardown(() => pool.close());
  const paragraphs = docxParagraph('The same words again and again.').repeat(150_000);
  const tasks = await Promise.all([
    taskFor(t.context.folder, 'slow.docx', docx(paragraphs)),
    taskFor(t.context.folder, 'next.csv', 'word,number\nnext,1\n'),
  ]);
  await using batch = await pool.read(tasks);
  const [slow, next] = batch.outcomes;
  t.is(slow?.ok === false ? slow.error.code : '', 'read_timeout');
  t.regex(slow?.ok === false ? slow.error.message : '', /s of processor time/);
  t.true(next?.ok);
});
