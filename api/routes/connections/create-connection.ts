import { Connection, CreateConnectionRequest } from '#domain/records/connection.ts';
import { createConnection } from '#operations/connections/create-connection.ts';
import { Reply } from '#api/http/response/reply.ts';
import { route } from '#api/http/route.ts';

export const createConnectionRoute = route(
  {
    method: 'post',
    path: '/connections',
    tag: 'Connections',
    summary: 'Create a connection',
    description:
      'Creates a connection to an external integration. `credentials` are stored encrypted; responses contain them only on request.',
    permission: 'connections:write',
    body: CreateConnectionRequest,
    response: Connection,
    status: 201,
    extension: true,
    idempotent: true,
  },
  async ({ services, caller, body, idempotency }) => {
    const { status, body: connection } = await createConnection(services, caller, { body, idempotency });
    return Reply.json(connection, { status });
  },
);
