/**
 * The baseline for `bench/overhead.ts`: serves the same requests with only `node:http`, a pool of `pg`, and Weaviate's client
 * for searches. `bench/overhead.ts` starts it as a separate process and sends it the statements to run.
 */
import { createServer, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { Pool } from 'pg';
import { z } from 'zod';
import { readConfig } from '#config/index.ts';
import { keywordQuery } from '#store/weaviate/stemmed-text.ts';
import { KEYWORD_PROPERTIES, type StoredProperties } from '#store/weaviate/class-definition.ts';
import { openWeaviateClient } from './weaviate-alone.ts';

const Statement = z.object({ text: z.string(), values: z.array(z.unknown()), name: z.string().optional() });
type Statement = z.infer<typeof Statement>;

/** Statements in their order; the statements of an inner list run in parallel. */
export const BaselinePlan = z.object({
  list: z.array(z.array(Statement)),
  search: z.object({
    before: z.array(Statement),
    /** The value at `idsAt` is replaced by the ids that the index found. */
    after: Statement,
    idsAt: z.int(),
    className: z.string(),
    tenant: z.string(),
    limit: z.int(),
  }),
});
export type BaselinePlan = z.infer<typeof BaselinePlan>;

const config = readConfig(process.env);
const pool = new Pool({ connectionString: config.database.url, max: config.database.poolSize });
const weaviate = await openWeaviateClient(config);

process.once('message', (message) => {
  void serve(BaselinePlan.parse(message));
});
process.once('disconnect', () => process.exit(0));

async function serve(plan: BaselinePlan): Promise<void> {
  const ask = async ({ name, ...statement }: Statement) =>
    (await pool.query({ ...statement, ...(name !== undefined && { name }) })).rows as unknown[]; // rows of any statement
  const list = async () => {
    const answers: unknown[][] = [];
    for (const together of plan.list) answers.push(...(await Promise.all(together.map(ask))));
    return answers.slice(1);
  };
  const { search } = plan;
  const { filter, query } = weaviate.collections
    .use<string, StoredProperties>(search.className)
    .withTenant(search.tenant);
  const find = async (text: string) => {
    for (const statement of search.before) await ask(statement);
    const { objects } = await query.bm25(keywordQuery(text), {
      limit: search.limit,
      queryProperties: [...KEYWORD_PROPERTIES],
      returnMetadata: ['score'],
      returnProperties: [],
      filters: filter.byProperty('version').greaterOrEqual(0),
    });
    const values = search.after.values.with(
      search.idsAt,
      objects.map(({ uuid }) => uuid),
    );
    return ask({ ...search.after, values });
  };
  const server = createServer((request, response) => {
    void (async () => {
      if (request.method === 'GET') return answer(response, await list());
      const parts: Uint8Array[] = [];
      for await (const part of request) parts.push(part);
      const { query: text } = z.object({ query: z.string() }).parse(JSON.parse(Buffer.concat(parts).toString()));
      return answer(response, await find(text));
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  process.send?.(server.address());
}

function answer(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}
