import { Content } from '#domain/records/content.ts';
import { controlContent, type ContentControl } from '#operations/contents/control-content.ts';
import { route } from '#api/http/route.ts';
import { ContentParams } from '#api/routes/path-params.ts';

export const pauseContentRoute = controlRoute('pause', 'Pause the ingestion of a content');
export const resumeContentRoute = controlRoute('resume', 'Resume the ingestion of a content');
export const cancelContentRoute = controlRoute('cancel', 'Cancel the ingestion of a content and discard its result');
export const retryContentRoute = controlRoute('retry', 'Ingest a failed or cancelled content again');

function controlRoute(action: ContentControl['action'], summary: string) {
  return route(
    {
      method: 'post',
      path: `/contents/{content_id}/${action}`,
      tag: 'Contents',
      summary,
      permission: 'contents:write',
      params: ContentParams,
      response: Content,
      extension: true,
      idempotent: true,
      otherStatuses: { 409: 'The status of the content does not permit this action' },
    },
    async ({ services, caller, params, idempotency }) =>
      controlContent(services, caller, { contentId: params.content_id, action, idempotency }),
  );
}
