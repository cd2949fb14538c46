import test from 'ava';
import * as fc from 'fast-check';
import pLimit from 'p-limit';
import { z } from 'zod';
import { tools } from '#api/mcp/tools/index.ts';
import { MemoryAnswer } from '#domain/records/memory.ts';
import { apiClient } from '#test/support/harness/api-client.ts';
import { startFlow } from '#test/support/harness/flow.ts';
import { TEST_SEED } from '#test/support/harness/test-seed.ts';
import { createKnownIds } from './known-ids.ts';
import { hostileJson, valueFor, type SchemaSource } from './schema-arbitrary.ts';

/** The number of calls of all tools; longer campaigns set it by environment variable. */
const CALLS = Number(process.env['LOCI_TEST_FUZZ_REQUESTS'] ?? 520);
const CONCURRENCY = 4;

const Replied = z.object({
  result: z.looseObject({ isError: z.boolean().optional() }).optional(),
  error: z.object({ code: z.int() }).optional(),
});

test('random calls of every tool have a result or an error that says what is wrong, never an internal one', async (t) => {
  const flow = await startFlow();
  const [content] = (await flow.upload(['content', 'Herons stand still.'])).uploads;
  const { upload_id } = await flow.send(['content', 'Herons fly.']);
  const json = { user_id: 'ann', memory: 'Likes herons.' };
  const { memory_id } = await flow.api.post('/memories', MemoryAnswer, { json, status: 201 });
  const ids = createKnownIds();
  // Nothing listens at this address.
  const known = {
    user_id: 'ann',
    url: 'http://127.99.0.1:9/page',
    content_id: content?.content_id,
    upload_id,
    memory_id,
  };
  for (const [field, value] of Object.entries(known)) ids.learn(field, value ?? '');
  for (const field of ['collection_id', 'collection_ids']) ids.learn(field, flow.collectionId);
  const source: SchemaSource = { ids, resolve: () => ({}) };
  const api = apiClient(flow.key, '');
  const succeeded = new Set<string>();
  const campaign = async ({ listed: { name, inputSchema } }: (typeof tools)[number]) => {
    const usual = valueFor(inputSchema, source);
    const args = fc.oneof({ weight: 4, arbitrary: usual }, { weight: 1, arbitrary: oddArguments(usual) });
    const call = async (given: unknown) => {
      const params = { name, arguments: withoutWaiting(given, inputSchema['properties']) };
      const response = await api.send('/mcp', {
        method: 'POST',
        headers: { Accept: 'application/json, text/event-stream' },
        json: { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
      });
      const text = await response.text();
      if (response.status >= 500 || text.includes('\\"internal\\"')) throw new Error(`${name}: ${text}`);
      if (response.status !== 200) return;
      const { result, error } = Replied.parse(JSON.parse(/^data: ([^\n]*)$/m.exec(text)?.[1] ?? text));
      if (error?.code === -32603) throw new Error(`${name}: ${text}`);
      if (result !== undefined && result.isError !== true) succeeded.add(name);
    };
    await fc.assert(fc.asyncProperty(args, call), {
      numRuns: Math.ceil(CALLS / tools.length),
      seed: TEST_SEED,
      includeErrorInReport: true,
    });
  };
  await pLimit(CONCURRENCY).map(tools, campaign);
  t.true(succeeded.size > tools.length / 2, [...succeeded].join(' '));
});

/** Arguments of which one is odd, or that are odd as a whole. */
function oddArguments(usual: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const oneOdd = fc.tuple(usual, fc.nat(), hostileJson).map(([args, random, odd]) => {
    const names = Object.keys(Object(args));
    const name = names[random % Math.max(1, names.length)] ?? 'query';
    return { ...Object(args), [name]: odd };
  });
  return fc.oneof(oneOdd, hostileJson);
}

/** Otherwise uploads wait until they are ingested. */
function withoutWaiting(args: unknown, properties: unknown): unknown {
  const waits = typeof properties === 'object' && properties !== null && 'wait_seconds' in properties;
  return waits && typeof args === 'object' && !Array.isArray(args) ? { ...args, wait_seconds: 0 } : args;
}
