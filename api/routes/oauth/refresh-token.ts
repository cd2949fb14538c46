import { RefreshAnswer } from '#domain/records/oauth.ts';
import { refreshConnection } from '#operations/connections/refresh-connection.ts';
import { route } from '#api/http/route.ts';
import { ConnectionParams } from '#api/routes/path-params.ts';

export const refreshOAuthTokenRoute = route(
  {
    method: 'post',
    path: '/oauth/refresh/{connection_id}',
    tag: 'OAuth',
    summary: 'Refresh OAuth token',
    description:
      'Uses the stored refresh token to get new tokens and updates the credential. Concurrent requests share one exchange; the result of an exchange within the last ten seconds is returned at once. The response contains no token.',
    permission: 'connections:write',
    params: ConnectionParams,
    response: RefreshAnswer,
    otherStatuses: {
      409: 'There is no refresh token, or the provider refused it',
      503: 'The provider does not respond; the refresh is retried, so try again after `Retry-After`',
    },
  },
  async ({ services, caller, params }) => refreshConnection(services, caller, params.connection_id),
);
