import { type DecodedText, decodeText } from './decode-text.ts';

/** Browsers search this many bytes for the declaration too. */
const DECLARATION_BYTES = 4096;
const DECLARED_CHARSET = /<(?:meta|\?xml)[^>]*(?:charset|encoding)\s*=\s*["']?\s*([\w.:-]+)/i;

/** Decodes an HTML page, in the encoding that it declares if its bytes do not tell. */
export function decodeHtml(bytes: Buffer): DecodedText {
  const start = bytes.subarray(0, DECLARATION_BYTES).toString('latin1');
  return decodeText(bytes, DECLARED_CHARSET.exec(start)?.[1]);
}
