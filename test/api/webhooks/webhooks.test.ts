import test from 'ava';
import { Webhook, WebhookList, WorkspaceWebhookSecret } from '#domain/records/webhook.ts';
import { WebhookDelivery, WebhookDeliveryDetail, WebhookDeliveryList } from '#domain/records/webhook-delivery.ts';
import { testStack } from '#test/support/harness/stack.ts';
import { asDescribed } from '#test/support/fixtures/as-described.ts';
import { answer, createWebhook, deliveryOver, startWebhookReceiver } from '#test/support/servers/webhook-receiver.ts';
import { apiClient, createKey, freshClient } from '#test/support/harness/api-client.ts';

/** No event of these tests is delivered to this URL. */
const UNUSED_URL = 'https://webhooks.example.com/loci';

test('a webhook is created, read and listed; its secret is only in the first response', async (t) => {
  const api = await freshClient();
  const json = { url: UNUSED_URL, description: 'ours', events: ['compress.failed', 'compress.failed'] };
  const created = await api.post('/webhooks', Webhook, { json, status: 201 });
  t.regex(created.secret ?? '', /^whsec_[A-Za-z0-9+/]{43}=$/);
  t.like(created, {
    workspace_id: api.workspaceId,
    url: UNUSED_URL,
    description: 'ours',
    events: ['compress.failed'],
    collections: null,
    max_age_seconds: null,
    batch_size: 1,
    status: 'active',
    disabled_reason: null,
    delivery_state: 'ok',
    failing_since: null,
    next_attempt_at: null,
    pending_deliveries: 0,
    previous_secret_expires_at: null,
  });
  const shown = { ...created, secret: null };
  t.deepEqual(await api.get(`/webhooks/${created.id}`, Webhook), shown);
  const other = await createWebhook(api, UNUSED_URL);
  t.is(other.events, null);
  const first = await api.get('/webhooks?limit=1', WebhookList);
  t.deepEqual([first.data, first.total_count, first.has_more], [[shown], 2, true]);
  const second = await api.get(`/webhooks?limit=1&cursor=${first.next_cursor}`, WebhookList);
  t.deepEqual([second.data.map(({ id }) => id), second.has_more], [[other.id], false]);
});

test('PATCH changes only the fields that are sent, and a deleted webhook answers 404', async (t) => {
  const api = await freshClient();
  const { id, ...created } = await createWebhook(api, UNUSED_URL, { description: 'ours' });
  const change = (json: object) => api.get(`/webhooks/${id}`, Webhook, { method: 'PATCH', json });
  t.like(await change({ events: ['upload.completed'] }), {
    description: 'ours',
    url: created.url,
    events: ['upload.completed'],
  });
  t.like(await change({ status: 'disabled' }), { status: 'disabled', disabled_reason: 'request' });
  t.like(await change({ status: 'active', events: null }), { status: 'active', disabled_reason: null, events: null });
  t.is((await change({})).description, 'ours');
  t.like(await change({ max_age_seconds: 3600, batch_size: 50 }), { max_age_seconds: 3600, batch_size: 50 });
  t.like(await change({ max_age_seconds: null }), { max_age_seconds: null, batch_size: 50 });
  t.is((await api.send(`/webhooks/${id}`, { method: 'DELETE' })).status, 204);
  for (const method of ['GET', 'DELETE']) t.is((await api.fail(`/webhooks/${id}`, { method })).status, 404);
});

test('every validation error of a webhook is reported', async (t) => {
  const api = await freshClient();
  const problemsOf = async (json: object) => {
    const { status, problems } = await api.fail('/webhooks', { method: 'POST', json });
    t.is(status, 422);
    return problems;
  };
  t.deepEqual(await problemsOf({ url: 'ftp://example.com', events: [], more: 1 }), [
    'body.url webhook_url_invalid',
    'body.events too_small',
    'body.more unrecognized_keys',
  ]);
  for (const url of ['', 'example.com/hook', 'https://user:secret@example.com/', 'javascript:alert(1)']) {
    t.true((await problemsOf({ url })).length > 0, url);
  }
  t.deepEqual(await problemsOf({ url: UNUSED_URL, events: ['webhook.test'] }), ['body.events.0 invalid_value']);
  t.deepEqual(await problemsOf({ url: UNUSED_URL, max_age_seconds: 0, batch_size: 201 }), [
    'body.max_age_seconds too_small',
    'body.batch_size too_big',
  ]);
  const tooLong = `https://example.com/${'x'.repeat(2_029)}`;
  t.deepEqual(await problemsOf({ url: tooLong }), ['body.url too_big']);
  t.is((await createWebhook(api, tooLong.slice(0, -1))).url.length, 2_048);
});

