import { rm } from 'node:fs/promises';
import test, { type ExecutionContext } from 'ava';
import { planCompression } from '#activities/compression/plan-compression.ts';
import { compressSlice } from '#activities/compression/compress-slice.ts';
import { completeCompression, failCompression } from '#activities/compression/complete-compression.ts';
import { AppError } from '#domain/app-error.ts';
import type { Caller } from '#domain/access/caller.ts';
import { CompressRequest } from '#domain/records/compression.ts';
import type { Webhook } from '#domain/records/webhook.ts';
import { acceptCompression } from '#operations/compression/accept-compression.ts';
import { getCompression } from '#operations/compression/get-compression.ts';
import { cancelCompression } from '#operations/compression/cancel-compression.ts';
import { createWebhook } from '#operations/webhooks/create-webhook.ts';
import { sweepBlobs } from '#operations/blobs/sweep-blobs.ts';
import { createCompressors } from '#providers/compressors/index.ts';
import { unfoldText } from '#providers/compressors/unfold-text.ts';
import { createChatModel } from '#providers/models/chat-model.ts';
import { query } from '#store/postgres.ts';
import { startChatServer, type ChatBehaviour } from '#test/support/servers/chat-server.ts';
import { openOwnServices } from '#test/support/harness/own-services.ts';

const first = { attempt: 1, signal: new AbortController().signal, progress: { chunks: 0, ready: 0 } };
const PARAGRAPH = `${Array.from({ length: 20 }, (_, at) => `Boat ${at} rests in the harbour for the night.`).join(' ')}\n\n`;

async function openJobs(t: ExecutionContext, behaviour: ChatBehaviour | null = null) {
  const own = await openOwnServices(t, { temporal: 'away' });
  const server = behaviour && (await startChatServer(behaviour));
  const chat = createChatModel({ baseUrl: server?.baseUrl ?? null, apiKey: null, model: 'small', timeoutMs: 60_000 });
  const compressors = createCompressors({ chat, counting: own.services.embedders.preferred.tokenCounting });
  t.teardown(async () => {
    await compressors.close();
    await server?.close();
  });
  const services = { ...own.services, chat, compressors };
  const workspaceId = await services.stores.system.insertWorkspace('texts');
  const caller: Caller = {
    scope: { workspaceId, collectionIds: null },
    apiKeyId: null,
    userId: null,
    permissions: ['*'],
    principal: 'api-key/x',
    workspaceIds: [workspaceId],
  };
  const begin = async (content: string, json: object = {}) => {
    const body = { ...CompressRequest.parse({ content, ...json }), webhook_url: 'https://example.com/hook' };
    const { body: job } = await acceptCompression(services, caller, { body, idempotency: null });
    const args = { workspace_id: workspaceId, job_id: job.job_id ?? '' };
    return { args, ending: { ...args, outbox_id: `compress/${args.job_id}` } };
  };
  const deliveries = async () => {
    const rows = await query<{ event_type: string }>(
      own.database,
      `select event_type from webhook_deliveries order by id`,
    );
    return rows.map(({ event_type }) => event_type);
  };
  const get = (id: string) => getCompression(services, caller, id);
  return { ...own, services, caller, begin, deliveries, get, requests: server?.requests ?? [] };
}

test('activities are idempotent: a job gets one plan, one result and one final status', async (t) => {
  const { services, begin, get, deliveries, database } = await openJobs(t);
  const content = `\ufeff\0${PARAGRAPH.repeat(1_500)}🚢`;
  const { args, ending } = await begin(content, { strategy: 'dedupe', include_metadata: true });
  t.is(await sweepBlobs(services, 0), 0, 'a text that is being compressed is referenced');
  const windows = await planCompression(services, args, first);
  t.is(windows, 2);
  t.is(await planCompression(services, args, first), windows);
  await Promise.all([1, 2].map(() => compressSlice(services, { ...args, next: 0 }, first)));
  t.is(await compressSlice(services, { ...args, next: 0 }, first), null);
  const [one, other] = await Promise.all([1, 2].map(() => completeCompression(services, ending)));
  t.deepEqual(one, other);
  t.is(one?.status, 'completed');
  await failCompression(services, { ...ending, code: 'internal', message: 'too late' });
  const job = await get(args.job_id);
  t.is(job.status, 'completed');
  t.is(unfoldText(job.content ?? ''), content);
  t.is(job.metadata?.compressed_characters, job.content?.length);
  t.deepEqual(await deliveries(), ['compress.completed']);
  t.deepEqual(await query(database, `select 1 from outbox`), []);
});

