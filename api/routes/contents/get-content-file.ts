import { z } from 'zod';
import { openContentFile } from '#operations/contents/contents.ts';
import { queryBoolean } from '#api/http/request/query-fields.ts';
import { attachment } from '#api/http/response/attachment.ts';
import { Reply } from '#api/http/response/reply.ts';
import { route } from '#api/http/route.ts';
import { ContentParams } from '#api/routes/path-params.ts';

const ContentFileQuery = z.object({
  redirect: queryBoolean().default(true).meta({
    description:
      'False: the answer is never a redirect to the bucket, whose rules may not permit the origin of a web page.',
  }),
});

export const getContentFileRoute = route(
  {
    method: 'get',
    path: '/contents/{content_id}/file',
    tag: 'Contents',
    summary: 'Download the original file of a content',
    permission: 'contents:read',
    params: ContentParams,
    query: ContentFileQuery,
    response: z.never(),
    responseType: 'application/octet-stream',
    extension: true,
    otherStatuses: {
      303: 'To a URL of the bucket, valid for five minutes (`LOCI_S3_PRESIGNED_DOWNLOADS`)',
      409: 'The URL of the content has not been downloaded yet',
    },
  },
  async ({ services, caller, params, query }) => {
    const wanted = { contentId: params.content_id, mayRedirect: query.redirect, dispositionOf: attachment };
    const file = await openContentFile(services, caller, wanted);
    if ('url' in file) return Reply.redirect(file.url);
    const { mediaType, disposition } = file.headers;
    return Reply.stream(file.stream, {
      mediaType,
      headers: { 'Content-Disposition': disposition, 'Content-Length': String(file.sizeBytes) },
    });
  },
);
