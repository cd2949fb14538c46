import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import test from 'ava';
import type { Embedder } from '#domain/embedder.ts';
import { createLocalEmbedder } from '#providers/embedders/local.ts';
import { createTokenCounter } from '#providers/chunkers/token-counter.ts';

const folder = process.env['LOCI_EMBEDDER_FOLDER'] ?? '';
const isPresent = folder !== '' && existsSync(join(folder, 'tokenizer.json'));
const withModel = isPresent ? test.serial : test.serial.skip;
if (!isPresent)
  test('skips the tests of the local embedder: LOCI_EMBEDDER_FOLDER names no model folder', (t) => t.false(isPresent));

const cacheDir = await mkdtemp(join(tmpdir(), 'loci-cache-'));
let shared: Promise<Embedder> | null = null;
function model(): Promise<Embedder> {
  shared ??= createLocalEmbedder({ model: 'all-MiniLM-L6-v2', folder, cacheDir, threads: 2 });
  return shared;
}
test.after.always(async () => {
  await (await shared)?.close();
  await rm(cacheDir, { recursive: true });
});

function cosine(one: Float32Array | undefined, other: Float32Array | undefined): number {
  return (one ?? new Float32Array()).reduce((sum, value, at) => sum + value * (other?.[at] ?? 0), 0);
}

withModel('gives a text the same unit vector in any batch, and keeps the order', async (t) => {
  const embedder = await model();
  const texts = Array.from(
    { length: 30 },
    (_, at) => `Sentence ${at} is about ${'something '.repeat((at * 7) % 31)}else.`,
  );
  const together = await embedder.embed(texts, 'document');
  for (const at of [0, 7, 19, 29]) {
    const [alone] = await embedder.embed([texts[at] ?? ''], 'document');
    t.true(cosine(alone, together[at]) > 0.9999, `text ${at}`);
    t.true(Math.abs(Math.hypot(...(together[at] ?? [])) - 1) < 1e-5);
  }
  t.is(together[0]?.length, embedder.space.dimensions);
});

withModel('places texts of similar meaning nearer than others', async (t) => {
  const [cat, kitten, bank] = await (
    await model()
  ).embed(
    ['A cat sleeps on the sofa.', 'The kitten is napping on the couch.', 'The bank raised its interest rates.'],
    'document',
  );
  t.true(cosine(cat, kitten) > cosine(cat, bank) + 0.3);
});

withModel('returns unit vectors for empty, blank, huge and unusual texts', async (t) => {
  const texts = [
    '',
    ' \n',
    'x'.repeat(100_000),
    'word '.repeat(20_000),
    '\ud800',
    '\u0000',
    '\u0301'.repeat(500),
    '天地'.repeat(3_000),
  ];
  const vectors = await (await model()).embed(texts, 'document');
  t.is(vectors.length, texts.length);
  for (const vector of vectors) t.true(Math.abs(Math.hypot(...vector) - 1) < 1e-5);
  t.deepEqual(await (await model()).embed([], 'document'), []);
});

withModel('embeds a query while many documents are being embedded, without blocking the event loop', async (t) => {
  const embedder = await model();
  let isDone = false;
  const abort = new AbortController();
  const documents = embedder
    .embed(
      Array.from({ length: 2_000 }, (_, at) => `Document ${at} says this and that about something.`),
      'document',
      { signal: abort.signal },
    )
    .then(() => (isDone = true));
  await embedder.embed(['a query'], 'query');
  t.false(isDone);
  // A blocked event loop would come to the first of these timers after the last document.
  for (let turn = 0; turn < 20; turn++) await setTimeout(1);
  t.false(isDone);
  abort.abort(new Error('enough'));
  await t.throwsAsync(documents, { message: 'enough' });
});

/** The texts of one call, which fill one or two units. */
function bulkTexts(name: string): string[] {
  return Array.from({ length: 24 }, (_, at) => `${name} ${at}: ${'this and that about something. '.repeat(6)}`);
}

