import { z } from 'zod';
import { AppError } from '#domain/app-error.ts';
import { JsonObject, textField } from '#domain/records/fields.ts';
import { receivedUrl } from '#api/http/multipart/receive-upload.ts';
import { IdempotencyKey, idempotencyOf } from '#api/mcp/idempotency.ts';
import { IdArgument } from '#api/mcp/result-fields.ts';
import { tool } from '#api/mcp/tool.ts';
import { UploadedItem, uploadItem, WaitSeconds } from '#api/mcp/upload-item.ts';

const STANDARD_WAIT_S = 20;

export const addUrlTool = tool(
  {
    name: 'add_url',
    title: 'Add a web page',
    description:
      'Downloads a URL and stores it in a collection, where searches find it; with crawl, also the pages of the same site that it ' +
      'links to. A URL that is there already is stored once; a crawl updates it.',
    permission: 'uploads:write',
    hints: { readOnly: false, destructive: true, idempotent: true, openWorld: true },
    input: z.strictObject({
      collection_id: IdArgument.meta({ description: 'From list_collections.' }),
      url: z.string().min(1).meta({ description: 'Begins with https:// or http://.' }),
      name: textField(1024, 1).optional().meta({ description: 'To show instead of the URL.' }),
      metadata: JsonObject.default({}).meta({ description: 'What searches can filter by.' }),
      crawl: z.boolean().default(false).meta({ description: 'Follow the links of the page.' }),
      max_pages: z.int().min(1).optional().meta({ description: '100 by default.' }),
      max_depth: z.int().min(0).max(50).optional().meta({ description: 'Links from the URL to a page; 3 by default.' }),
      idempotency_key: IdempotencyKey,
      wait_seconds: WaitSeconds.default(STANDARD_WAIT_S),
    }),
    output: UploadedItem,
  },
  async (context, { idempotency_key: key, wait_seconds: waitS, ...written }) => {
    const { collection_id, url, name, metadata, crawl, max_pages, max_depth } = written;
    const received = receivedUrl(url);
    if ('error' in received) throw new AppError(received.error.code, received.error.message);
    const item = { ...received.item, index: 0, ...(name === undefined ? {} : { own: { name } }) };
    const bounds = { max_pages: max_pages ?? null, max_depth: max_depth ?? null };
    const form = { collection_id, content_type: 'url', metadata, crawl, ...bounds } as const;
    return uploadItem(context, { form, item, idempotency: idempotencyOf('add_url', key, written), waitS });
  },
);
