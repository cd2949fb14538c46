import { AuthorizeAnswer, AuthorizeRequest } from '#domain/records/oauth.ts';
import { authorizeConnection } from '#operations/connections/authorize-connection.ts';
import { Reply } from '#api/http/response/reply.ts';
import { route } from '#api/http/route.ts';
import { ConnectionParams } from '#api/routes/path-params.ts';

export const authorizeConnectionRoute = route(
  {
    method: 'post',
    path: '/oauth/authorize/{connection_id}',
    tag: 'OAuth',
    summary: 'Start the authorization of a connection',
    description:
      'Returns the URL of the provider to send the user of the connection to. It works once, for ten minutes. The provider redirects the user to `/oauth/callback`, which stores the tokens in the connection.',
    permission: 'connections:write',
    params: ConnectionParams,
    body: AuthorizeRequest.prefault({}),
    response: AuthorizeAnswer,
    extension: true,
    idempotent: true,
    otherStatuses: { 409: 'There is no OAuth client or no endpoint for the provider' },
  },
  async ({ services, caller, params, body, idempotency }) => {
    const request = { id: params.connection_id, body, idempotency };
    const { status, body: answer } = await authorizeConnection(services, caller, request);
    return Reply.json(answer, { status });
  },
);