withModel('embeds a query and an express document before the bulk that was queued earlier', async (t) => {
  const embedder = await model();
  const finished: string[] = [];
  const calls = ['a', 'b'].flatMap((share) =>
    Array.from({ length: 20 }, async (_, at) => {
      await embedder.embed(bulkTexts(`${share}${at}`), 'document', { lane: 'bulk', share });
      finished.push(share);
    }),
  );
  await embedder.embed(['a query'], 'query', { share: 'c' });
  await embedder.embed(['A document that somebody waits for.'], 'document', { lane: 'express', share: 'c' });
  t.true(finished.length < 10, `${finished.length} of 40 bulk calls were finished`);
  await Promise.all(calls);
  // Workspaces take turns, although all calls of the first one were made before those of the second.
  const half = finished.slice(0, 20);
  t.true(Math.abs(half.filter((share) => share === 'a').length - 10) <= 3, half.join(''));
});

withModel('bulk threads give way to all others', async (t) => {
  if (process.platform !== 'linux') {
    t.pass('only Linux has priorities of threads');
    return;
  }
  const embedder = await model();
  await embedder.embed(bulkTexts('a'), 'document');
  const tasks = await readdir('/proc/self/task');
  const nices = await Promise.all(
    // The fields after the name in parentheses; the 17th of them is the nice value.
    tasks.map(
      async (task) => (await readFile(`/proc/self/task/${task}/stat`, 'utf8')).replace(/^.*\) /s, '').split(' ')[16],
    ),
  );
  t.true(nices.includes('10'));
  t.true(nices.includes('0'));
  t.is((await readFile('/proc/self/stat', 'utf8')).replace(/^.*\) /s, '').split(' ')[16], '0');
});

withModel('gives the same vectors with the optimized copy of the weights as without', async (t) => {
  await model();
  const copies = await readdir(join(cacheDir, 'optimized-models'));
  t.is(copies.length, 1);
  const occupied = join(cacheDir, 'occupied');
  await writeFile(occupied, 'not a folder');
  const damaged = await mkdtemp(join(tmpdir(), 'loci-cache-'));
  t.teardown(() => rm(damaged, { recursive: true }));
  const copy = join(damaged, 'optimized-models', copies[0] ?? '');
  await mkdir(copy, { recursive: true });
  await writeFile(join(copy, 'model.onnx'), 'not a model');
  const texts = ['A cat sleeps on the sofa.', 'word '.repeat(400)];
  const [expected, expectedLong] = await (await model()).embed(texts, 'document');
  for (const unusable of [occupied, damaged]) {
    const embedder = await createLocalEmbedder({ model: 'all-MiniLM-L6-v2', folder, cacheDir: unusable, threads: 1 });
    const [vector, long] = await embedder.embed(texts, 'document');
    t.deepEqual(embedder.space, (await model()).space);
    t.true(cosine(vector, expected) > 0.9999);
    t.true(cosine(long, expectedLong) > 0.9999);
    await embedder.close();
  }
});

withModel('names the weights in the space, and counts tokens as maxTokens does', async (t) => {
  const embedder = await model();
  t.regex(embedder.space.model_hash, /^[0-9a-f]{64}$/);
  const count = await createTokenCounter(embedder.tokenCounting);
  const fits = 'word '.repeat(embedder.maxTokens);
  t.is(count(fits), embedder.maxTokens);
  const all = 'word '.repeat(2_048);
  const texts = [fits, `${fits} volcano`, `volcano ${fits}`, all, `${all} volcano`];
  const [whole, longer, read, limit, cut] = await embedder.embed(texts, 'document');
  for (const other of [read, longer]) t.true(cosine(whole, other) < 0.9999, 'chunks for other models may be longer');
  t.true(cosine(limit, cut) > 0.99999, '2,048 tokens are read');
});

withModel('includes the end of a text that is longer than one sequence', async (t) => {
  const embedder = await model();
  const filler = 'The committee met on Tuesday and approved the minutes of the previous meeting. '.repeat(20);
  const ending = 'The volcano erupted and its lava buried the village. '.repeat(10);
  const [long, plain, topic] = await embedder.embed([filler + ending, filler, 'volcanic eruption'], 'document');
  t.true(cosine(long, topic) > cosine(plain, topic) + 0.1);
});

