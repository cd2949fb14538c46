import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { createStructureChunker } from '#providers/chunkers/structure-chunker.ts';
import {
  createReaderPool,
  type ReaderPool,
  type ReadResult,
  type ReadTask,
  type SplitPlan,
} from '#providers/readers/reader-pool.ts';
import type { ReadPayload } from '#providers/readers/task-payload.ts';
import { SandboxPool } from '#providers/sandbox/sandbox-pool.ts';

const MIB = 1024 * 1024;
/** Longest text that is read in this process. */
const SMALL_BYTES = 16 * 1024;
const MAX_LINES = 1000;
const LIMITS = { processes: 1, memoryBytes: 400 * MIB, timeoutMs: 60_000 };
const PLAN: SplitPlan = {
  limits: { maxTokens: 60, targetTokens: 40 },
  counting: { kind: 'estimate', charactersPerToken: 4 },
};

async function openPool(t: ExecutionContext): Promise<{ pool: ReaderPool; folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'loci-test-'));
  const pool = createReaderPool({ ...LIMITS, maxTextBytes: 4 * MIB, workFolder: folder });
  t.teardown(async () => {
    await pool.close();
    await rm(folder, { recursive: true, force: true });
  });
  return { pool, folder };
}

/** A task without a file: only its bytes can be read. */
function taskOf(bytes: string | Uint8Array, mediaType = 'text/plain', reader = 'native'): ReadTask {
  return { path: '/nowhere', bytes: Buffer.from(bytes), name: 'file', mediaType, reader };
}

/** A child process gets a folder before it starts. */
async function hasStartedChild(folder: string): Promise<boolean> {
  return (await readdir(folder)).some((name) => name.startsWith('loci-sandbox-'));
}

/** Everything that a result says. */
async function contentOf(result: ReadResult): Promise<unknown> {
  const [text, chunks]: [Uint8Array[], unknown[]] = [[], []];
  for await (const part of result.text()) text.push(part);
  for await (const chunk of result.chunks()) chunks.push(chunk);
  const { sizeBytes, pages, notes, chunkCount } = result;
  return { text: Buffer.concat(text).toString(), chunks, sizeBytes, pages, notes, chunkCount };
}

const SENTENCES = 'The keeper writes down the weather. It rains! Does it? '.repeat(20);
const TEXTS: readonly ReadTask[] = [
  taskOf('one line'),
  taskOf(SENTENCES),
  taskOf(`\uFEFF${SENTENCES}\r\nsecond\rthird`),
  taskOf(`# Heading\n\n${SENTENCES}\n\n- a\n- b\n\n| x | y |\n|---|---|\n| 1 | 2 |\n`, 'text/markdown'),
  taskOf('---\ntitle: "T"\n---\n# H\n<!-- hidden -->shown\n\n```js\nlet a;\n```\n', 'text/markdown'),
  taskOf('# a plain text\n<!-- kept -->', 'text/plain', 'text'),
  taskOf('def f():\n    return 1\n', 'text/x-python'),
  taskOf('Zażółć 漢字 👩‍👩‍👧 e\u0301 \u202e'),
  taskOf(' \n '),
];

test('reads small plain texts in this process, with the result of a child process', async (t) => {
  const { pool, folder } = await openPool(t);
  await using batch = await pool.read(TEXTS, { plan: PLAN });
  t.false(await hasStartedChild(folder));
  const sandbox = new SandboxPool({
    ...LIMITS,
    taskModule: join(import.meta.dirname, '..', '..', '..', 'providers', 'readers', 'run-task.ts'),
    workFolder: folder,
  });
  t.teardown(() => sandbox.close());
  const tasks = await Promise.all(
    TEXTS.map(async ({ bytes = Buffer.alloc(0), reader, mediaType, name }, index) => {
      const inputPath = join(folder, `text-${index}`);
      await writeFile(inputPath, bytes);
      const limits = { maxTextBytes: 4 * MIB, timeoutMs: 60_000 };
      const payload: ReadPayload = { kind: 'read', reader, mediaType, name, mainText: false, plan: PLAN, ...limits };
      return { inputPath, payload };
    }),
  );
  await using children = await sandbox.run(tasks);
  for (const [index, outcome] of batch.outcomes.entries()) {
    const child = children.outcomes[index];
    if (!outcome.ok) t.is(child?.ok === false && 'code' in child.error ? child.error.code : '', outcome.error.code);
    else t.like(child?.ok ? child.value : {}, { ...Object(await contentOf(outcome.result)) });
  }
  t.deepEqual(
    batch.outcomes.map((outcome) => (outcome.ok ? 'ok' : outcome.error.code)),
    [...TEXTS.slice(1).map(() => 'ok'), 'no_text'],
  );
});

