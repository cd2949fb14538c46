import { WorkspaceList } from '#domain/records/workspace.ts';
import { listWorkspaces } from '#operations/workspaces/workspaces.ts';
import { administrationRoute } from '#api/http/route.ts';
import { PageQuery } from './page-query.ts';

export const listWorkspacesRoute = administrationRoute(
  {
    method: 'get',
    path: '/workspaces',
    tag: 'Workspaces',
    summary: 'List workspaces',
    description: 'The workspaces that the key or user reaches; with the administrator token, all workspaces.',
    permission: 'workspaces:read',
    administrator: 'allowed',
    workspaceOptional: true,
    query: PageQuery,
    response: WorkspaceList,
    extension: true,
  },
  async ({ services, principal, query }) => listWorkspaces(services, principal, query),
);
