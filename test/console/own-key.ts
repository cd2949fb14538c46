import { generateApiKey, hashApiKey } from '#security/api-key.ts';
import type { OwnServices } from '#test/support/harness/own-services.ts';

/** Inserts an API key that may do everything in a workspace. `key` is its public part. */
export async function insertOwnKey(
  { services: { stores, secrets } }: Pick<OwnServices, 'services'>,
  workspaceId: string,
): Promise<{ key: string; secret: string }> {
  const { id: key, secret } = generateApiKey();
  const hashedSecret = hashApiKey(secret, secrets.apiKeyPepper);
  const record = { workspaceId, key, hashedSecret, label: 'a test', permissions: ['*' as const] };
  await stores.system.insertApiKey({ ...record, createdBy: 'a test' });
  return { key, secret };
}
