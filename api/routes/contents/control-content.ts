import { Content } from '#domain/records/content.ts';
import { controlContent, type ContentControl } from '#operations/contents/control-content.ts';
import { route } from '#api/http/route.ts';
import { ContentParams } from '#api/routes/path-params.ts';

export const pauseContentRoute = controlContentRoute('pause', 'Pause the ingestion of a content');
export const resumeContentRoute = controlContentRoute('resume', 'Resume the ingestion of a content');
export const cancelContentRoute = controlContentRoute(
  'cancel',
  'Cancel the ingestion of a content and discard its result',
);
export const retryContentRoute = controlContentRoute('retry', 'Ingest a failed or cancelled content again');

function controlContentRoute(action: ContentControl['action'], summary: string) {
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
