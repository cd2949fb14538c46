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

/** What tells an API key from a token in an `Authorization` header. */
export const API_KEY_PREFIX = 'loci_';

/**
 * Makes a key `loci_<12-char id>_<43 base62><6 checksum>`. `id` is public and finds the row; `secret` is the full text,
 * shown once; a key that is rotated keeps its id. The checksum lets scanners and `parseApiKey` tell a key from a look-alike or a cut copy.
 */
export function generateApiKey(id = randomText(ID_LENGTH)): { id: string; secret: string } {
  const body = `${API_KEY_PREFIX}${id}_${randomText(SECRET_LENGTH)}`;
  return { id, secret: body + checksum(body) };
}

/** The id of a well-formed key, null for anything else. Says nothing about whether the key exists. */
export function parseApiKey(text: string): { id: string } | null {
  const [, body, id, check] = KEY_FORM.exec(text) ?? [];
  return body !== undefined && id !== undefined && check === checksum(body) ? { id } : null;
}

/** HMAC-SHA-256 of the full key text, hex. `pepper` is kept outside the database, so that its rows alone prove nothing. */
export function hashApiKey(text: string, pepper: string): string {
  return createHmac('sha256', pepper).update(text, 'utf8').digest('hex');
}

/** True when `text` is the key that was stored as `hash`; takes the same time wherever they differ. */
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
