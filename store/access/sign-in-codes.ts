import { queryOne, type Database } from '#store/postgres.ts';

/** The key that a code is redeemed for, with the limits of the key that the code stands for. */
export type SignedInKey = { workspace_id: string; expires_at: Date };

const USABLE = `k.status = 'active' and (k.expires_at is null or k.expires_at > now())
  and exists (select from workspaces w where w.id = k.workspace_id and w.status = 'active')`;

/** Codes that sign in once. Who redeems one has no workspace yet. */
export function createSignInCodes(database: Database) {
  return {
    /**
     * Adds a code for an API key, by the public part of the key. Codes and keys of earlier sign-ins that have expired are
     * deleted. False when the key cannot be used any more.
     */
    async addSignInCode(code: { codeHash: string; key: string; lifetimeS: number }): Promise<boolean> {
      const row = await queryOne(
        database,
        `with old_codes as (delete from sign_in_codes where expires_at < now()),
           old_keys as (delete from api_keys where from_sign_in and expires_at < now())
         insert into sign_in_codes (code_hash, workspace_id, api_key_id, expires_at)
         select :codeHash, k.workspace_id, k.id, now() + :lifetimeS * interval '1 second'
         from api_keys k where k.key = :key and ${USABLE} returning 1`,
        code,
      );
      return row !== null;
    },

    /**
     * Redeems a code: one statement deletes it and adds an API key that may do what the key of the code may do now, for
     * `lifetimeS` at most. Of several calls with one code, one succeeds. Null when the code is unknown, used or expired, or its
     * key cannot be used any more.
     */
    redeemSignInCode(code: {
      codeHash: string;
      key: string;
      hashedSecret: string;
      label: string;
      lifetimeS: number;
    }): Promise<SignedInKey | null> {
      return queryOne<SignedInKey>(
        database,
        `with taken as (delete from sign_in_codes where code_hash = :codeHash returning api_key_id, expires_at)
         insert into api_keys (workspace_id, key, hashed_secret, label, permissions, collections, ip_whitelist, expires_at,
           created_by, from_sign_in)
         select k.workspace_id, :key, :hashedSecret, :label, k.permissions, k.collections, k.ip_whitelist,
           least(k.expires_at, now() + :lifetimeS * interval '1 second'), 'api-key/' || k.key, true
         from taken join api_keys k on k.id = taken.api_key_id
         where taken.expires_at > now() and ${USABLE}
         returning workspace_id, expires_at`,
        code,
      );
    },
  };
}
