import test from 'ava';
import { findVerifiedHits } from '#operations/search/verified-hits.ts';
import type { Hit } from '#store/weaviate/vector-index.ts';

const hit = (id: string): Hit => ({ id, score: 1, legs: null });

/** Searches an index whose hits change with each call. `published`: the ids that Postgres confirms. */
async function find(rounds: readonly string[][], published: readonly string[], limit = 10) {
  const asked: number[] = [];
  const found = await findVerifiedHits({
    limit,
    searchIndex: async (most) => {
      asked.push(most);
      return (rounds[asked.length - 1] ?? rounds.at(-1) ?? []).slice(0, most).map(hit);
    },
    verify: async (hits) => hits.map(({ id }) => id).filter((id) => published.includes(id)),
    requireIndexExists: async () => undefined,
  });
  return { found, rounds: asked.length };
}

test('a content that is replaced between the two steps is found in its new version', async (t) => {
  const rounds = [
    ['other', 'old'],
    ['other', 'old', 'new'],
  ];
  t.deepEqual(await find(rounds, ['other', 'new']), { found: ['other', 'new'], rounds: 2 });
});

test('the index is searched once where nothing is dropped, or enough is left', async (t) => {
  t.deepEqual(await find([['a', 'b']], ['a', 'b']), { found: ['a', 'b'], rounds: 1 });
  t.deepEqual(await find([['old', 'a', 'b']], ['a', 'b'], 2), { found: ['a', 'b'], rounds: 2 });
  t.deepEqual(await find([['a', 'b', 'old']], ['a', 'b'], 2), { found: ['a', 'b'], rounds: 1 });
  t.deepEqual(await find([[]], []), { found: [], rounds: 1 });
});
