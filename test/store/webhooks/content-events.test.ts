import test, { type ExecutionContext } from 'ava';
import { v7 as uuidv7 } from 'uuid';
import { query } from '#store/postgres.ts';
import { addContents, makePlace, makeReady, publicationOf } from '#test/support/harness/content-runs.ts';
import { openOwnDatabase } from '#test/support/harness/own-services.ts';

type Message = { type: string; timestamp: string; data: Record<string, unknown> & { events?: Message[] } };

/** A workspace with webhooks on content events, one for each batch size, whose deliveries can be listed. */
async function openWebhooks(t: ExecutionContext, batchSizes: readonly number[]) {
  const place = await makePlace(await openOwnDatabase(t));
  const { database, scope, stores } = place;
  const ids: string[] = [];
  for (const batch_size of batchSizes) {
    const id = uuidv7();
    const { origin, href: url } = new URL('https://example.com/hook');
    const fields = { url, origin, description: null, collections: null, max_age_seconds: null, disabled_reason: null };
    const events: ('content.ready' | 'content.failed')[] = ['content.ready', 'content.failed'];
    const own = { id, events, batch_size, status: 'active' as const, sealedSecret: 'sealed', createdBy: 'a test' };
    await stores.webhooks.insert(scope, { ...fields, ...own });
    ids.push(id);
  }
  return {
    ...place,
    ids,
    messages: async (index: number) => {
      const rows = await query<{ body: string; event_type: string }>(
        database,
        'select body, event_type from webhook_deliveries where endpoint_id = :id order by id',
        { id: ids[index] },
      );
      return rows.map(({ body, event_type }) => {
        // The database wrote it.
        const message = JSON.parse(body) as Message;
        t.is(message.type, event_type);
        return { ...message, bytes: Buffer.byteLength(body) };
      });
    },
  };
}

test('events of contents that became ready together are one message, up to the batch size of the webhook', async (t) => {
  const place = await openWebhooks(t, [1, 3, 200]);
  const run = await addContents(place, 7);
  await makeReady(place, run);
  await place.stores.publications.publish(place.scope, run, publicationOf(run));
  const single = await place.messages(0);
  t.is(single.length, 7);
  t.deepEqual(
    single.map(({ data }) => data['content_id']),
    run.contentIds,
    'in the order of the contents',
  );
  const threes = await place.messages(1);
  t.deepEqual(
    threes.map(({ data }) => data.events?.length),
    [3, 3, 1],
  );
  const [all, ...others] = await place.messages(2);
  t.deepEqual(others, []);
  const expected = single.map(({ bytes: _bytes, ...message }) => message);
  t.deepEqual(all?.data.events, expected, 'each event is the message that it would be alone');
  t.deepEqual(
    threes.flatMap(({ data }) => data.events),
    expected,
  );
});

test('events of contents that failed together are one message of their own', async (t) => {
  const place = await openWebhooks(t, [50]);
  const { collectionId, runId, contentIds } = await addContents(place, 4);
  const failures = contentIds.map((content_id) => ({
    content_id,
    code: 'unreadable' as const,
    message: 'It is empty.',
  }));
  await place.stores.runs.fail(place.scope, { collectionId, runId }, failures);
  const [message, ...others] = await place.messages(0);
  t.deepEqual(others, []);
  t.like(message, { type: 'content.failed' });
  t.deepEqual(
    message?.data.events?.map(({ type, data }) => [type, data['code']]),
    contentIds.map(() => ['content.failed', 'unreadable']),
  );
});

test('a message with several events has about 64 KiB at most', async (t) => {
  const place = await openWebhooks(t, [200]);
  const run = await addContents(place, 200);
  await query(place.database, `update contents set name = repeat('ä', 500) || id`);
  await makeReady(place, run);
  await place.stores.publications.publish(place.scope, run, publicationOf(run));
  const messages = await place.messages(0);
  t.true(messages.length >= 4);
  for (const { bytes } of messages) t.true(bytes <= 64 * 1024, `${bytes} bytes`);
  t.is(new Set(messages.flatMap(({ data }) => data.events?.map((event) => event.data['content_id']))).size, 200);
});

test('publishing 200 contents announces them to two webhooks in the same statement', async (t) => {
  const place = await openWebhooks(t, [1, 1]);
  const run = await addContents(place, 200);
  await makeReady(place, run);
  const statements: string[] = [];
  place.database.on('query', ({ sql }: { sql: string }) => statements.push(sql));
  await place.stores.publications.publish(place.scope, run, publicationOf(run));
  t.is(statements.filter((sql) => sql.includes('webhook_deliveries')).length, 1);
  t.is((await place.messages(0)).length, 200);
  t.is((await place.messages(1)).length, 200);
});
