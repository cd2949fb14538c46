import { z } from 'zod';
import { CONNECTION_STATUSES, INTEGRATION_TYPES } from '#domain/records/connection.ts';
import { textField } from '#domain/records/fields.ts';
import { ConnectionList } from '#domain/records/oauth.ts';
import { listConnections } from '#operations/connections/list-connections.ts';
import { CursorQueryField, pageLimit, queryBoolean } from '#api/http/request/query-fields.ts';
import { route } from '#api/http/route.ts';

const Query = z.object({
  integration: textField(100).optional().meta({ description: 'Integration of the connections.' }),
  integration_type: z.enum(INTEGRATION_TYPES).optional().meta({ description: 'Kind of the integration.' }),
  status: z.enum(CONNECTION_STATUSES).optional().meta({ description: 'Status of the connections.' }),
  user_id: textField(255).optional().meta({ description: 'User to whom the connections belong.' }),
  include_token_state: queryBoolean().default(false).meta({
    description:
      'Include when the tokens of each expire and are refreshed, and why the last refresh failed; never the tokens',
  }),
  limit: pageLimit({ max: 1000, standard: 100 }),
  cursor: CursorQueryField,
});

export const listConnectionsRoute = route(
  {
    method: 'get',
    path: '/connections',
    tag: 'Connections',
    summary: 'List connections',
    description:
      'Lists connections without credentials. Members see their own; administrators and API keys see all of the workspace.',
    permission: 'connections:read',
    query: Query,
    response: ConnectionList,
    extension: true,
  },
  async ({ services, caller, query }) => listConnections(services, caller, query),
);
