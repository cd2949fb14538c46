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
      'Uses the stored refresh token to get new tokens and updates the credential. Whoever asks at the same time shares one exchange; one that succeeded within the last ten seconds answers at once. No token is in the answer.',
    permission: 'connections:write',
    params: ConnectionParams,
    response: RefreshAnswer,
    otherStatuses: {
      409: 'There is no refresh token, or the provider refused it',
      503: 'The provider does not answer; it is tried again, so ask again after `Retry-After`',
    },
  },
  async ({ services, caller, params }) => refreshConnection(services, caller, params.connection_id),
);
