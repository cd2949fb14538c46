import test from 'ava';
import { z } from 'zod';
import { startFlow } from '#test/support/harness/flow.ts';
import { openMcpClient } from './mcp-client.ts';

const TOOLS = 13;
const MAX_BYTES = 20_500;
/** What a result is, as a schema lists it. */
const Shape = z.looseObject({ properties: z.record(z.string(), z.unknown()) });

const as = (key: string) => ({ headers: { Authorization: `Bearer ${key}` } });

test('the list of all tools has at most 20,500 bytes, because every agent reads it', async (t) => {
  const { key } = await startFlow();
  const { client } = await openMcpClient(t, as(key));
  const { tools } = await client.listTools();
  t.is(tools.length, TOOLS);
  const bytes = Buffer.byteLength(JSON.stringify(tools));
  t.true(bytes <= MAX_BYTES, `${bytes} bytes`);
});

test('results have all the fields that the list names, which therefore need not be listed as required', async (t) => {
  const flow = await startFlow();
  const mcp = await openMcpClient(t, as(flow.key));
  const { tools } = await mcp.client.listTools();
  const schemas = new Map(tools.map(({ name, outputSchema }) => [name, Shape.parse(outputSchema)]));
  const added = { collection_id: flow.collectionId, text: 'Otters hold hands.', name: 'otters.md' };
  const { content_id, upload_id } = await mcp.call('add_text', z.looseObject({}), added);
  const calls = {
    add_text: added,
    list_collections: {},
    list_contents: {},
    search: { query: 'otters' },
    answer: { question: 'What do otters hold?' },
    get_content: { content_id },
    upload_status: { upload_id },
    add_memory: { user_id: 'ann', memory: 'Likes otters.' },
    search_memories: { user_id: 'ann', query: 'otters' },
    compress: { text: 'Otters hold hands. They sleep.' },
  };
  for (const [name, args] of Object.entries(calls)) {
    // The official client compares the types of what it gets with the schema.
    const result = await mcp.call(name, z.looseObject({}), args);
    assertSameFields(result, schemas.get(name), name);
  }

  function assertSameFields(value: unknown, schema: unknown, where: string): void {
    const { properties } = Shape.parse(schema);
    t.deepEqual(Object.keys(Object(value)).toSorted(), Object.keys(properties).toSorted(), where);
    for (const [field, inner] of Object.entries(properties)) {
      const { data: list } = z.looseObject({ items: Shape }).safeParse(inner);
      const items = z.record(z.string(), z.unknown()).parse(value)[field];
      if (list !== undefined && Array.isArray(items))
        for (const item of items) assertSameFields(item, list.items, `${where}.${field}`);
    }
  }
});
