import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { StackError } from './stack-error.ts';

/** Passwords and keys of one state folder, generated on its first start. They give access to all data in it. */
const StackSecrets = z.object({
  postgres_password: z.string(),
  weaviate_api_key: z.string(),
  weaviate_cluster_password: z.string(),
  admin_token: z.string(),
  api_key_pepper: z.string(),
  secret_keys: z.string(),
});
export type StackSecrets = z.infer<typeof StackSecrets>;

const FILE = 'secrets.json';

/** Reads the secrets of a state folder, or generates and stores them (mode 0600) if there are none. */
export function loadOrCreateStackSecrets(stateDir: string): StackSecrets {
  const path = join(stateDir, FILE);
  const text = readIfExists(path);
  if (text !== null) {
    try {
      return StackSecrets.parse(JSON.parse(text));
    } catch (error) {
      throw new StackError(
        `${path} is damaged. Restore it from a backup: without it, stored credentials and API keys cannot be used.`,
        {
          cause: error,
        },
      );
    }
  }
  const secrets: StackSecrets = {
    postgres_password: randomToken(),
    weaviate_api_key: randomToken(),
    weaviate_cluster_password: randomToken(),
    admin_token: randomToken(),
    api_key_pepper: randomToken(),
    secret_keys: `1:${randomBytes(32).toString('base64')}`,
  };
  writePrivateFile(path, `${JSON.stringify(secrets, null, 2)}\n`);
  return secrets;
}

/** Atomically writes a file that only its owner can read. */
export function writePrivateFile(path: string, text: string): void {
  const partial = `${path}.partial`;
  mkdirSync(join(path, '..'), { recursive: true, mode: 0o700 });
  writeFileSync(partial, text, { mode: 0o600, flush: true });
  renameSync(partial, path);
}

function readIfExists(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw new StackError(`${path} cannot be read.`, { cause: error });
  }
}

function randomToken(): string {
  return randomBytes(32).toString('base64url');
}
