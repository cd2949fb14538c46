import { decodeText } from './decode-text.ts';
import { EMAIL, isTextual, languageOf } from './media-types.ts';

/** A comment ends at its first end: were there other ways to match, hostile text would try each combination of them. */
const HTML_START = /^(?:<\?xml[^>]*>\s*)?(?:<!--(?:(?!-->)[\s\S])*-->\s*)*<(?:!doctype\s+html|html|head|body)[\s>]/i;
const XML_START = /^<\?xml\s/;
/** The first lines of a message: two or more of its usual headers. */
const EMAIL_START =
  /^(?:(?:from|to|cc|subject|date|message-id|received|return-path|delivered-to|mime-version|reply-to|content-type|dkim-signature|x-[\w-]+):[^\n]*\n(?:[ \t][^\n]*\n)*){2,}/i;
const EMAIL_HEADER = /^(?:message-id|received|return-path|mime-version|delivered-to):/im;
const JSON_START = /^\s*(?:\{\s*(?:"(?:[^"\\]|\\.)*"\s*:|\})|\[\s*[{["\]\d-])/;
/** Types a client may declare for text that has no telling name. */
const DECLARABLE = new Set([
  'text/markdown',
  'text/csv',
  'text/tab-separated-values',
  'text/html',
  'application/json',
  'application/x-ndjson',
]);
const ALIASES: ReadonlyMap<string, string> = new Map([
  ['text/x-markdown', 'text/markdown'],
  ['application/csv', 'text/csv'],
  ['application/jsonl', 'application/x-ndjson'],
  ['application/jsonlines', 'application/x-ndjson'],
  ['application/x-jsonlines', 'application/x-ndjson'],
]);

export type TextHints = {
  declaredType?: string | null;
  /** The media type that the name promises. */
  promised: string | null;
};

/** Which kind of text this is: HTML, XML and JSON by content; Markdown, tables and source code by name or declaration. */
export function detectTextType(head: Uint8Array, sizeBytes: number, { declaredType, promised }: TextHints): string {
  const text = decodeText(head).text.trimStart();
  const isCode = promised !== null && languageOf(promised) !== null;
  if (isCode && promised !== 'application/xml') return promised;
  if (HTML_START.test(text)) return 'text/html';
  if (XML_START.test(text)) return 'application/xml';
  if (isEmail(text, promised)) return EMAIL;
  const named = promised !== null && isTextual(promised) ? promised : null;
  if (named !== null && named !== 'text/plain' && !named.includes('json')) return named;
  const isWhole = head.length >= sizeBytes;
  const json = jsonType(text, isWhole);
  if (named?.includes('json')) return json === 'application/x-ndjson' ? json : named;
  if (json !== null) return json;
  const declared = declaredType?.split(';')[0]?.trim().toLowerCase() ?? '';
  const known = ALIASES.get(declared) ?? declared;
  return named === null && DECLARABLE.has(known) ? known : 'text/plain';
}

/** By its headers; a name that promises one needs fewer. */
function isEmail(text: string, promised: string | null): boolean {
  const head = EMAIL_START.exec(text.slice(0, 16_384))?.[0];
  if (head === undefined) return false;
  return (
    promised === EMAIL ||
    ((promised === null || promised === 'text/plain') && /^from:/im.test(head) && EMAIL_HEADER.test(head))
  );
}

/** JSON or JSON lines, when the sample (whole or not) is an object or array that is one. */
function jsonType(text: string, isWhole: boolean): string | null {
  if (!JSON_START.test(text)) return null;
  const [first = '', second = ''] = text.split('\n', 2);
  if (isJson(first) && isJson(second) && second.trim() !== '') return 'application/x-ndjson';
  if (!isWhole) return 'application/json';
  return isJson(text) ? 'application/json' : null;
}

/** Lists without an object in them are as likely a note: `[1]`, `["todo"]`. */
function isJson(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && (!Array.isArray(value) || text.includes('{'));
  } catch {
    return false;
  }
}
