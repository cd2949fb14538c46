import { z } from 'zod';
import { openContentFile } from '#operations/contents/contents.ts';
import { attachment } from '#api/http/response/attachment.ts';
import { Reply } from '#api/http/response/reply.ts';
import { route } from '#api/http/route.ts';
import { ContentParams } from '#api/routes/path-params.ts';

export const getContentFileRoute = route(
  {
    method: 'get',
    path: '/contents/{content_id}/file',
    tag: 'Contents',
    summary: 'Download the original file of a content',
    permission: 'contents:read',
    params: ContentParams,
    response: z.never(),
    responseType: 'application/octet-stream',
    extension: true,
    otherStatuses: { 409: 'The URL of the content has not been downloaded yet' },
  },
  async ({ services, caller, params }) => {
    const file = await openContentFile(services, caller, params.content_id);
    return Reply.stream(file.stream, {
      mediaType: file.mediaType ?? 'application/octet-stream',
      headers: { 'Content-Disposition': attachment(file.name), 'Content-Length': String(file.sizeBytes) },
    });
  },
);
