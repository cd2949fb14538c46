import { generateApiKey, hashApiKey } from '#security/api-key.ts';
import type { OwnApi } from '#test/support/harness/own-api.ts';

/** Creates a key with every permission in a new workspace of an API of a test. */
export async function ownKey({ services }: OwnApi): Promise<string> {
  const { system } = services.stores;
  const workspaceId = await system.insertWorkspace('one');
  const { id, secret } = generateApiKey();
  const hashedSecret = hashApiKey(secret, services.secrets.apiKeyPepper);
  await system.insertApiKey({ workspaceId, key: id, hashedSecret, label: 'x', permissions: ['*'], createdBy: 'x' });
  return secret;
}
