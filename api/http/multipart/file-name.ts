/** Longest file name, in UTF-8 bytes: the limit of most file systems. */
const MAX_NAME_BYTES = 255;
const FALLBACK_NAME = 'file';

/** Control characters, and marks that change the reading direction of a name. */
// oxlint-disable-next-line no-control-regex
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;
const PARAMETER = /;\s*([a-z0-9!#$&+.^_`|~*%'-]+)\s*=\s*("(?:[^"\\]|\\[\s\S])*"|[^;]*)/gi;

/**
 * Returns the file name of a `Content-Disposition` header whose bytes were decoded as Latin-1; null when it has none. Accepts
 * plain names as browsers and curl send them (UTF-8), RFC 5987 `filename*` and RFC 2231 continuations. The result is a base
 * name without path or control characters, or `''` for an empty name.
 */
export function fileNameOf(disposition: string): string | null {
  const parameters = new Map<string, string>();
  for (const [, name = '', value = ''] of disposition.matchAll(PARAMETER)) {
    parameters.set(name.toLowerCase(), value.trim());
  }
  const extended = parameters.get('filename*') ?? joinContinuations(parameters);
  const name = (extended === null ? null : decodeExtended(extended)) ?? decodePlain(parameters.get('filename'));
  return name === null || name === '' ? name : safeFileName(name);
}

/** Returns a name that is safe to show, store and send in a header: the last path segment, printable, at most 255 bytes. */
export function safeFileName(name: string): string {
  const base = name.split(/[/\\]/).findLast((segment) => segment !== '') ?? '';
  const printable = base.toWellFormed().normalize('NFC').replace(UNPRINTABLE, '').trim();
  if (printable === '' || printable === '.' || printable === '..') return FALLBACK_NAME;
  return shortened(printable);
}

/** Shortens the stem, so that the extension, which indicates the type, is kept. */
function shortened(name: string): string {
  if (Buffer.byteLength(name) <= MAX_NAME_BYTES) return name;
  const extension = /\.[^.]{1,20}$/.exec(name)?.[0] ?? '';
  const room = MAX_NAME_BYTES - Buffer.byteLength(extension);
  let stem = '';
  let sizeBytes = 0;
  for (const character of name.slice(0, name.length - extension.length)) {
    sizeBytes += Buffer.byteLength(character);
    if (sizeBytes > room) break;
    stem += character;
  }
  return stem + extension;
}

/** Decodes a plain name. Browsers escape quotes as `%22`, curl as `\"`. */
function decodePlain(value: string | undefined): string | null {
  if (value === undefined) return null;
  const text = value.startsWith('"') ? value.slice(1, -1).replace(/\\(["\\])/g, '$1') : value;
  return decodeBytes(Buffer.from(text, 'latin1')).replaceAll('%22', '"');
}

/** Decodes `charset'language'percent-encoded`; null when it cannot be decoded. */
function decodeExtended(value: string): string | null {
  const [, charset = '', encoded = ''] = /^([^']*)'[^']*'(.*)$/s.exec(value.replace(/^"|"$/g, '')) ?? [];
  const bytes = Buffer.from(
    encoded.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  );
  if (/^utf-?8$/i.test(charset)) return decodeBytes(bytes);
  return /^(iso-8859-1|us-ascii)$/i.test(charset) ? bytes.toString('latin1') : null;
}

/** Joins the continuations `filename*0*=…; filename*1=…` (RFC 2231); null when there is none. */
function joinContinuations(parameters: ReadonlyMap<string, string>): string | null {
  let whole: string | null = null;
  for (let index = 0; ; index += 1) {
    const encoded = parameters.get(`filename*${index}*`);
    const plain = parameters.get(`filename*${index}`)?.replace(/^"|"$/g, '').replaceAll('%', '%25');
    const piece = encoded ?? plain;
    if (piece === undefined) return whole;
    whole = (whole ?? (encoded === undefined ? "utf-8''" : '')) + piece;
  }
}

function decodeBytes(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return bytes.toString('latin1');
  }
}
