import test from 'ava';
import { v7 as uuidv7 } from 'uuid';
import { announceEvent, announceToUrl } from '#operations/webhooks/announce-event.ts';
import { query, type Database } from '#store/postgres.ts';
import { createStores } from '#store/stores.ts';
import { openOwnDatabase } from '#test/support/harness/own-services.ts';

type Subscription = { events?: string[]; collections?: string[]; status?: string };

async function addEndpoint(database: Database, workspaceId: string, subscription: Subscription = {}): Promise<string> {
  const id = uuidv7();
  await query(
    database,
    `insert into webhook_endpoints (id, workspace_id, url, origin, events, collections, status, sealed_secret)
     values (:id, :workspaceId, 'https://example.com/hook', 'https://example.com', :events::text[], :collections::uuid[], :status, 'sealed')`,
    {
      id,
      workspaceId,
      events: subscription.events,
      collections: subscription.collections,
      status: subscription.status ?? 'active',
    },
  );
  return id;
}

const deliveriesOf = (database: Database) =>
  query<{ endpoint_id: string | null; event_type: string; body: string; url: string | null }>(
    database,
    'select endpoint_id, event_type, body, url from webhook_deliveries order by id',
  );

test('queues an event for each subscribed webhook and for no other', async (t) => {
  const database = await openOwnDatabase(t);
  const stores = createStores(database);
  const scope = { workspaceId: await stores.system.insertWorkspace('told'), collectionIds: null };
  const foreign = await stores.system.insertWorkspace('foreign');
  const [here, elsewhere] = [uuidv7(), uuidv7()];
  const all = await addEndpoint(database, scope.workspaceId);
  const contents = await addEndpoint(database, scope.workspaceId, { events: ['content.ready'] });
  const limited = await addEndpoint(database, scope.workspaceId, {
    events: ['content.ready', 'upload.completed'],
    collections: [here],
  });
  await addEndpoint(database, scope.workspaceId, { status: 'disabled' });
  await addEndpoint(database, foreign);
  const told = async () => {
    const rows = await deliveriesOf(database);
    await query(database, 'delete from webhook_deliveries');
    return rows.map(({ endpoint_id }) => endpoint_id ?? '').toSorted();
  };

  await announceEvent(stores, scope, { type: 'connection.expired', data: { connection_id: here } });
  t.deepEqual(await told(), [all]);
  await announceEvent(stores, scope, { type: 'content.ready', data: {}, collectionId: here });
  t.deepEqual(await told(), [contents, limited].toSorted());
  await announceEvent(stores, scope, { type: 'content.ready', data: {}, collectionId: elsewhere });
  t.deepEqual(await told(), [contents]);
  await announceEvent(stores, scope, { type: 'upload.completed', data: {}, collectionId: elsewhere });
  t.deepEqual(await told(), [all]);
});

test('builds the body of an event once, in the transaction that makes it true', async (t) => {
  const database = await openOwnDatabase(t);
  const stores = createStores(database);
  const scope = { workspaceId: await stores.system.insertWorkspace('told'), collectionIds: null };
  const data = { z: 'ä "quoted"\n', a: [1.5, null], type: 'inner' };
  const write = (ending: 'commits' | 'rolls back') =>
    stores.transaction(async (inside) => {
      await announceToUrl(inside, scope, { url: 'https://example.com/once?token=1', type: 'compress.completed', data });
      if (ending === 'rolls back') throw new Error('it fails');
    });
  await t.throwsAsync(write('rolls back'), { message: 'it fails' });
  t.deepEqual(await deliveriesOf(database), []);
  await write('commits');
  const [delivery] = await deliveriesOf(database);
  const body: { timestamp: string } = JSON.parse(delivery?.body ?? '');
  t.deepEqual(body, { type: 'compress.completed', timestamp: body.timestamp, data } as object);
  t.is(new Date(body.timestamp).toISOString(), body.timestamp);
  t.deepEqual(Object.keys(body), ['type', 'timestamp', 'data']);
  t.is(delivery?.url, 'https://example.com/once?token=1');
});

test('rejects event data that is larger than a webhook carries', async (t) => {
  const database = await openOwnDatabase(t);
  const stores = createStores(database);
  const scope = { workspaceId: await stores.system.insertWorkspace('told'), collectionIds: null };
  const data = { text: 'x'.repeat(70_000) };
  await t.throwsAsync(announceEvent(stores, scope, { type: 'compress.completed', data }), { message: /carries/ });
});