for (const [what, bytes, mediaType] of [
  ['larger texts', 'x'.repeat(SMALL_BYTES + 1), 'text/plain'],
  ['texts of many lines', 'a\n'.repeat(MAX_LINES + 1), 'text/plain'],
  ['texts whose encoding must be guessed', Buffer.from('na\xefve caf\xe9', 'latin1'), 'text/plain'],
  ['other formats', 'a,b\n1,2\n', 'text/csv'],
] as const) {
  test(`has a child process read ${what}`, async (t) => {
    const { pool, folder } = await openPool(t);
    const path = join(folder, 'file');
    await writeFile(path, bytes);
    await using batch = await pool.read([{ path, name: 'file', mediaType, reader: 'native' }]);
    t.true(batch.outcomes[0]?.ok);
    t.true(await hasStartedChild(folder));
  });
}

test('reads a small file without its bytes, and fails the call when the file is missing', async (t) => {
  const { pool, folder } = await openPool(t);
  const path = join(folder, 'file');
  await writeFile(path, 'x'.repeat(SMALL_BYTES));
  const task = { name: 'file', mediaType: 'text/plain', reader: 'native' };
  await using batch = await pool.read([{ ...task, path }]);
  t.is(batch.outcomes[0]?.ok && batch.outcomes[0].result.sizeBytes, SMALL_BYTES);
  t.false(await hasStartedChild(folder));
  await t.throwsAsync(pool.read([{ ...task, path: join(folder, 'absent') }]), { code: 'ENOENT' });
});

test('a text that somebody waits for passes a call with many texts, and workspaces take turns', async (t) => {
  const { pool } = await openPool(t);
  const seen: string[] = [];
  const read = async (name: string, count: number, work: { lane?: 'express'; share: string }): Promise<void> => {
    const tasks = Array.from({ length: count }, () => taskOf('text'));
    await using batch = await pool.read(tasks, { ...work, onOutcome: () => seen.push(name) });
    t.is(batch.outcomes.length, count);
  };
  const a = { share: 'a' };
  await Promise.all([
    read('a', 50, a),
    read('a', 50, a),
    read('b', 10, { share: 'b' }),
    read('e', 1, { ...a, lane: 'express' }),
  ]);
  t.true(seen.indexOf('e') < 5, seen.slice(0, 10).join(''));
  t.true(seen.lastIndexOf('b') < 22, seen.slice(0, 40).join(''));
});

test('stops between two texts when the call is aborted, and when the time to begin is over', async (t) => {
  const { pool } = await openPool(t);
  const tasks = Array.from({ length: 20 }, () => taskOf('text'));
  const controller = new AbortController();
  let outcomes = 0;
  const onOutcome = (): void => {
    outcomes += 1;
    if (outcomes === 3) controller.abort(new Error('cancelled'));
  };
  await t.throwsAsync(pool.read(tasks, { signal: controller.signal, onOutcome }), { message: 'cancelled' });
  t.is(outcomes, 3);
  await using batch = await pool.read(tasks, { startWithinMs: 0 });
  const codes = batch.outcomes.map((outcome) => (outcome.ok ? 'ok' : outcome.error.code));
  t.deepEqual([codes[0], codes.at(-1)], ['ok', 'dependency_unavailable']);
});

const RUNS: Readonly<Record<string, string>> = {
  'one letter': 'a',
  spaces: ' ',
  dots: '.',
  hashes: '#',
  pipes: '|',
  'table rows': '|a|b',
  stars: '*',
  quotations: '> ',
  backticks: '`',
  'opening tags': '<b>',
  comments: '<!--',
  abbreviations: 'e.g. ',
  sentences: 'A. ',
  numbers: '1.2.3.',
  'combining marks': 'e\u0301\u0351\u036b\u0343\u036a\u0302',
  emoji: '😀',
  'joined emoji': '👩‍👩‍👧‍👦',
  ideographs: '漢',
  'right-to-left marks': '\u202e',
  'zero-width spaces': '\u200b',
  'short lines': 'some words \n'.repeat(2),
};

for (const [what, run] of Object.entries(RUNS)) {
  test(`splits a small text of ${what} with few calls of the tokenizer, each on a small part`, async (t) => {
    const text = run.repeat(SMALL_BYTES).slice(0, SMALL_BYTES).split('\n').slice(0, MAX_LINES).join('\n');
    const counted = { calls: 0, characters: 0 };
    const countTokens = (part: string): number => {
      counted.calls += 1;
      counted.characters += part.length;
      return Math.ceil(part.length / 4);
    };
    const limits = { maxTokens: 254, targetTokens: 200 };
    for (const chunk of createStructureChunker().split({ text, pages: [], notes: {} }, limits, countTokens)) {
      t.is(chunk.text, text.slice(chunk.start, chunk.end));
    }
    t.true(counted.calls <= 3 * MAX_LINES && counted.characters <= 4 * text.length, JSON.stringify(counted));
  });
}
