import { z } from 'zod';
import { openContentText } from '#operations/contents/content-text.ts';
import { Reply } from '#api/http/response/reply.ts';
import { route } from '#api/http/route.ts';
import { ContentParams } from '#api/routes/path-params.ts';

export const getContentTextRoute = route(
  {
    method: 'get',
    path: '/contents/{content_id}/text',
    tag: 'Contents',
    summary: 'Get the text that was extracted from a content, as Markdown; chunk offsets refer to this text',
    permission: 'contents:read',
    params: ContentParams,
    response: z.never(),
    responseType: 'text/markdown',
    extension: true,
    otherStatuses: { 409: 'The content has not been read yet' },
  },
  async ({ services, caller, params }) => {
    const stream = await openContentText(services, caller, params.content_id);
    return Reply.stream(stream, { mediaType: 'text/markdown; charset=utf-8', headers: {} });
  },
);
