import { randomUUID } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { administratorCaller, type Caller } from '#domain/access/caller.ts';
import { announceEvent } from '#operations/webhooks/announce-event.ts';
import { updateWebhook } from '#operations/webhooks/update-webhook.ts';
import { redeliverWebhook } from '#operations/webhooks/webhook-deliveries.ts';
import { query } from '#store/postgres.ts';
import { openOwnSender } from '#test/support/harness/own-sender.ts';
import { startWebhookReceiver } from '#test/support/servers/webhook-receiver.ts';

const collections = { first: randomUUID(), second: randomUUID() };
const upload = { type: 'upload.completed' as const, data: {}, collectionId: collections.first };
const content = { type: 'content.failed' as const, data: {}, collectionId: collections.first };

/** A webhook that has waiting deliveries about two collections, with functions to narrow it and to move it to another receiver. */
async function open(t: ExecutionContext, events: readonly (typeof upload | typeof content)[]) {
  const own = await openOwnSender(t);
  const types = [...new Set(events.map(({ type }) => type))];
  const fields = { events: types, collections: Object.values(collections) };
  const id = await own.createWebhook('https://example.com/hook', fields);
  for (const event of events) await announceEvent(own.services.stores, own.scope, event);
  const administrator = administratorCaller(own.scope.workspaceId);
  const other = await startWebhookReceiver(t);
  const change = (caller: Caller, changed: Parameters<typeof updateWebhook>[2]['fields']) =>
    updateWebhook(own.services, caller, { id, fields: changed });
  const log = () =>
    query<{ id: string; event_type: string; status: string; status_message: string | null }>(
      own.database,
      'select id, event_type, status, status_message from webhook_deliveries order by event_type, status',
    );
  return {
    ...own,
    log,
    limited: { ...administrator, permissions: ['webhooks:write', 'uploads:read'], principal: 'api-key/limited' },
    narrow: (narrowed: Parameters<typeof change>[1]) => change(administrator, narrowed),
    /** Changes the URL and sends what is due. Returns the types that arrive there. */
    moveBy: async (caller: Caller) => {
      await change(caller, { url: other.origin });
      await own.sendAll();
      return other.received.map(({ event }) => event.type);
    },
  };
}

test('a caller who changes the URL of a webhook gets no waiting event there that it may not read', async (t) => {
  const own = await open(t, [upload, content]);
  await own.narrow({ events: ['upload.completed'] });
  t.deepEqual(await own.moveBy(own.limited), ['upload.completed']);
  const [failed, delivered] = await own.log();
  t.like(failed, { event_type: 'content.failed', status: 'failed' });
  t.regex(failed?.status_message ?? '', /may not read/);
  t.like(delivered, { event_type: 'upload.completed', status: 'delivered' });
});

test('a caller who is limited to a collection gets no waiting event about others at a new URL', async (t) => {
  const own = await open(t, [{ ...upload, collectionId: collections.second }]);
  const limited = { ...own.limited, scope: { ...own.scope, collectionIds: [collections.first] } };
  await own.narrow({ collections: [collections.first] });
  await announceEvent(own.services.stores, own.scope, { ...upload, data: { later: true } });
  t.deepEqual(await own.moveBy(limited), ['upload.completed'], 'the event of its collection');
  t.deepEqual(
    (await own.log()).map(({ status }) => status),
    ['delivered', 'failed'],
  );
});

test('a delivery is redelivered only for a caller who may read its event', async (t) => {
  const own = await open(t, [upload, content]);
  await own.narrow({ events: ['upload.completed'] });
  await query(own.database, `update webhook_deliveries set status = 'failed'`);
  const [ofContent, ofUpload] = await own.log();
  const redeliver = (id = '') => redeliverWebhook(own.services, own.limited, { id, idempotency: null });
  await t.throwsAsync(redeliver(ofContent?.id), { message: /contents:read/ });
  t.like((await redeliver(ofUpload?.id)).body, { status: 'pending' });
  t.like((await own.log())[0], { status: 'failed' });
});
