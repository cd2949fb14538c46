import test from 'ava';
import { urlHash } from '#domain/crawls/crawl-url.ts';
import { query } from '#store/postgres.ts';
import { openCrawl, START_URL } from './open-crawl.ts';

test('metadata that a crawl changes with the bytes of a page is written to the index of the present version, too', async (t) => {
  const { database, contentId, write, document } = await openCrawl(t, { metadata: { lang: 'en' } });
  await query(database, `update content_collections set stage = 'ready', active_version = version`);
  const page = { url_hash: urlHash(START_URL), kind: 'page' as const, content_id: contentId, is_start: true };
  await write(page, document, { stores: (inside) => inside });
  const sql = `select cc.stage, cc.filters_outdated, cc.projecting, t.metadata ->> 'lang' as lang
    from content_collections cc join contents t on t.id = cc.content_id`;
  t.deepEqual(await query(database, sql), [{ stage: 'pending', filters_outdated: true, projecting: true, lang: 'en' }]);
  const jobs = `select args -> 'content_ids' as contents from outbox where workflow_type = 'reprojectContents'`;
  t.deepEqual(await query(database, jobs), [{ contents: [contentId] }]);
});
