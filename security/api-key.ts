import { createHmac, randomInt, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const ID_LENGTH = 12;
/** 43 base62 characters hold 256 bits. */
const SECRET_LENGTH = 43;
/** Six base62 characters hold a CRC-32. */
const CHECK_LENGTH = 6;
const KEY_FORM = new RegExp(
  `^(loci_([0-9A-Za-z]{${ID_LENGTH}})_[0-9A-Za-z]{${SECRET_LENGTH}})([0-9A-Za-z]{${CHECK_LENGTH}})$`,
);

/** Distinguishes an API key from a bearer token in an `Authorization` header. */
export const API_KEY_PREFIX = 'loci_';

/**
 * Generates a key `loci_<12-char id>_<43 base62><6 checksum>`. `id` is public and finds the row; `secret` is the full text, which
 * is shown once. A rotated key keeps its id. The checksum lets secret scanners and `parseApiKey` distinguish a key from a
 * look-alike or a truncated copy.
 */
export function generateApiKey(id = randomText(ID_LENGTH)): { id: string; secret: string } {
  const body = `${API_KEY_PREFIX}${id}_${randomText(SECRET_LENGTH)}`;
  return { id, secret: body + checksum(body) };
}

/** Returns the id of a well-formed key, null for anything else. The key need not exist. */
export function parseApiKey(text: string): { id: string } | null {
  const [, body, id, check] = KEY_FORM.exec(text) ?? [];
  return body !== undefined && id !== undefined && check === checksum(body) ? { id } : null;
}

/** Returns the HMAC-SHA-256 of the full key text, hex. `pepper` is kept outside the database, so its rows alone verify no key. */
export function hashApiKey(text: string, pepper: string): string {
  return createHmac('sha256', pepper).update(text, 'utf8').digest('hex');
}

/** True when `text` is the key that was stored as `hash`. Compares in constant time. */
export function verifyApiKey(text: string, stored: { hash: string; pepper: string }): boolean {
  const given = Buffer.from(hashApiKey(text, stored.pepper), 'utf8');
  const expected = Buffer.from(stored.hash, 'utf8');
  return given.length === expected.length && timingSafeEqual(given, expected);
}

function randomText(length: number): string {
  return Array.from({ length }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('');
}

function checksum(body: string): string {
  let rest = crc32(body);
  let text = '';
  for (let position = 0; position < CHECK_LENGTH; position += 1) {
    text = ALPHABET.charAt(rest % ALPHABET.length) + text;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return text;
}
