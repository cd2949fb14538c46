import { z } from 'zod';
import type { Collection } from '#domain/records/collection.ts';
import { textField } from '#domain/records/fields.ts';
import { COLLECTION_STATUSES } from '#domain/statuses.ts';
import { listCollections } from '#operations/collections/collections.ts';
import { Cursor, NextCursor } from '#api/mcp/result-fields.ts';
import { readFittingPage } from '#api/mcp/max-tokens.ts';
import { tool } from '#api/mcp/tool.ts';

const ListedCollection = z.object({
  collection_id: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  status: z.enum(COLLECTION_STATUSES).meta({ description: 'archived: can be searched, not changed.' }),
  contents: z.int(),
  chunks: z.int(),
});

export const listCollectionsTool = tool(
  {
    name: 'list_collections',
    title: 'List collections',
    description:
      'Lists the collections of documents that you reach, whose ids other tools take. Go on with next_cursor.',
    permission: 'collections:read',
    hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    input: z.strictObject({
      search: textField(255).optional().meta({ description: 'Part of the name.' }),
      limit: z.int().min(1).max(200).default(50),
      cursor: Cursor,
    }),
    output: z.object({
      collections: z.array(ListedCollection),
      total_count: z.int(),
      next_cursor: NextCursor,
    }),
  },
  async ({ services, caller, inTurn }, { search, limit, cursor }) => {
    const read = (rows: number) =>
      inTurn({ limit: rows }, () => listCollections(services, caller, { search, cursor, limit: rows }));
    const page = await readFittingPage(limit, read, showCollection);
    const { total_count, next_cursor } = page;
    return { collections: page.data.map(showCollection), total_count, next_cursor };
  },
);

function showCollection({ id, name, description, status, stats }: Collection): z.input<typeof ListedCollection> {
  const { contents, chunks } = stats;
  return { collection_id: id, name, description, status, contents: Number(contents), chunks: Number(chunks) };
}
