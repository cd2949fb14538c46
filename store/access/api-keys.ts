import type { ApiKey } from '#domain/records/api-key.ts';
import type { Scope } from '#domain/access/scope.ts';
import type { TimePosition } from '#domain/cursor.ts';
import { mapPage, queryPage, rowBytes, type Page } from '#store/page.ts';
import { query, queryOne, type Database } from '#store/postgres.ts';

/** What a key may be used for, from which addresses and until when. */
export type ApiKeyLimits = Pick<ApiKey, 'permissions' | 'collections' | 'ip_whitelist' | 'expires_at'>;

export type ApiKeyFields = ApiKeyLimits & Pick<ApiKey, 'label'>;

type Row = Omit<ApiKey, 'created_at' | 'updated_at' | 'last_used_at' | 'expires_at' | 'secret'> & {
  created_at: Date;
  updated_at: Date;
  last_used_at: Date | null;
  expires_at: Date | null;
  created_us: number;
};

const COLUMNS = `k.id, k.key, k.label, k.workspace_id, k.created_at, k.updated_at, k.hashed_secret, k.last_used_at, k.expires_at,
  k.permissions, k.ip_whitelist, k.collections, k.created_by,
  case when k.status = 'active' and k.expires_at <= now() then 'expired' else k.status end as status,
  (extract(epoch from k.created_at) * 1000000)::bigint as created_us`;

/** A key may list a thousand collections and a thousand addresses. */
const ROW_BYTES = rowBytes({ texts: ['k.label'], json: ['k.permissions', 'k.ip_whitelist', 'k.collections'] });

/** A caller that is limited to collections does not see keys that reach others. */
const IN_SCOPE = `k.workspace_id = :workspaceId
  and (:collectionIds::uuid[] is null or (k.collections is not null and k.collections <@ :collectionIds::uuid[]))`;

