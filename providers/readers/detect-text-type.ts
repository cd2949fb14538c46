import { decodeText } from '#providers/readers/shared/decode-text.ts';
import { isBeginningOfJson } from './text/json-error.ts';
import {
  DOCBOOK_TYPE,
  EMAIL,
  FICTION_BOOK_TYPE,
  JATS_TYPE,
  OPML_TYPE,
  isTextual,
  languageOf,
  ODS,
  mediaTypeOfName,
  XLS,
  XLSX,
} from '#providers/readers/shared/media-types.ts';

/**
 * A comment ends at its first `-->`: with alternative ways to match, hostile text would cause backtracking over each
 * combination.
 */
const HTML_START = /^(?:<\?xml[^>]*>\s*)?(?:<!--(?:(?!-->)[\s\S])*-->\s*)*<(?:!doctype\s+html|html|head|body)[\s>]/i;
const XML_START = /^<\?xml\s/;
/** The name of a field in the header of a message. */
const HEADER_FIELD = /^([!-9;-~]{1,76}):/;
/** Longer than any line of a header may be. */
const MAX_HEADER_LINE = 1_000;
/** Some programs leave this line of a mailbox before the header of a message that they take out of it. */
const MAILBOX_LINE = /^From \S{1,320} [^\n]{1,80}\n/;
/** Any of these in the header of a file that is named as a message. */
const MESSAGE_FIELDS = new Set(
  (
    'from to cc bcc subject date message-id received return-path delivered-to mime-version reply-to content-type ' +
    'dkim-signature sender arc-seal authentication-results'
  ).split(' '),
);
/** One of these beside `From` makes a file a message that has another name; a note may have fields of the same name. */
const TRANSPORT_FIELDS: ReadonlyMap<string, RegExp> = new Map([
  ['message-id', /^<[^<>\s]{1,320}@[^<>\s]{1,320}>/],
  ['received', /^\(?(?:from|by)\s+\S/i],
  ['return-path', /^<[^<>\s]{0,640}>/],
  ['mime-version', /^1\.0\b/],
  ['delivered-to', /^[^\s@]{1,320}@\S/],
]);
/** The first element of an XML document, and what comes before it within the sample: the document type. */
const XML_ROOT = /^([^]{0,8192}?)<(?:[\w.-]+:)?([A-Za-z][\w.-]*)(?=[\s/>])([^>]*)/;
const DOCBOOK_ROOT = /^(?:book|article|chapter|part|appendix|preface|section|sect1|set|refentry|reference|glossary)$/;
const JSON_START = /^\s*(?:\{\s*(?:"(?:[^"\\]|\\.)*"\s*:|\})|\[\s*[{["\]\d-])/;
/** Characters that no JSON text begins with, with or without comments. */
const NOT_JSON = /^[^[{"\d\-+tfnNI/#']/;
/** The interpreter in the first line of a script, directly or through `env`. */
const INTERPRETER = /^#![ \t]*(?:\S*\/)?(?:env[ \t]+(?:-S[ \t]+)?)?([a-z]+)/i;
/** A file name extension for each interpreter. */
const EXTENSION_BY_INTERPRETER: ReadonlyMap<string, string> = new Map([
  ...['python', 'pypy'].map((name) => [name, 'py'] as const),
  ...['sh', 'bash', 'zsh', 'dash', 'ksh', 'ash', 'bats'].map((name) => [name, 'sh'] as const),
  ...['node', 'nodejs'].map((name) => [name, 'js'] as const),
  ...['deno', 'bun', 'tsx'].map((name) => [name, 'ts'] as const),
  ['ruby', 'rb'],
  ['perl', 'pl'],
  ['php', 'php'],
  ['lua', 'lua'],
  ['rscript', 'r'],
  ['pwsh', 'ps1'],
  ['julia', 'jl'],
  ['make', 'mk'],
]);
const SERVED_HTML = /^(?:text\/html|application\/xhtml\+xml)\b/i;
const SPREADSHEET_TYPES = new Set([XLS, XLSX, ODS]);
/** Types that a client may declare for text whose name suggests none. */
const DECLARABLE_TYPES = new Set([
  'text/markdown',
  'text/csv',
  'text/tab-separated-values',
  'text/html',
  'application/json',
  'application/x-ndjson',
]);
const TYPE_ALIASES: ReadonlyMap<string, string> = new Map([
  ['text/x-markdown', 'text/markdown'],
  ['application/csv', 'text/csv'],
  ['application/jsonl', 'application/x-ndjson'],
  ['application/jsonlines', 'application/x-ndjson'],
  ['application/x-jsonlines', 'application/x-ndjson'],
]);

export type TextHints = {
  declaredType?: string | null;
  /** The media type that the name suggests. */
  nameType: string | null;
};

/**
 * Detects the type of a text: HTML, XML, JSON and scripts by content; Markdown, tables and other source code by name or
 * declared type.
 */
export function detectTextType(head: Uint8Array, sizeBytes: number, { declaredType, nameType }: TextHints): string {
  const text = decodeText(head).text.trimStart();
  const isCode = nameType !== null && languageOf(nameType) !== null;
  // A server that declares HTML serves the output of a program, not its source: `/index.php`.
  const isServed = SERVED_HTML.test(declaredType ?? '') && HTML_START.test(text);
  if (isCode && nameType !== 'application/xml' && !isServed) return nameType;
  if (HTML_START.test(text)) return 'text/html';
  if (XML_START.test(text) || nameType === 'application/xml') return xmlType(text);
  if (isEmail(text, nameType)) return EMAIL;
  const named = nameType !== null && isTextual(nameType) ? nameType : null;
  const isWhole = head.length >= sizeBytes;
  const isTable = named === 'text/csv' || named === 'text/tab-separated-values';
  if (named !== null && named !== 'text/plain' && !isTable && !named.includes('json')) return named;
  const json = jsonType(text, isWhole);
  if (isTable) return isWhole && json !== null ? json : named;
  if (named?.includes('json')) {
    if (NOT_JSON.test(text)) return 'text/plain';
    return json === 'application/x-ndjson' ? json : named;
  }
  if (json !== null) return json;
  const script = scriptType(text);
  if (script !== null) return script;
  // Many programs write tables as text under the name of a spreadsheet.
  if (nameType !== null && SPREADSHEET_TYPES.has(nameType)) return tableType(text) ?? 'text/plain';
  const declared = declaredType?.split(';')[0]?.trim().toLowerCase() ?? '';
  const known = TYPE_ALIASES.get(declared) ?? declared;
  return named === null && DECLARABLE_TYPES.has(known) ? known : 'text/plain';
}

/** The format of an XML document by its first element, and by the document type or namespace where that is ambiguous. */
function xmlType(text: string): string {
  const [, before = '', root = '', attributes = ''] =
    XML_ROOT.exec(text.slice(0, 16_384).replace(/<!--(?:(?!-->)[^])*-->/g, '')) ?? [];
  if (root === 'FictionBook') return FICTION_BOOK_TYPE;
  if (root === 'opml') return OPML_TYPE;
  const isDocbook = /docbook/i.test(before + attributes);
  if (DOCBOOK_ROOT.test(root) && isDocbook) return DOCBOOK_TYPE;
  const isJats = /JATS|NLM\/\/DTD/.test(before) || /\b(?:article-type|dtd-version)=/.test(attributes);
  return root === 'article' && isJats ? JATS_TYPE : 'application/xml';
}

function scriptType(text: string): string | null {
  if (text.startsWith('<?php')) return mediaTypeOfName('a.php');
  const extension = EXTENSION_BY_INTERPRETER.get(INTERPRETER.exec(text.slice(0, 200))?.[1]?.toLowerCase() ?? '');
  return extension === undefined ? null : mediaTypeOfName(`a.${extension}`);
}

/** The table type when the first lines have the same number of one delimiter. */
function tableType(text: string): string | null {
  const lines = text.split('\n', 6).slice(0, 5);
  const rows = lines.filter((line) => line.trim() !== '');
  const counts = (delimiter: string): Set<number> => new Set(rows.map((row) => row.split(delimiter).length));
  const isDelimiter = (delimiter: string): boolean => counts(delimiter).size === 1 && !counts(delimiter).has(1);
  if (rows.length < 2) return null;
  if (isDelimiter('\t')) return 'text/tab-separated-values';
  return [';', ',', '|'].some(isDelimiter) ? 'text/csv' : null;
}

/** By the fields of its header; with a name that suggests an e-mail message, one is enough. */
function isEmail(text: string, nameType: string | null): boolean {
  if (nameType === EMAIL) {
    return headerFields(text.replace(MAILBOX_LINE, '')).some(({ name }) => MESSAGE_FIELDS.has(name));
  }
  if (nameType !== null && nameType !== 'text/plain') return false;
  const fields = headerFields(text);
  return (
    fields.some(({ name }) => name === 'from') &&
    fields.some(({ name, value }) => TRANSPORT_FIELDS.get(name)?.test(value))
  );
}

/** The fields before the first line that is neither one nor its continuation, with names in lower case. */
function headerFields(text: string): { name: string; value: string }[] {
  const fields: { name: string; value: string }[] = [];
  for (let start = 0; start < text.length;) {
    const found = text.indexOf('\n', start);
    const end = found === -1 ? text.length : found;
    const line = text.slice(start, Math.min(end, start + MAX_HEADER_LINE));
    const isContinuation = fields.length > 0 && /^[ \t]/.test(line);
    const [mark = '', name] = HEADER_FIELD.exec(line) ?? [];
    if (!isContinuation && name === undefined) break;
    const last = fields.at(-1);
    // Programs write long identifiers on the line behind the name.
    if (isContinuation && last?.value === '') last.value = line.trim();
    if (!isContinuation && name !== undefined)
      fields.push({ name: name.toLowerCase(), value: line.slice(mark.length).trim() });
    start = end + 1;
  }
  return fields;
}

/** JSON or JSON lines when the sample is that, to its end or to the cut. */
function jsonType(text: string, isWhole: boolean): string | null {
  if (!JSON_START.test(text)) return null;
  const [first = '', second = '', third] = text.split('\n', 3);
  const isCut = !isWhole && third === undefined;
  if (second.trim() !== '' && isJson(first) && (isCut ? isBeginningOfJson(second) : isJson(second))) {
    return 'application/x-ndjson';
  }
  return (isWhole ? isJson(text) : isBeginningOfJson(text)) ? 'application/json' : null;
}

/** Arrays without an object are as likely a note: `[1]`, `["todo"]`. */
function isJson(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && (!Array.isArray(value) || text.includes('{'));
  } catch {
    return false;
  }
}
