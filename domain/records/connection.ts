import { z } from 'zod';
import { cursorListOf } from './cursor-list.ts';
import { AnyObject, Id, IsoTime, JsonObject, textField } from './fields.ts';

export const INTEGRATION_TYPES = ['connectors', 'mcp', 'tool', 'model', 'custom', 'storage', 'api'] as const;
export const CONNECTION_STATUSES = ['active', 'inactive', 'testing', 'error', 'expired'] as const;
/** Statuses that clients may set; the service sets the others from the state of the credentials. */
const SETTABLE_CONNECTION_STATUSES = ['active', 'inactive', 'testing'] as const;

const Label = textField(255).meta({ description: 'Human-readable name of the connection.' });
const Config = JsonObject.meta({ description: 'Settings of the integration. Put secrets into `credentials`.' });
const Credentials = JsonObject.meta({
  description: 'Secrets of the integration, as a JSON object. They are stored encrypted and returned masked.',
});

/** A connection in API responses. */
export const Connection = z
  .object({
    id: Id,
    integration: z.string(),
    integration_type: z.enum(INTEGRATION_TYPES),
    credential_id: Id.nullable(),
    user_id: z.string().nullable(),
    workspace_id: Id,
    created_by: z.string().nullable(),
    status: z.enum(CONNECTION_STATUSES),
    created_at: IsoTime,
    updated_at: IsoTime,
    label: z.string().nullable(),
    config: AnyObject,
  })
  .meta({ id: 'Connection' });
export type Connection = z.infer<typeof Connection>;

/** A connection with its credentials, if `include_credentials` is set. */
export const ConnectionDetail = Connection.extend({
  credentials: AnyObject.nullable().optional().meta({
    description:
      'Present only with `include_credentials`. Values are masked unless the caller has the permission `connections:reveal`.',
    'x-loci-extension': true,
  }),
}).meta({ id: 'ConnectionDetail' });
export type ConnectionDetail = z.infer<typeof ConnectionDetail>;

export const CreateConnectionRequest = z
  .strictObject({
    integration: textField(100, 1).meta({ description: 'Name of the integration.' }),
    integration_type: z.enum(INTEGRATION_TYPES),
    label: Label.nullable().default(null),
    config: Config.default({}),
    user_id: textField(255, 1).optional().meta({ description: 'User to whom the connection belongs.' }),
    credentials: Credentials.optional(),
    status: z.enum(SETTABLE_CONNECTION_STATUSES).default('active'),
  })
  .meta({ id: 'CreateConnectionRequest' });
export type CreateConnectionRequest = z.infer<typeof CreateConnectionRequest>;

/** Fields that are absent stay unchanged. */
export const UpdateConnectionRequest = z
  .strictObject({
    label: Label.nullable().optional(),
    config: Config.optional(),
    status: z.enum(SETTABLE_CONNECTION_STATUSES).optional(),
    credentials: Credentials.optional(),
  })
  .meta({ id: 'UpdateConnectionRequest' });
export type UpdateConnectionRequest = z.infer<typeof UpdateConnectionRequest>;

export const ConnectionList = cursorListOf(Connection).meta({ id: 'ConnectionList' });
export type ConnectionList = z.infer<typeof ConnectionList>;
