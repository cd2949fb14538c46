import test from 'ava';
import { embeddingOf } from '../../client/src/cli/embedding-of.ts';

test('an embedder is named as older servers understand it, where they can', (t) => {
  for (const provider of ['local', 'openai', 'lexical']) t.deepEqual(embeddingOf(provider), { provider } as object);
  t.deepEqual(embeddingOf('default'), { name: 'default' });
  t.deepEqual(embeddingOf('bge'), { name: 'bge' });
});
