import { z } from 'zod';
import { NEXT_PAGE } from './cursor-list.ts';
import { KNOWN_PERMISSIONS } from '#domain/access/caller.ts';
import { API_KEY_STATUSES } from '#domain/statuses.ts';
import { Id, IsoTime, IsoTimeInput, textField } from './fields.ts';

/** An API key as the interface shows it. */
export const ApiKey = z
  .object({
    id: Id,
    key: z.string().meta({ description: 'Public part of the key: what stands between `loci_` and the secret' }),
    label: z.string().nullable(),
    workspace_id: Id,
    created_at: IsoTime,
    updated_at: IsoTime,
    hashed_secret: z.string().meta({ description: 'Keyed hash of the secret; of no use as a key' }),
    secret: z.string().nullable().meta({ description: 'The whole key, in the answer that makes it; else null' }),
    status: z.enum(API_KEY_STATUSES),
    last_used_at: IsoTime.nullable().meta({ description: 'To about a minute' }),
    expires_at: IsoTime.nullable(),
    permissions: z.array(z.string()),
    ip_whitelist: z.array(z.string()).nullable().meta({ description: 'null: usable from every address' }),
    collections: z.array(Id).nullable().meta({ description: 'null: reaches every collection of its workspace' }),
    created_by: z.string().nullable(),
  })
  .meta({ id: 'ApiKey' });
export type ApiKey = z.infer<typeof ApiKey>;

const MAX_LISTED = 1000;

const label = textField(255, 1).nullable();
const permissions = z
  .array(
    z.string().refine((text) => KNOWN_PERMISSIONS.includes(text), {
      error: 'Is no permission: `<resource>:read`, `:write` or `:delete`, `connections:reveal`, or `*`',
      params: { type: 'unknown_permission' },
    }),
  )
  .min(1)
  .max(KNOWN_PERMISSIONS.length)
  .transform((list) => [...new Set(list)])
  .meta({ description: '`<resource>:read|write|delete`, `connections:reveal`, or `*` for all' });
// An empty list could be meant as "none" or as "all", so it is refused.
const collections = z
  .array(Id)
  .min(1)
  .max(MAX_LISTED)
  .transform((list) => [...new Set(list)])
  .nullable()
  .meta({ description: 'The only collections the key reaches; null for every one' });
const ipWhitelist = z
  .array(z.string().max(100))
  .min(1)
  .max(MAX_LISTED)
  .nullable()
  .meta({ description: 'Addresses and CIDR ranges, IPv4 or IPv6, that the key is usable from; null for every one' });
const expiresAt = IsoTimeInput.nullable().meta({
  description: 'When the key ends, ISO 8601, UTC unless it says otherwise; null for never',
});

export const CreateApiKeyRequest = z
  .strictObject({
    label: label.default(null),
    permissions,
    collections: collections.optional(),
    ip_whitelist: ipWhitelist.optional(),
    expires_at: expiresAt.optional(),
  })
  .meta({ id: 'CreateApiKeyRequest' });
export type CreateApiKeyRequest = z.infer<typeof CreateApiKeyRequest>;

export const UpdateApiKeyRequest = z
  .strictObject({
    label: label.optional(),
    permissions: permissions.optional(),
    collections: collections.optional(),
    ip_whitelist: ipWhitelist.optional(),
    expires_at: expiresAt.optional(),
  })
  .meta({ id: 'UpdateApiKeyRequest' });
export type UpdateApiKeyRequest = z.infer<typeof UpdateApiKeyRequest>;

export const ApiKeyList = z
  .object({
    data: z.array(ApiKey),
    total_count: z.int(),
    page: z.int(),
    limit: z.int(),
    next_page: z.int().nullable(),
    ...NEXT_PAGE,
  })
  .meta({ id: 'ApiKeyList' });
export type ApiKeyList = z.infer<typeof ApiKeyList>;