test('the end of a job is told to its webhook_url and to each webhook that subscribes to it, once', async (t) => {
  const { services, begin, caller, database } = await openJobs(t);
  const subscribe = async (url: string, events: Webhook['events']) => {
    const body = { url, events, description: null, collections: null, max_age_seconds: null, batch_size: 1 };
    return (await createWebhook(services, caller, { body, idempotency: null })).body.id;
  };
  const named = await subscribe('https://a.example.com/', ['compress.completed']);
  const all = await subscribe('https://b.example.com/', null);
  await subscribe('https://c.example.com/', ['compress.failed']);
  const { args, ending } = await begin(PARAGRAPH, { strategy: 'dedupe' });
  await planCompression(services, args, first);
  await compressSlice(services, { ...args, next: 0 }, first);
  for (let again = 1; again <= 2; again += 1) await completeCompression(services, ending);
  const rows = await query<{ to: string; event_type: string; job_id: string }>(
    database,
    `select coalesce(endpoint_id::text, url) as to, event_type, body::json -> 'data' ->> 'job_id' as job_id
     from webhook_deliveries`,
  );
  const told = (to: string) => ({ to, event_type: 'compress.completed', job_id: args.job_id });
  const byReceiver = (a: { to: string }, b: { to: string }) => a.to.localeCompare(b.to);
  t.deepEqual(rows.toSorted(byReceiver), ['https://example.com/hook', named, all].map(told).toSorted(byReceiver));
});

test('a job retries while the chat model is unavailable, keeps finished work, and finally continues without the model', async (t) => {
  const { services, begin, get, requests } = await openJobs(t, ({ material }) =>
    material.includes('storm') ? { status: 503 } : 'Boats rest.',
  );
  const { args, ending } = await begin(`${PARAGRAPH.repeat(20)}A storm was forecast.\n\n${PARAGRAPH.repeat(30)}`);
  t.is(await planCompression(services, args, first), 4);
  const slice = (attempt: number) => compressSlice(services, { ...args, next: 0 }, { ...first, attempt });
  const error = await t.throwsAsync(slice(1), { instanceOf: AppError });
  t.is(error.code, 'dependency_unavailable');
  t.is((await get(args.job_id)).progress.windows_done, 3);
  const asked = requests.length;
  await t.throwsAsync(slice(2), { instanceOf: AppError });
  t.is(requests.length, asked + 1, 'no answered question is repeated');
  t.is(await slice(24), null);
  await completeCompression(services, ending);
  const job = await get(args.job_id);
  t.is(job.strategy_used, 'ai_compress+extractive');
  t.is(job.content?.split('Boats rest.').length, 4);
});

test('no activity changes a cancelled job, and its workflow can complete', async (t) => {
  const { services, caller, begin, get, deliveries, database } = await openJobs(t);
  const { args, ending } = await begin(PARAGRAPH, { strategy: 'extractive' });
  await planCompression(services, args, first);
  const { body } = await cancelCompression(services, caller, { id: args.job_id, idempotency: null });
  t.like(body, { status: 'cancelled', error: { code: 'cancelled' } });
  t.is(await compressSlice(services, { ...args, next: 0 }, first), null);
  t.is((await completeCompression(services, ending)).status, 'cancelled');
  t.is((await get(args.job_id)).progress.windows_done, 0);
  t.deepEqual(await deliveries(), ['compress.failed']);
  t.deepEqual(await query(database, `select 1 from outbox`), []);
  const twice = cancelCompression(services, caller, { id: args.job_id, idempotency: null });
  t.is((await t.throwsAsync(twice, { instanceOf: AppError })).code, 'conflict');
});

test('a job fails when its stored text is missing', async (t) => {
  const { services, caller, begin, get, deliveries } = await openJobs(t);
  const { args, ending } = await begin(PARAGRAPH.repeat(10));
  const row = await services.stores.compressions.find(caller.scope, args.job_id);
  const file = await services.blobs.checkOut(caller.scope.workspaceId, row?.input_sha256 ?? '');
  await rm(file.path);
  const error = await t.throwsAsync(planCompression(services, args, first), { instanceOf: AppError });
  t.is(error.code, 'blob_missing');
  await failCompression(services, { ...ending, code: error.code, message: error.message });
  t.like(await get(args.job_id), { status: 'failed', error: { code: 'blob_missing' }, content: null });
  t.deepEqual(await deliveries(), ['compress.failed']);
});

test('a user sees their own jobs; an administrator and an API key see all jobs of the workspace', async (t) => {
  const { services, caller, begin } = await openJobs(t);
  const { args } = await begin(PARAGRAPH);
  const user: Caller = { ...caller, userId: 'bob', principal: 'user/bob', permissions: ['compress:read'] };
  const seen = async (who: Caller) =>
    getCompression(services, who, args.job_id).then(
      () => true,
      () => false,
    );
  t.deepEqual(
    [await seen(user), await seen({ ...user, permissions: ['*'] }), await seen({ ...caller, principal: 'api-key/y' })],
    [false, true, true],
  );
});
