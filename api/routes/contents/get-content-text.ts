import { z } from 'zod';
import { openContentText } from '#operations/contents/content-text.ts';
import { queryInteger } from '#api/http/request/query-fields.ts';
import { Reply } from '#api/http/response/reply.ts';
import { route } from '#api/http/route.ts';
import { ContentParams } from '#api/routes/path-params.ts';

const MAX_OFFSET = 2 ** 31 - 1;
const MAX_LIMIT = 10_000_000;

const ContentTextQuery = z.object({
  offset: queryInteger({ min: 0, max: MAX_OFFSET }).default(0).meta({
    description: 'Where the text starts, in UTF-16 code units, as `start` of a chunk. Nothing follows beyond its end.',
  }),
  limit: queryInteger({ min: 1, max: MAX_LIMIT }).optional().meta({
    description: 'Largest number of UTF-16 code units, at most 10,000,000; without it, all that follows.',
  }),
});

export const getContentTextRoute = route(
  {
    method: 'get',
    path: '/contents/{content_id}/text',
    tag: 'Contents',
    summary: 'Get the text that was extracted from a content, as Markdown; chunk offsets refer to this text',
    permission: 'contents:read',
    params: ContentParams,
    query: ContentTextQuery,
    response: z.never(),
    responseType: 'text/markdown',
    extension: true,
    otherStatuses: { 409: 'The content has not been read yet' },
  },
  async ({ services, caller, params, query }) => {
    const part = { offset: query.offset, limit: query.limit ?? null };
    const stream = await openContentText(services, caller, { contentId: params.content_id, ...part });
    return Reply.stream(stream, { mediaType: 'text/markdown; charset=utf-8', headers: {} });
  },
);
