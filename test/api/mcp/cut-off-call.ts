import type { ExecutionContext } from 'ava';
import { z } from 'zod';
import { until } from '#test/support/harness/eventually.ts';
import type { OwnApi } from '#test/support/harness/own-api.ts';
import type { McpCalls } from './mcp-client.ts';

const ENDED = /loci_mcp_tool_duration_seconds_count\{tool="add_text",outcome="client_closed_request"\} 1/;

/**
 * Makes a call that would wait for 50 seconds, because no worker serves the database of this API, and cancels it. Checks that the
 * service ends it.
 */
export async function cutOffCall(t: ExecutionContext, { api, key, mcp }: { api: OwnApi; key: string; mcp: McpCalls }) {
  const headers = { 'X-API-Key': key };
  const json = { name: 'x', embedding: { provider: 'lexical' } };
  const made = await api.send('/collections', { method: 'POST', headers, json });
  const { id } = z.object({ id: z.string() }).parse(made.body);
  const leaving = new AbortController();
  const args = { collection_id: id, name: 'x', text: 'x', wait_seconds: 50 };
  const call = mcp.client.callTool({ name: 'add_text', arguments: args }, { signal: leaving.signal });
  await until(
    async () => api.send('/contents', { headers }),
    ({ body }) => JSON.stringify(body).includes('"total_count":1'),
  );
  leaving.abort();
  await t.throwsAsync(call);
  const startedAt = performance.now();
  await until(
    () => api.services.metrics.render(),
    (text) => ENDED.test(text),
  );
  t.true(performance.now() - startedAt < 20_000);
}
