import test from 'ava';
import { findVerifiedHits } from '#operations/search/verified-hits.ts';

/** `unpublished`: contents that are not published after this round. `published`: those that Postgres confirms in it. */
type Round = { hits: readonly string[]; unpublished?: readonly string[]; published?: readonly string[] };

const contentOf = (id: string) => id.split('#', 1)[0] ?? id;

/** Searches an index whose hits change with each call, as `<content>#<number>`. `published`: the contents that Postgres confirms. */
async function find(rounds: readonly Round[], published: readonly string[], limit = 10) {
  let calls = 0;
  const roundOf = (call: number): Round => rounds[call - 1] ?? rounds.at(-1) ?? { hits: [] };
  const found = await findVerifiedHits({
    limit,
    searchIndex: async (most, exclude) => {
      calls += 1;
      const excluded = new Set(exclude.map(({ content_id }) => content_id));
      const hits = roundOf(calls).hits.filter((id) => !excluded.has(contentOf(id)));
      return hits.slice(0, most).map((id) => ({ id, score: 1, legs: null }));
    },
    verify: async (hits) => {
      const confirmed = roundOf(calls).published ?? published;
      return hits.filter(({ id }) => confirmed.includes(contentOf(id))).map((hit) => ({ hit }));
    },
    findUnpublished: async (ids) => {
      const contents = new Set(ids.map(contentOf));
      const { unpublished = [] } = roundOf(calls);
      return unpublished.filter((id) => contents.has(id)).map((id) => ({ content_id: id, version: 1 }));
    },
    requireIndexExists: async () => undefined,
  });
  return { found: found.map(({ hit }) => hit.id), rounds: calls };
}

const numbered = (content: string, count: number) =>
  Array.from({ length: count }, (_, number) => `${content}#${number}`);

test('a content that is replaced between the two steps is found in its new version', async (t) => {
  const rounds = [{ hits: ['other', 'old'] }, { hits: ['other', 'old', 'new'] }];
  t.deepEqual(await find(rounds, ['other', 'new']), { found: ['other', 'new'], rounds: 2 });
});

test('contents that are replaced one after the other, each during a round, are all found', async (t) => {
  const all = (first: string, second: string) => ['other', first, second];
  const rounds = [
    { hits: all('a-old', 'b-old'), published: ['other', 'a-new', 'b-old'] },
    { hits: all('a-new', 'b-old'), published: ['other', 'a-new', 'b-new'] },
    { hits: all('a-new', 'b-new'), published: ['other', 'a-new', 'b-new'] },
  ];
  t.deepEqual((await find(rounds, [])).found, all('a-new', 'b-new'));
});

test('a search ends when the index is only behind the metadata of contents', async (t) => {
  t.deepEqual(await find([{ hits: ['a', 'changed', 'b'] }], ['a', 'b']), { found: ['a', 'b'], rounds: 2 });
  t.deepEqual(await find([{ hits: ['changed'] }], []), { found: [], rounds: 2 });
  const hits = [...numbered('changed', 5_000), 'a'];
  t.deepEqual(await find([{ hits }], ['a']), { found: [], rounds: 6 });
});

test('a version that is published while the search leaves it out is found', async (t) => {
  const ingesting = { hits: ['new'], unpublished: ['new'], published: ['old'] };
  const rounds = [ingesting, { hits: ['new', 'old'], published: ['new'] }];
  t.deepEqual(await find(rounds, ['new']), { found: ['new'], rounds: 3 });
});

test('the index is searched once where nothing is dropped, or enough is left', async (t) => {
  t.deepEqual(await find([{ hits: ['a', 'b'] }], ['a', 'b']), { found: ['a', 'b'], rounds: 1 });
  t.deepEqual(await find([{ hits: ['old', 'a', 'b'] }], ['a', 'b'], 2), { found: ['a', 'b'], rounds: 2 });
  t.deepEqual(await find([{ hits: ['a', 'b', 'old'] }], ['a', 'b'], 2), { found: ['a', 'b'], rounds: 1 });
  t.deepEqual(await find([{ hits: [] }], []), { found: [], rounds: 1 });
});

test('a large version that is not published does not hide other contents', async (t) => {
  const hits = [...numbered('ingested', 3_000), 'a', 'b'];
  t.deepEqual(await find([{ hits, unpublished: ['ingested'] }], ['a', 'b'], 2), { found: ['a', 'b'], rounds: 2 });
});
