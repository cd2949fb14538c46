import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { createLocalReranker } from '#providers/rerankers/local-reranker.ts';
import { writeCrossEncoder } from '#test/support/fixtures/cross-encoder.ts';

const WORDS = ['otter', 'otters', 'sleep', 'bread', 'salt', 'a', '.'];
const cacheDir = await mkdtemp(join(tmpdir(), 'loci-rerank-cache-'));
test.after.always(() => rm(cacheDir, { recursive: true, force: true }));

type Options = { bias?: number; positions?: number; timeoutMs?: number; threads?: number; passageCharacters?: number };

async function writeModel(t: ExecutionContext, { bias = 0, positions = 64 }: Options = {}): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'loci-cross-encoder-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  await writeCrossEncoder(folder, { words: WORDS, bias, positions });
  return folder;
}

/** A reranker whose model the ONNX runtime runs in a thread; it counts pairs of equal words. */
async function start(t: ExecutionContext, options: Options = {}) {
  const folder = await writeModel(t, options);
  const { timeoutMs = 60_000, threads = 1, passageCharacters = 4_000 } = options;
  const reranker = await createLocalReranker({ folder, threads, timeoutMs, passageCharacters, cacheDir });
  t.teardown(() => reranker.close());
  const rerank = (passages: string[], query = 'Otters sleep') => reranker.rerank({ query, passages, share: 'a' });
  return { reranker, rerank, folder };
}

test('a local cross-encoder reads the query and each passage together', async (t) => {
  const { reranker, rerank, folder } = await start(t, { bias: 0.5 });
  t.is(reranker.name, `local/${folder.split('/').at(-1)}`);
  const passages = ['Bread. Salt.', 'Otters sleep. Sleep!', 'Otters.', ''];
  t.deepEqual(await rerank(passages), { scores: [-0.5, 2.5, 0.5, -0.5] });
  t.deepEqual(await rerank(passages, 'bread'), { scores: [0.5, -0.5, -0.5, -0.5] });
});

test('a passage has the same score in any company, and a hundred are scored in their order', async (t) => {
  const { rerank } = await start(t);
  const passages = Array.from({ length: 100 }, (_, index) => 'sleep '.repeat((index * 37) % 25));
  t.deepEqual(await rerank(passages), { scores: passages.map((_, index) => (index * 37) % 25) });
});

test('a passage is cut to what the model reads, and a long query leaves it half of that', async (t) => {
  const { rerank } = await start(t, { positions: 23 });
  // Three special tokens, one of the query, and 19 of the passage.
  t.deepEqual(await rerank(['otter '.repeat(100)], 'otter'), { scores: [19] });
  t.deepEqual(await rerank(['otter '.repeat(100)], 'otter '.repeat(100)), { scores: [100] });
});

test('searches wait for each other on one thread, or use several', async (t) => {
  for (const threads of [1, 2]) {
    const { rerank } = await start(t, { threads });
    const outcomes = await Promise.all(Array.from({ length: 6 }, () => rerank(['otters', 'bread'])));
    t.deepEqual(
      outcomes,
      Array.from({ length: 6 }, () => ({ scores: [1, 0] })),
    );
  }
});

test('passages are cut as the operator says, and scores are always logits', async (t) => {
  const { reranker, rerank } = await start(t, { positions: 512, passageCharacters: 200 });
  t.true(reranker.returnsLogits());
  t.deepEqual(await rerank(['otter '.repeat(100)], 'otter'), { scores: [33] });
  t.true(reranker.returnsLogits());
});

test('a model that is too slow ends with the reason', async (t) => {
  const { rerank } = await start(t, { positions: 512, timeoutMs: 1 });
  const outcome = await rerank(Array.from({ length: 100 }, () => 'otter '.repeat(600)));
  t.true('reason' in outcome && ['timeout', 'busy'].includes(outcome.reason), JSON.stringify(outcome));
});

test('a folder without a usable cross-encoder is named, with the setting to change', async (t) => {
  const open = (folder: string) =>
    createLocalReranker({ folder, threads: 1, timeoutMs: 1_000, passageCharacters: 4_000, cacheDir });
  const nowhere = join(tmpdir(), 'loci-no-such-folder');
  await t.throwsAsync(open(nowhere), {
    message: /loci-no-such-folder cannot be used: .*does not exist.*LOCI_RERANK_FOLDER/,
  });
  const broken = await writeModel(t);
  await writeFile(join(broken, 'onnx', 'model.onnx'), 'no model');
  await t.throwsAsync(open(broken), { message: /its weights cannot be loaded.*LOCI_RERANK_FOLDER/ });
  const bare = await writeModel(t);
  await rm(join(bare, 'tokenizer.json'));
  await t.throwsAsync(open(bare), { message: /tokenizer\.json is missing.*LOCI_RERANK_FOLDER/ });
});

test('a model that returns several numbers for a pair is no cross-encoder', async (t) => {
  const folder = await writeModel(t);
  await writeCrossEncoder(folder, { words: WORDS, scores: 2 });
  const opening = createLocalReranker({ folder, threads: 1, timeoutMs: 1_000, passageCharacters: 4_000, cacheDir });
  await t.throwsAsync(opening, { message: /it is no cross-encoder: it returns 2 × 2 numbers.*LOCI_RERANK_FOLDER/ });
});
