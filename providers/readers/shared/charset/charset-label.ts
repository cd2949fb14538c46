import iconv from 'iconv-lite';

/** Encodings in which the declaration itself could not have been read as ASCII, or that stand for "unknown". */
const IMPOSSIBLE = /^utf-16|^replacement$|^x-user-defined$/;

/**
 * The encoding that browsers use for a declared charset (WHATWG Encoding, 4.2): `iso-8859-1` and `us-ascii` are windows-1252, which
 * adds typographic quotes, dashes and the euro. Null for an unknown label.
 */
export function charsetOfLabel(label: string | undefined): string | null {
  if (label === undefined) return null;
  try {
    const { encoding } = new TextDecoder(label);
    return IMPOSSIBLE.test(encoding) ? null : encoding;
  } catch {
    // Encodings that browsers do not know, such as cp850.
    return iconv.encodingExists(label) ? label.toLowerCase() : null;
  }
}