test('the same Idempotency-Key creates one webhook and returns its secret again', async (t) => {
  const api = await freshClient();
  const send = () =>
    api.post('/webhooks', Webhook, {
      json: { url: UNUSED_URL },
      headers: { 'Idempotency-Key': 'once' },
      status: 201,
    });
  t.deepEqual(await send(), await send());
  t.is((await api.get('/webhooks', WebhookList)).total_count, 1);
});

test('a webhook cannot subscribe to events that its creator may not read', async (t) => {
  const owner = await freshClient();
  const collection = await owner.createCollection('reached');
  const foreign = await owner.createCollection('not reached');
  const { workspaceId } = owner;
  const blind = apiClient((await createKey({ workspaceId, permissions: ['webhooks:read', 'webhooks:write'] })).key);
  const tell = (events: string[] | null) =>
    blind.fail('/webhooks', { method: 'POST', json: { url: UNUSED_URL, events } });
  for (const [events, permission] of [
    [['content.ready'], 'contents:read'],
    [['upload.completed'], 'uploads:read'],
    [['connection.expired'], 'connections:read'],
    [['compress.failed'], 'compress:read'],
    [null, 'compress:read'],
  ] as const) {
    const { status, body } = await tell(events && [...events]);
    t.is(status, 403);
    t.true(JSON.stringify(body.detail).includes(permission), permission);
  }

  const limited = apiClient((await createKey({ workspaceId, collections: [collection.id] })).key);
  const own = await createWebhook(limited, UNUSED_URL);
  t.deepEqual(own.collections, [collection.id]);
  for (const [collections, status] of [
    [null, 403],
    [[collection.id, foreign.id], 404],
  ] as const) {
    const json = { url: UNUSED_URL, collections };
    t.is((await limited.fail('/webhooks', { method: 'POST', json })).status, status);
    t.is((await limited.fail(`/webhooks/${own.id}`, { method: 'PATCH', json: { collections } })).status, status);
  }
  const all = await createWebhook(owner, UNUSED_URL);
  t.is((await limited.fail(`/webhooks/${all.id}`)).status, 404);
  t.deepEqual(
    (await limited.get('/webhooks', WebhookList)).data.map(({ id }) => id),
    [own.id],
  );
  // A key that may not read the events of a webhook cannot change its URL.
  const json = { url: 'https://elsewhere.example.com/' };
  t.is((await blind.fail(`/webhooks/${all.id}`, { method: 'PATCH', json })).status, 403);
});

test('a secret is shown and rotated only for keys that may read the events which it signs', async (t) => {
  const owner = await freshClient();
  const { workspaceId } = owner;
  const { id } = await createWebhook(owner, UNUSED_URL, { events: ['upload.completed'] });
  const secretPath = `/workspaces/${workspaceId}/webhook-secret`;
  const keyWith = async (...reads: string[]) =>
    apiClient((await createKey({ workspaceId, permissions: ['webhooks:read', 'webhooks:write', ...reads] })).key);
  const uploads = await keyWith('uploads:read');
  const compressions = await keyWith('compress:read');
  t.truthy((await uploads.post(`/webhooks/${id}/rotate`, Webhook)).secret);
  t.like(await compressions.fail(`/webhooks/${id}/rotate`, { method: 'POST' }), { status: 403, code: 'forbidden' });
  for (const [path, method] of [
    [secretPath, 'GET'],
    [`${secretPath}/rotate`, 'POST'],
  ] as const) {
    t.regex((await compressions.get(path, WorkspaceWebhookSecret, { method })).secret, /^whsec_/);
    const refused = await uploads.fail(path, { method });
    t.is(refused.status, 403);
    t.true(JSON.stringify(refused.body.detail).includes('compress:read'));
  }
});

