import { RefreshState } from '#domain/records/oauth.ts';
import { getRefreshState } from '#operations/connections/get-refresh-state.ts';
import { route } from '#api/http/route.ts';
import { ConnectionParams } from '#api/routes/path-params.ts';

export const getRefreshStateRoute = route(
  {
    method: 'get',
    path: '/oauth/refresh/{connection_id}',
    tag: 'OAuth',
    summary: 'Get the state of the tokens of a connection',
    description: 'When they end, when they are refreshed by themselves, and what went wrong the last time.',
    permission: 'connections:read',
    params: ConnectionParams,
    response: RefreshState,
    extension: true,
  },
  async ({ services, caller, params }) => getRefreshState(services, caller, params.connection_id),
);