withModel('accepts the folder of the model or its parent folder', async (t) => {
  const embedder = await createLocalEmbedder({
    model: basename(folder),
    folder: dirname(folder),
    cacheDir,
    threads: 1,
  });
  t.is((await embedder.embed(['x'], 'query')).length, 1);
  await embedder.close();
  await t.throwsAsync(embedder.embed(['x'], 'query'), { message: /closed/ });
});

withModel('applies the settings next to the weights: length, pooling, prompts', async (t) => {
  const copy = await mkdtemp(join(tmpdir(), 'loci-model-'));
  await cp(folder, copy, { recursive: true });
  await writeFile(join(copy, 'sentence_bert_config.json'), '{"max_seq_length": 16}');
  await writeFile(join(copy, 'config_sentence_transformers.json'), '{"prompts": {"query": "volcano eruption: "}}');
  const embedder = await createLocalEmbedder({ model: 'm', folder: copy, cacheDir, threads: 1 });
  t.is(embedder.maxTokens, 4 * 14);
  const [query] = await embedder.embed(['cats'], 'query');
  const [prefixed, plain] = await embedder.embed(['volcano eruption: cats', 'cats'], 'document');
  t.true(cosine(query, prefixed) > 0.9999);
  t.true(cosine(query, plain) < 0.99);
  await embedder.close();

  await mkdir(join(copy, '1_Pooling'));
  await writeFile(join(copy, '1_Pooling', 'config.json'), '{"pooling_mode_cls_token": true}');
  const byFirst = await createLocalEmbedder({ model: 'm', folder: copy, cacheDir, threads: 1 });
  t.true(cosine((await byFirst.embed(['cats'], 'document'))[0], plain) < 0.99);
  await byFirst.close();
  await rm(copy, { recursive: true });
});

test('names the setting of a folder without a usable model', async (t) => {
  const empty = await mkdtemp(join(tmpdir(), 'loci-model-'));
  const create = () => createLocalEmbedder({ model: 'm', folder: empty, cacheDir, threads: 1 });
  await t.throwsAsync(create(), { message: /LOCI_EMBEDDER_FOLDER/ });
  await writeFile(join(empty, 'model.onnx'), 'not a model');
  await writeFile(join(empty, 'tokenizer.json'), '{}');
  await t.throwsAsync(create(), { message: /weights cannot be loaded[^]*LOCI_EMBEDDER_FOLDER/ });
  await rm(empty, { recursive: true });
});

withModel('disables the telemetry of the model runtime', async (t) => {
  const home = await mkdtemp(join(tmpdir(), 'loci-home-'));
  t.teardown(() => rm(home, { recursive: true, force: true }));
  const options = JSON.stringify({ model: 'all-MiniLM-L6-v2', folder, cacheDir, threads: 1 });
  const script = `const { createLocalEmbedder } = await import('${import.meta.resolve('#providers/embedders/local.ts')}');
    const embedder = await createLocalEmbedder(${options});
    await embedder.embed(['A sentence.'], 'query');
    await embedder.close();`;
  const { ORT_DISABLE_TELEMETRY: _, XDG_CACHE_HOME: __, ...environment } = process.env;
  const program = join(home, 'embed.mjs');
  await writeFile(program, script);
  await promisify(execFile)(process.execPath, [program], { env: { ...environment, HOME: home } });
  t.deepEqual(await readdir(home), ['embed.mjs']);
});

withModel('a preset gives the length of sequences, and refuses another model', async (t) => {
  const options = { model: 'all-MiniLM-L6-v2', folder, cacheDir, threads: 1 };
  const plain = await model();
  const preset = await createLocalEmbedder({ ...options, preset: 'all-MiniLM-L12-v2' });
  t.is(preset.maxTokens, 4 * (128 - 2));
  t.not(preset.space.model_hash, plain.space.model_hash);
  await preset.close();
  await t.throwsAsync(createLocalEmbedder({ ...options, preset: 'bge-base-en-v1.5' }), {
    message: /its vectors have 384 dimensions, those of bge-base-en-v1.5 768: it is another model/,
  });
});
