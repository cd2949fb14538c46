import test from 'ava';
import { v7 as uuidv7 } from 'uuid';
import { CreateCollectionRequest } from '#domain/records/collection.ts';
import { createLexicalEmbedder } from '#providers/embedders/index.ts';
import type { ContentFilter } from '#store/contents/content-lists.ts';
import { query } from '#store/postgres.ts';
import { makePlace, type Place } from '#test/support/harness/content-runs.ts';
import { openOwnDatabase } from '#test/support/harness/own-services.ts';

/** A content in a collection, since a second. */
type Link = { content_id: string; collection_id: string; home: string; second: number; stage: string };

const COLLECTIONS = 40;
const CONTENTS = 240;

async function makeCollections(place: Place): Promise<string[]> {
  const { stores, scope, database } = place;
  const request = { ...CreateCollectionRequest.parse({ name: 'first' }), createdBy: 'a test' };
  const first = await stores.collections.insert(scope, request, createLexicalEmbedder().space);
  const others = Array.from({ length: COLLECTIONS - 1 }, () => uuidv7());
  await query(
    database,
    `insert into collections (id, workspace_id, name) select x, :workspaceId, 'other' from unnest(:others::uuid[]) x`,
    { ...scope, others },
  );
  return [first, ...others];
}

/** Writes contents with links of given times, which no sequence of calls would bring about in reasonable time. */
async function addLinks({ database, scope }: Place, links: readonly Link[]): Promise<void> {
  const bindings = { ...scope, links: JSON.stringify(links) };
  const rows = `jsonb_to_recordset(:links::jsonb) as x(content_id uuid, collection_id uuid, home uuid, second int, stage text)`;
  await query(
    database,
    `insert into contents (id, workspace_id, collection_id, name, size, status, source, created_at)
     select content_id, :workspaceId, home, 'x', 1, stage, 'text', to_timestamp(1e9 + second)
     from ${rows} where collection_id = home`,
    bindings,
  );
  await query(
    database,
    `insert into content_collections (content_id, collection_id, workspace_id, run_id, stage, reader, created_at)
     select content_id, collection_id, :workspaceId, uuidv7(), stage, 'native', to_timestamp(1e9 + second)
     from ${rows} order by second`,
    bindings,
  );
}

/** The list by its definition: each content once, by its link at home or else by the oldest one in the scope. */
function expectedList(links: readonly Link[], isInScope: (collectionId: string) => boolean, stage?: string): string[] {
  const shown = [...Map.groupBy(links, (link) => link.content_id).values()].flatMap((all) => {
    const [first] = all
      .filter((link) => isInScope(link.collection_id))
      .toSorted((a, b) => rank(a) - rank(b) || a.second - b.second || (a.collection_id < b.collection_id ? -1 : 1));
    return first ? [first] : [];
  });
  return shown
    .filter((link) => stage === undefined || link.stage === stage)
    .toSorted((a, b) => a.second - b.second || (a.content_id < b.content_id ? -1 : 1))
    .map((link) => `${link.content_id} ${link.collection_id}`);
}

const rank = (link: Link): number => (link.collection_id === link.home ? 0 : 1);

/** Each content has a home, by its number; `elsewhere`: other collections into which it came, and how much later. */
function linksOf(home: (number: number) => string, elsewhere: (number: number) => [string, number][]): Link[] {
  return Array.from({ length: CONTENTS }, (_, number) => {
    const content = { content_id: uuidv7(), home: home(number), stage: number % 6 === 0 ? 'failed' : 'stored' };
    // Several contents of one second are in the order of their ids.
    const second = Math.floor(number / 3);
    const others = elsewhere(number).filter(([id]) => id !== content.home);
    return [[content.home, 0] as const, ...others].map(([collection_id, later]) => {
      return { ...content, collection_id, second: second + later };
    });
  }).flat();
}

async function readList(
  { stores, scope }: Place,
  limited: string[],
  { limit, ...filter }: ContentFilter & { limit: number },
) {
  const found: string[] = [];
  for (let after: { createdUs: number; id: string } | null = null; ;) {
    const page = await stores.contents.list({ ...scope, collectionIds: limited }, filter, { after, limit });
    found.push(...page.rows.map(({ content }) => `${content.id} ${content.collection_id}`));
    const last = page.rows.at(-1);
    if (!page.hasMore || !last) return found;
    after = { createdUs: last.createdUs, id: last.content.id };
  }
}

const at = (ids: readonly string[], place: number): string => ids[place % ids.length] ?? '';

/** How contents come into collections; of each, other pages are found by other steps of the statement. */
const FILLINGS: Record<string, (ids: readonly string[]) => Link[]> = {
  'one collection after the other': (ids) =>
    linksOf(
      (number) => at(ids, Math.floor(number / 6)),
      () => [],
    ),
  'all collections in turn': (ids) =>
    linksOf(
      (number) => at(ids, number),
      () => [],
    ),
  'a large one and many small ones': (ids) =>
    linksOf(
      (number) => at(ids, number % 3 === 0 ? number : 0),
      () => [],
    ),
  'each content into two more, sooner or later': (ids) =>
    linksOf(
      (number) => at(ids, number * 7),
      (number) => [
        [at(ids, number + 1), -(number % 5)],
        [at(ids, number + 2), number % 90],
      ],
    ),
  'contents of another collection all at once': (ids) =>
    linksOf(
      (number) => at(ids, number < 120 ? COLLECTIONS - 1 : number),
      (number) => (number < 120 ? [[at(ids, number), 60 - Math.floor(number / 3)]] : []),
    ),
};

for (const [what, fill] of Object.entries(FILLINGS)) {
  test(`the contents of several collections are listed page by page: ${what}`, async (t) => {
    const place = await makePlace(await openOwnDatabase(t));
    const ids = await makeCollections(place);
    const links = fill(ids);
    await addLinks(place, links);
    const deleted = at(ids, 4);
    await query(place.database, `update collections set status = 'deleting' where id = :deleted`, { deleted });
    for (const count of [2, 6, COLLECTIONS - 1]) {
      // One of them does not exist.
      const limited = [...ids.slice(0, count), uuidv7()];
      const isInScope = (id: string) => limited.includes(id) && id !== deleted;
      for (const limit of [1, 7, 60]) {
        t.deepEqual(await readList(place, limited, { limit }), expectedList(links, isInScope), `${count}, ${limit}`);
        const failed = await readList(place, limited, { limit, status: 'failed' });
        t.deepEqual(failed, expectedList(links, isInScope, 'failed'), `failed of ${count}, ${limit}`);
      }
    }
  });
}
