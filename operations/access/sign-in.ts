import { createHash, randomBytes } from 'node:crypto';
import { AppError } from '#domain/app-error.ts';
import type { Caller } from '#domain/access/caller.ts';
import type { SignedIn, SignedOut } from '#domain/records/access/sign-in.ts';
import type { Services } from '#operations/services.ts';
import { generateApiKey, hashApiKey } from '#security/api-key.ts';
import type { Stores } from '#store/stores.ts';

const CODE_BYTES = 32;
const CODE_LIFETIME_S = 3_600;
const KEY_LIFETIME_S = 12 * 3_600;
/** How people recognise these keys in the list. */
const LABEL = 'console';

/**
 * Returns a code that signs in once within an hour, with what this API key may do; null when the key cannot be used any more.
 * @param key the public part of the API key
 */
export async function createSignInCode(stores: Stores, key: string): Promise<string | null> {
  const code = randomBytes(CODE_BYTES).toString('base64url');
  const row = { codeHash: hashOf(code), key, lifetimeS: CODE_LIFETIME_S };
  return (await stores.system.addSignInCode(row)) ? code : null;
}

/**
 * Redeems a code for a new API key, which expires after 12 hours.
 * @throws AppError `unauthorized` for a code that is unknown, used or expired (one message for all).
 */
export async function signIn(services: Pick<Services, 'stores' | 'secrets'>, code: string): Promise<SignedIn> {
  const { id: key, secret } = generateApiKey();
  const hashedSecret = hashApiKey(secret, services.secrets.apiKeyPepper);
  const row = { codeHash: hashOf(code), key, hashedSecret, label: LABEL, lifetimeS: KEY_LIFETIME_S };
  const redeemed = await services.stores.system.redeemSignInCode(row);
  if (redeemed === null) {
    throw new AppError(
      'unauthorized',
      'This sign-in link is unknown, was used before, or is older than an hour. Restart Loci for a new one, or sign in with an API key.',
    );
  }
  return {
    api_key: secret,
    workspace_id: redeemed.workspace_id,
    expires_at: redeemed.expires_at.toISOString(),
  };
}

/** Revokes the API key of the caller if it came from a code. Whoever pasted another key still needs it elsewhere. */
export async function signOut(
  services: Pick<Services, 'stores'>,
  { scope, apiKeyId }: Pick<Caller, 'scope' | 'apiKeyId'>,
): Promise<SignedOut> {
  if (apiKeyId === null) return { revoked: false };
  return { revoked: await services.stores.apiKeys.revokeSignedIn(scope, apiKeyId) };
}

/** A plain hash is enough, because codes have 256 random bits. */
function hashOf(code: string): string {
  return createHash('sha256').update(code, 'utf8').digest('hex');
}
