import { Reindexing } from '#domain/records/reindexing.ts';
import { getReindexing, reindexWorkspace } from '#operations/index/reindex-workspace.ts';
import { callerInWorkspace } from '#operations/workspaces/caller-in-workspace.ts';
import { Reply } from '#api/http/response/reply.ts';
import { administrationRoute } from '#api/http/route.ts';
import { WorkspaceParams } from '#api/routes/path-params.ts';

const path = '/workspaces/{workspace_id}/reindex';

export const reindexWorkspaceRoute = administrationRoute(
  {
    method: 'post',
    path,
    tag: 'Workspaces',
    summary: 'Make the search index anew',
    description:
      'Writes all chunks and memories into the index again, from what is stored: after a loss of the index, whole or in part. ' +
      'Search goes on meanwhile with what is there. While one is under way the answer is that one.',
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
    summary: 'Get how far the search index is made anew',
    description: 'The one that is under way, or the last one; 404 when there was none.',
    // What it counts is more than a member reaches.
    permission: 'workspaces:write',
    administrator: 'allowed',
    params: WorkspaceParams,
    response: Reindexing,
    extension: true,
  },
  async ({ services, principal, params }) => getReindexing(services, callerInWorkspace(principal, params.workspace_id)),
);
