import test from 'ava';
import { withQueryCache } from '#providers/embedders/query-cache.ts';
import { createLexicalEmbedder } from '#providers/embedders/lexical.ts';
import type { Embedder } from '#domain/embedder.ts';

/** The lexical embedder, with a record of its calls and a gate that can hold them. */
function recorded(gate: Promise<void> = Promise.resolve()) {
  const asked: string[] = [];
  const inner = createLexicalEmbedder();
  const embedder: Embedder = {
    ...inner,
    async embed(texts, purpose, options = {}) {
      asked.push(...texts);
      await Promise.race([gate, aborted(options.signal)]);
      return inner.embed(texts, purpose, options);
    },
  };
  return { embedder: withQueryCache(embedder, { entries: 2 }), asked, inner };
}

function aborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
}

test('embeds a query once, a document each time', async (t) => {
  const { embedder, asked, inner } = recorded();
  const [first] = await embedder.embed(['cats'], 'query');
  const [again] = await embedder.embed(['cats'], 'query');
  t.deepEqual(first, again);
  t.deepEqual([first], await inner.embed(['cats'], 'query'));
  await embedder.embed(['cats'], 'document');
  await embedder.embed(['cats'], 'document');
  t.deepEqual(asked, ['cats', 'cats', 'cats']);
});

test('does not share a vector that a caller modifies', async (t) => {
  const { embedder } = recorded();
  const [first] = await embedder.embed(['cats'], 'query');
  const before = first?.slice();
  first?.fill(0);
  t.deepEqual((await embedder.embed(['cats'], 'query'))[0], before);
});

test('shares one computation between concurrent calls with the same query', async (t) => {
  const gate = Promise.withResolvers<void>();
  const { embedder, asked } = recorded(gate.promise);
  const calls = [embedder.embed(['cats'], 'query'), embedder.embed(['cats'], 'query')];
  gate.resolve();
  const [one, two] = await Promise.all(calls);
  t.deepEqual(one, two);
  t.deepEqual(asked, ['cats']);
});

test('stops a shared computation only when the last caller aborts', async (t) => {
  const gate = Promise.withResolvers<void>();
  const { embedder, asked } = recorded(gate.promise);
  const [first, second] = [new AbortController(), new AbortController()];
  const givenUp = embedder.embed(['cats'], 'query', { signal: first.signal });
  const kept = embedder.embed(['cats'], 'query', { signal: second.signal });
  first.abort(new Error('gone'));
  await t.throwsAsync(givenUp, { message: 'gone' });
  gate.resolve();
  t.is((await kept).length, 1);

  const alone = recorded(new Promise(() => undefined));
  const stop = new AbortController();
  const call = alone.embedder.embed(['dogs'], 'query', { signal: stop.signal });
  stop.abort(new Error('gone too'));
  await t.throwsAsync(call, { message: 'gone too' });
  t.deepEqual(asked, ['cats']);
});

test('does not cache a failure', async (t) => {
  let fails = true;
  const inner = createLexicalEmbedder();
  const embedder = withQueryCache(
    {
      ...inner,
      embed: (texts, purpose) => (fails ? Promise.reject(new Error('down')) : inner.embed(texts, purpose)),
    },
    { entries: 10 },
  );
  await t.throwsAsync(embedder.embed(['cats'], 'query'), { message: 'down' });
  fails = false;
  t.is((await embedder.embed(['cats'], 'query')).length, 1);
});

test('evicts the oldest query when the cache is full', async (t) => {
  const { embedder, asked } = recorded();
  for (const query of ['one', 'two', 'three', 'one']) await embedder.embed([query], 'query');
  t.deepEqual(asked, ['one', 'two', 'three', 'one']);
});