/** API keys, for their management. Authentication has its own look-up in `access-system.ts`. */
export function createApiKeyStore(database: Database) {
  return {
    async insert(
      scope: Scope,
      key: ApiKeyFields & { key: string; hashedSecret: string; createdBy: string },
    ): Promise<ApiKey> {
      const row = await queryOne<Row>(
        database,
        `insert into api_keys as k
           (workspace_id, key, hashed_secret, label, permissions, collections, ip_whitelist, expires_at, created_by)
         values (:workspaceId, :key, :hashedSecret, :label, :permissions, :collections::uuid[], :ip_whitelist::text[],
           :expires_at, :createdBy)
         returning ${COLUMNS}`,
        { ...scope, ...key },
      );
      if (!row) throw new Error('insert returned no row');
      return toApiKey(row);
    },

    /** Returns a key that the scope reaches, or null. */
    async find(scope: Scope, id: string): Promise<ApiKey | null> {
      const row = await queryOne<Row>(database, `select ${COLUMNS} from api_keys k where ${IN_SCOPE} and k.id = :id`, {
        ...scope,
        id,
      });
      return row && toApiKey(row);
    },

    /**
     * Returns the limits of the key whose sign-in code this key was redeemed for, as long as that one can be used. Null for every
     * key that did not come from a code. Not for callers to see: the scope may not reach it.
     */
    async findIssuer(scope: Scope, id: string): Promise<ApiKeyLimits | null> {
      const row = await queryOne<Row>(
        database,
        `select ${COLUMNS} from api_keys s join api_keys k on k.key = substr(s.created_by, length('api-key/') + 1)
         where s.workspace_id = :workspaceId and s.id = :id and s.from_sign_in and k.workspace_id = s.workspace_id
           and k.status = 'active' and (k.expires_at is null or k.expires_at > now())`,
        { ...scope, id },
      );
      return row && toApiKey(row);
    },

    /** Like `find`, and locks the key until the transaction ends. */
    async lock(scope: Scope, id: string): Promise<ApiKey | null> {
      const row = await queryOne<Row>(
        database,
        `select ${COLUMNS} from api_keys k where ${IN_SCOPE} and k.id = :id for update`,
        { ...scope, id },
      );
      return row && toApiKey(row);
    },

    async update(scope: Scope, id: string, fields: ApiKeyFields): Promise<ApiKey | null> {
      const row = await queryOne<Row>(
        database,
        `update api_keys k set label = :label, permissions = :permissions, collections = :collections::uuid[],
           ip_whitelist = :ip_whitelist::text[], expires_at = :expires_at, updated_at = now()
         where ${IN_SCOPE} and k.id = :id returning ${COLUMNS}`,
        { ...scope, ...fields, id },
      );
      return row && toApiKey(row);
    },

    async replaceSecret(scope: Scope, id: string, hashedSecret: string): Promise<ApiKey | null> {
      const row = await queryOne<Row>(
        database,
        `update api_keys k set hashed_secret = :hashedSecret, updated_at = now()
         where ${IN_SCOPE} and k.id = :id returning ${COLUMNS}`,
        { ...scope, id, hashedSecret },
      );
      return row && toApiKey(row);
    },

    /** Revokes a key for ever. False when the scope does not reach it; true for a key that was already revoked. */
    async revoke(scope: Scope, id: string): Promise<boolean> {
      const row = await queryOne(
        database,
        `update api_keys k set status = 'revoked',
           updated_at = case when k.status = 'revoked' then k.updated_at else now() end
         where ${IN_SCOPE} and k.id = :id returning k.id`,
        { ...scope, id },
      );
      return row !== null;
    },

    /** Revokes a key that came from a sign-in code. False for any other key. */
    async revokeSignedIn(scope: Scope, id: string): Promise<boolean> {
      const row = await queryOne(
        database,
        `update api_keys k set status = 'revoked', updated_at = now()
         where ${IN_SCOPE} and k.id = :id and k.from_sign_in and k.status = 'active' returning k.id`,
        { ...scope, id },
      );
      return row !== null;
    },

    /** Returns a page ordered by `(created_at, id)`. */
    async list(
      scope: Scope,
      { after, skip, limit }: { after: TimePosition | null; skip: number; limit: number },
    ): Promise<Page<{ apiKey: ApiKey; createdUs: number }>> {
      const list = `select ${COLUMNS}, ${ROW_BYTES} from api_keys k where ${IN_SCOPE}
          and (:afterUs::bigint is null
            or (k.created_at, k.id) > (to_timestamp(0) + :afterUs * interval '1 microsecond', :afterId::uuid))
        order by k.created_at, k.id offset :skip`;
      const bindings = { ...scope, skip, afterUs: after?.createdUs, afterId: after?.id };
      const page = await queryPage<Row>(database, { list, order: 'created_us, id', limit }, bindings);
      return mapPage(page, (row) => ({ apiKey: toApiKey(row), createdUs: row.created_us }));
    },

    async count(scope: Scope): Promise<number> {
      const sql = `select count(*) as count from api_keys k where ${IN_SCOPE}`;
      return (await queryOne<{ count: number }>(database, sql, { ...scope }))?.count ?? 0;
    },

    /** Returns the collections that the scope reaches, oldest first, and who created each. */
    listCollections(scope: Scope): Promise<{ id: string; created_by: string | null }[]> {
      const sql = `select c.id, c.created_by from collections c
        where c.workspace_id = :workspaceId and c.status <> 'deleting'
          and (:collectionIds::uuid[] is null or c.id = any(:collectionIds::uuid[]))
        order by c.created_at, c.id`;
      return query(database, sql, { ...scope });
    },

    /** Counts how many of these collections the scope reaches. */
    async countCollections(scope: Scope, ids: readonly string[]): Promise<number> {
      const row = await queryOne<{ count: number }>(
        database,
        `select count(*) as count from collections c
         where c.workspace_id = :workspaceId and c.id = any(:ids::uuid[]) and c.status <> 'deleting'
           and (:collectionIds::uuid[] is null or c.id = any(:collectionIds::uuid[]))`,
        { ...scope, ids },
      );
      return row?.count ?? 0;
    },
  };
}

export type ApiKeyStore = ReturnType<typeof createApiKeyStore>;

function toApiKey({ created_us: _createdUs, ...row }: Row): ApiKey {
  return {
    ...row,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    last_used_at: row.last_used_at?.toISOString() ?? null,
    expires_at: row.expires_at?.toISOString() ?? null,
    secret: null,
  };
}