test('a workspace has at most 100 webhooks', async (t) => {
  const api = await freshClient();
  const create = () => api.send('/webhooks', { method: 'POST', json: { url: UNUSED_URL } });
  const answers = await Promise.all(Array.from({ length: 102 }, create));
  t.is(answers.filter(({ status }) => status === 201).length, 100);
  t.is(answers.filter(({ status }) => status === 409).length, 2);
});

test('deliveries are filtered by webhook, status and event, paged newest first, with their attempts', async (t) => {
  const receiver = await startWebhookReceiver(t);
  const gone = await startWebhookReceiver(t, answer(410));
  const api = await freshClient();
  const [good, bad] = [await createWebhook(api, receiver.origin), await createWebhook(api, gone.origin)];
  const ids: string[] = [];
  for (const { id } of [good, good, bad]) {
    const delivery = await api.post(`/webhooks/${id}/test`, WebhookDelivery, { status: 202 });
    t.like(delivery, { webhook_id: id, event_type: 'webhook.test', workspace_id: api.workspaceId });
    await deliveryOver(api, delivery.id);
    ids.push(delivery.id);
  }
  const list = async (query: string) => {
    const { data } = await api.get(`/webhook-deliveries?${query}`, WebhookDeliveryList);
    return data.map(({ id }) => id);
  };
  t.deepEqual(await list(''), ids.toReversed());
  t.deepEqual(await list(`webhook_id=${good.id}`), ids.slice(0, 2).toReversed());
  t.deepEqual(await list('status=failed'), ids.slice(2));
  t.deepEqual(await list('status=delivered&event_type=webhook.test'), ids.slice(0, 2).toReversed());
  t.deepEqual(await list('event_type=upload.completed'), []);
  const first = await api.get('/webhook-deliveries?limit=2', WebhookDeliveryList);
  t.deepEqual([first.total_count, first.has_more], [3, true]);
  t.deepEqual(await list(`limit=2&cursor=${first.next_cursor}`), ids.slice(0, 1));
  t.is((await api.fail(`/webhook-deliveries?status=failed&cursor=${first.next_cursor}`)).status, 422);

  const shown = await api.get(`/webhook-deliveries/${ids[2]}`, WebhookDeliveryDetail);
  t.like(shown, { status: 'failed', payload: { type: 'webhook.test', data: { webhook_id: bad.id } } });
  t.deepEqual(asDescribed({ type: 'webhook.test', ...shown.payload }), shown.payload);
  t.like(shown.attempts[0], { number: 1, status_code: 410, error: null });
  t.is(shown.next_attempt_at, null);
  // The delivery log is kept after its webhook is deleted.
  t.is((await api.send(`/webhooks/${good.id}`, { method: 'DELETE' })).status, 204);
  t.deepEqual(await list(`webhook_id=${good.id}`), ids.slice(0, 2).toReversed());
  t.is((await api.fail(`/webhook-deliveries/${ids[0]}/redeliver`, { method: 'POST' })).status, 409);
});

test('the webhook secret of a workspace is created on first read and is stable until rotated', async (t) => {
  const api = await freshClient();
  const path = `/workspaces/${api.workspaceId}/webhook-secret`;
  const secrets = await Promise.all([1, 2, 3].map(() => api.get(path, WorkspaceWebhookSecret)));
  t.is(new Set(secrets.map(({ secret }) => secret)).size, 1);
  t.regex(secrets[0]?.secret ?? '', /^whsec_/);
  const rotated = await api.post(`${path}/rotate`, WorkspaceWebhookSecret);
  t.not(rotated.secret, secrets[0]?.secret);
  t.truthy(rotated.previous_secret_expires_at);
  t.deepEqual(await api.get(path, WorkspaceWebhookSecret), rotated);
  const administrator = apiClient(null);
  const headers = { Authorization: `Bearer ${testStack().adminToken}` };
  t.is((await administrator.get(path, WorkspaceWebhookSecret, { headers })).secret, rotated.secret);
  const reader = apiClient((await createKey({ workspaceId: api.workspaceId, permissions: ['webhooks:read'] })).key);
  t.is((await reader.fail(path)).status, 403);
});
