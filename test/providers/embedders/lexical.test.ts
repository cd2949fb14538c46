import test from 'ava';
import * as fc from 'fast-check';
import { createLexicalEmbedder, createEmbedderSet } from '#providers/embedders/index.ts';

const embedder = createLexicalEmbedder();

async function similarity(one: string, other: string): Promise<number> {
  const [a, b] = await embedder.embed([one, other], 'document');
  return (a ?? new Float32Array()).reduce((sum, value, at) => sum + value * (b?.[at] ?? 0), 0);
}

test('returns a vector of length 1 for every text, also one without words', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.string({ unit: 'binary', maxLength: 300 })), async (texts) => {
      const vectors = await embedder.embed(texts, 'document');
      t.is(vectors.length, texts.length);
      for (const vector of vectors) {
        t.is(vector.length, embedder.space.dimensions);
        t.true(Math.abs(Math.hypot(...vector) - 1) < 1e-5);
      }
    }),
  );
});

test('derives the vector from the text alone', async (t) => {
  const [alone] = await embedder.embed(['wings in a slipstream'], 'query');
  const among = await embedder.embed(['other', 'wings in a slipstream', 'another'], 'document');
  t.deepEqual(among[1], alone);
  t.deepEqual((await createLexicalEmbedder().embed(['wings in a slipstream'], 'document'))[0], alone);
});

test('keeps vectors stable: a change requires a new version', async (t) => {
  const [vector] = await embedder.embed(
    ['The connection was refused by 192.168.0.1; 接続が拒否されました'],
    'document',
  );
  const strongest = Array.from(vector ?? [])
    .map((value, at) => [at, Math.round(value * 1000)])
    .toSorted(([, a = 0], [, b = 0]) => Math.abs(b) - Math.abs(a))
    .slice(0, 3);
  t.deepEqual(
    { version: embedder.space.model_hash, strongest },
    {
      version: 'lexical-1',
      strongest: [
        [78, -250],
        [141, 250],
        [214, -250],
      ],
    },
  );
});

test('places inflections, compounds and typos nearer than other words', async (t) => {
  const other = await similarity('refresh the token', 'annual rainfall in Peru');
  t.true((await similarity('refreshing tokens', 'refresh the token')) > 0.8);
  t.true((await similarity('tokenrefresh', 'refresh the token')) > other + 0.05);
  t.true((await similarity('refesh the token', 'refresh the token')) > other + 0.2);
  t.true((await similarity('东京的天气', '今天东京下雨')) > (await similarity('东京的天气', '北方有佳人')));
});

test('yields to the event loop during a large batch', async (t) => {
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  await embedder.embed(
    Array.from({ length: 300 }, (_, at) => `text ${at} `.repeat(200)),
    'document',
  );
  clearInterval(timer);
  t.true(turns >= 5, `${turns} turns`);
});

test('stops an aborted call', async (t) => {
  await t.throwsAsync(embedder.embed(['x'], 'document', { signal: AbortSignal.abort(new Error('stop')) }), {
    message: 'stop',
  });
});

test('finds an embedder by its complete space', (t) => {
  const set = createEmbedderSet(embedder);
  t.is(set.forSpace({ ...embedder.space }), embedder);
  t.is(set.forSpace({ ...embedder.space, model_hash: 'older' }), null);
  t.is(set.forSpace({ ...embedder.space, dimensions: 2 }), null);
});
