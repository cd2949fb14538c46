import { Reindexing } from '#domain/records/reindexing.ts';
import { getReindexing, reindexWorkspace } from '#operations/index/reindex-workspace.ts';
import { callerInWorkspace } from '#operations/access/caller-in-workspace.ts';
import { Reply } from '#api/http/response/reply.ts';
import { administrationRoute } from '#api/http/route.ts';
import { WorkspaceParams } from '#api/routes/path-params.ts';

const path = '/workspaces/{workspace_id}/reindex';

export const reindexWorkspaceRoute = administrationRoute(
  {
    method: 'post',
    path,
    tag: 'Workspaces',
    summary: 'Rebuild the search index',
    description:
      'Writes all stored chunks and memories to the index again, for example after a loss of the index. Search continues ' +
      'meanwhile with what is indexed. While a rebuild is running, the response is that rebuild.',
    permission: 'workspaces:write',
    administrator: 'allowed',
    params: WorkspaceParams,
    response: Reindexing,
    status: 202,
    extension: true,
    idempotent: true,
  },
  async ({ services, principal, params, idempotency }) => {
    const answer = await reindexWorkspace(services, callerInWorkspace(principal, params.workspace_id), idempotency);
    return Reply.json(answer.body, { status: answer.status });
  },
);

export const getReindexingRoute = administrationRoute(
  {
    method: 'get',
    path,
    tag: 'Workspaces',
    summary: 'Get the progress of the index rebuild',
    description: 'The running rebuild, or the last one; 404 when there was none.',
    // It counts more than a member reaches.
    permission: 'workspaces:write',
    administrator: 'allowed',
    params: WorkspaceParams,
    response: Reindexing,
    extension: true,
  },
  async ({ services, principal, params }) => getReindexing(services, callerInWorkspace(principal, params.workspace_id)),
);
