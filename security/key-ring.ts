import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { AppError } from '#domain/app-error.ts';
import { Secret } from './secret.ts';

/** The place of a sealed value. It opens with this context only; moved to another workspace or row it does not. */
export type SealContext = {
  workspaceId: string;
  /** Names table, row and column, e.g. `credentials/<id>/tokens`. */
  row: string;
};

/** Encrypts and decrypts secrets at rest. The first key encrypts; every key of the ring decrypts. */
export type KeyRing = {
  /** Returns ASCII text of the form `sealed.<key version>.<base64url>`. */
  seal(plain: Uint8Array | string, context: SealContext): string;
  /** @throws AppError `internal` when the key is missing, the context differs or the text was altered. */
  open(sealed: string, context: SealContext): Secret;
};

const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const SEALED_FORM = /^sealed\.([1-9]\d{0,8})\.([A-Za-z0-9_-]+)$/;
const KEY_FORM = /^([1-9]\d{0,8}):([A-Za-z0-9+/_-]{43}=?)$/;

type Key = { version: number; bytes: Buffer };

/**
 * Creates a key ring from `<version>:<base64 of 32 bytes>[,<other version>:<key>…]`. The first key seals, whatever its version.
 * AES-256-GCM with a random 96-bit IV and a 128-bit tag (NIST SP 800-38D); version, workspace and row are authenticated.
 * @throws AppError `internal` that names the invalid entry, never its value.
 */
export function createKeyRing(spec: string): KeyRing {
  const { keys, problem } = parseKeys(spec);
  const [first] = keys;
  if (problem !== null || first === undefined) throw new AppError('internal', `LOCI_SECRET_KEYS: ${problem}.`);
  return {
    seal: (plain, context) => seal(first, plain, context),
    open(sealed, context) {
      const [, version, body] = SEALED_FORM.exec(sealed) ?? [];
      if (version === undefined || body === undefined) {
        throw new AppError('internal', 'A stored secret does not have the form of a sealed value.');
      }
      const key = keys.find((candidate) => candidate.version === Number(version));
      if (key === undefined) {
        throw new AppError(
          'internal',
          `A stored secret was encrypted with key version ${version}, which is not configured: add that key at the end of LOCI_SECRET_KEYS.`,
        );
      }
      return open(key, Buffer.from(body, 'base64url'), context);
    },
  };
}

function seal(key: Key, plain: Uint8Array | string, context: SealContext): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(ALGORITHM, key.bytes, iv, { authTagLength: TAG_BYTES });
  cipher.setAAD(authenticatedData(key, context));
  const plainBytes = typeof plain === 'string' ? Buffer.from(plain, 'utf8') : plain;
  const body = Buffer.concat([iv, cipher.update(plainBytes), cipher.final(), cipher.getAuthTag()]);
  return `sealed.${key.version}.${body.toString('base64url')}`;
}

function open(key: Key, body: Buffer, context: SealContext): Secret {
  if (body.length < IV_BYTES + TAG_BYTES) throw new AppError('internal', 'A stored secret is truncated.');
  const decipher = createDecipheriv(ALGORITHM, key.bytes, body.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(authenticatedData(key, context));
  decipher.setAuthTag(body.subarray(-TAG_BYTES));
  try {
    return new Secret(Buffer.concat([decipher.update(body.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]));
  } catch {
    throw new AppError(
      'internal',
      `A stored secret cannot be decrypted: key version ${key.version} has changed, or the value was altered or moved.`,
    );
  }
}

/** Additional authenticated data. JSON, so that no two contexts have the same bytes. */
function authenticatedData(key: Key, context: SealContext): Buffer {
  return Buffer.from(JSON.stringify(['loci', key.version, context.workspaceId, context.row]), 'utf8');
}

/** Returns why a text is no key ring, without a key; null when it is one. */
export function keyRingProblem(spec: string): string | null {
  return parseKeys(spec).problem;
}

function parseKeys(spec: string): { keys: Key[]; problem: string | null } {
  const keys: Key[] = [];
  for (const [index, entry] of spec.split(',').entries()) {
    const [, version, text] = KEY_FORM.exec(entry.trim()) ?? [];
    const bytes = Buffer.from(text ?? '', 'base64');
    if (version === undefined || bytes.length !== KEY_BYTES) {
      return { keys, problem: `entry ${index + 1} must have the form <version>:<base64 of 32 bytes>` };
    }
    if (keys.some((key) => key.version === Number(version))) {
      return {
        keys,
        problem: `entry ${index + 1}: version ${version} is given twice; each key needs a version of its own`,
      };
    }
    keys.push({ version: Number(version), bytes });
  }
  return { keys, problem: null };
}
