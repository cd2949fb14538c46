import test, { type ExecutionContext } from 'ava';
import { AppError } from '#domain/app-error.ts';
import { CompressRequest } from '#domain/records/compression.ts';
import { compressNow } from '#operations/compression/compress-now.ts';
import { createCompressors } from '#providers/compressors/index.ts';
import { createChatModel } from '#providers/models/chat-model.ts';
import { startChatServer, type ChatBehaviour } from '#test/support/servers/chat-server.ts';
import { openOwnServices } from '#test/support/harness/own-services.ts';

const neverAborted = new AbortController().signal;
const caller = { scope: { workspaceId: '00000000-0000-7000-8000-000000000001', collectionIds: null } };
const PARAGRAPH = `${Array.from({ length: 20 }, (_, at) => `Boat ${at} rests in the harbour for the night.`).join(' ')}\n\n`;

async function openServices(t: ExecutionContext, behaviour: ChatBehaviour, timeoutMs = 60_000) {
  const { services } = await openOwnServices(t, { temporal: 'away' });
  const server = await startChatServer(behaviour);
  const chat = createChatModel({ baseUrl: server.baseUrl, apiKey: null, model: 'small', timeoutMs: 60_000 });
  const compressors = createCompressors({ chat, counting: services.embedders.preferred.tokenCounting });
  t.teardown(async () => {
    await compressors.close();
    await server.close();
  });
  const compress = { ...services.limits.compress, timeoutMs };
  return { services: { ...services, chat, compressors, limits: { ...services.limits, compress } }, server };
}

test('a long text is rewritten window by window, and windows that the model fails on keep their sentences', async (t) => {
  const { services } = await openServices(t, ({ material }) =>
    material.includes('storm') ? { status: 503 } : 'Boats rest.',
  );
  const content = `${PARAGRAPH.repeat(12)}A storm was forecast for the morning.\n\n${PARAGRAPH.repeat(25)}`;
  const body = CompressRequest.parse({ content, include_metadata: true, target_ratio: 0.3 });
  const answer = await compressNow(services, caller, { body, signal: neverAborted });
  t.is(answer.strategy_used, 'ai_compress+extractive');
  t.deepEqual(answer.metadata?.windows, { ai_compress: 2, extractive: 1, dedupe: 0 });
  t.is(answer.metadata?.dropped.spans, null);
  t.regex(answer.metadata?.note ?? '', /the chat model could not rewrite/);
  t.regex(answer.content ?? '', /^Boats rest\.\n\nBoat|Boats rest\./);
});

test('no question is looked for in a text that is only folded', async (t) => {
  const { services } = await openServices(t, () => 'x');
  const content = `${PARAGRAPH.repeat(3)}\nQuestion: What is the otter of the lighthouse called?`;
  const queryOf = async (extra: object) => {
    const body = CompressRequest.parse({ content, include_metadata: true, ...extra });
    return (await compressNow(services, caller, { body, signal: neverAborted })).metadata?.query;
  };
  t.is(await queryOf({ strategy: 'dedupe' }), null);
  t.is(await queryOf({ strategy: 'dedupe', query: 'otters' }), 'otters');
  t.is(await queryOf({ strategy: 'extractive' }), 'What is the otter of the lighthouse called?');
});

test('windows that a silent chat model has not rewritten in half of the time limit keep their sentences', async (t) => {
  const silent = async function* () {
    yield 'Boats ';
    await new Promise<void>(() => undefined);
  };
  const { services, server } = await openServices(t, silent, 16_000);
  const body = CompressRequest.parse({ content: PARAGRAPH.repeat(90), include_metadata: true, target_ratio: 0.3 });
  const answer = await compressNow(services, caller, { body, signal: neverAborted });
  t.is(answer.strategy_used, 'extractive');
  t.regex(answer.content ?? '', /^Boat \d+ rests in the harbour for the night\./);
  const windows = answer.metadata?.windows.extractive ?? 0;
  t.true(windows > 4, `${windows} windows`);
  t.is(server.requests.length, 4, 'the windows after those that were at the model are not sent to it');
});

test('a compression that takes too long is aborted with a remedy', async (t) => {
  const { services } = await openServices(t, () => 'x', 1);
  const body = CompressRequest.parse({ content: PARAGRAPH.repeat(900), strategy: 'extractive' });
  const error = await t.throwsAsync(compressNow(services, caller, { body, signal: neverAborted }), {
    instanceOf: AppError,
  });
  t.is(error.code, 'dependency_unavailable');
  t.regex(error.message, /webhook_url/);
});

test('the windows most relevant to the question keep the most text', async (t) => {
  const { services } = await openServices(t, () => 'x');
  const filler = PARAGRAPH.repeat(1_500);
  const fact = 'The otter of the lighthouse is called Marlene.';
  const content = `${filler}${fact}\n\n${filler}${filler}\nQuestion: What is the otter of the lighthouse called?`;
  const body = CompressRequest.parse({ content, strategy: 'extractive', target_ratio: 0.01, include_metadata: true });
  const limits = { ...services.limits, compress: { ...services.limits.compress, maxBytes: 10_000_000 } };
  const answer = await compressNow({ ...services, limits }, caller, { body, signal: neverAborted });
  t.is(answer.metadata?.windows.extractive, Math.ceil(content.length / 1_048_576));
  t.true((answer.metadata?.windows.extractive ?? 0) > 2);
  t.true(answer.content?.includes(fact));
  t.true((answer.ratio ?? 1) <= 0.0101);
});
