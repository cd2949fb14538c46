import type { z } from 'zod';
import { AppError, validationError, type ValidationIssue } from '#domain/app-error.ts';
import { UploadForm } from '#domain/records/upload.ts';
import { MAX_JSON_VALUES, parseBoundedJson } from '#api/http/request/bounded-json.ts';
import { isMalformedId, toValidationIssues } from '#api/http/request/validation.ts';
import type { FieldPart } from './part-collector.ts';

/** Names of the form parts that contain files. */
export const FILE_FIELDS: ReadonlySet<string> = new Set(['file', 'file[]', 'files', 'files[]']);
export const TEXT_FIELD = 'content';

const MAX_ITEM_PROBLEMS = 20;
/** Longest metadata before it is parsed: a character may be escaped with six. What it is then may have 64 Ki characters. */
const MAX_METADATA_TEXT = 512 * 1024;

const BOOLEAN_FIELDS: ReadonlySet<string> = new Set(['crawl', 'ingest']);
const NUMBER_FIELDS: ReadonlySet<string> = new Set(['max_pages', 'max_depth']);
const BOOLEAN_TEXTS: Readonly<Record<string, boolean>> = { true: true, '1': true, false: false, '0': false };

/** Fields that `inspect` checks further. Fields with an invalid value are omitted. */
const INSPECTED_FIELDS = ['metadata', 'items', 'reader', 'crawl', 'max_pages', 'max_depth', 'on_duplicate'] as const;
export type InspectedForm = { [Name in (typeof INSPECTED_FIELDS)[number]]?: UploadForm[Name] | undefined };

/** What is needed besides the fields to validate the form. */
export type FormContext = {
  /** Items that were sent as files or text. */
  itemCount: number;
  /** More than twice as many items and URLs fail the whole request, because the list of errors itself would be too large. */
  maxItems: number;
  /** Returns further problems of valid fields, reported together with all others. */
  inspect: (form: InspectedForm, counts: { items: number; urls: number }) => readonly ValidationIssue[];
};

/**
 * Parses the text fields of an upload. Text is converted to the type of its field: booleans, numbers, the metadata object, the
 * list of URLs. An empty field counts as absent.
 * @throws AppError `validation_failed` with every problem, `forbidden` when the collection cannot exist,
 *   `payload_too_large` for too many items.
 */
export function parseUploadForm(fields: readonly FieldPart[], context: FormContext): UploadForm {
  const problems: ValidationIssue[] = [];
  const { lists, values } = readFields(fields, problems);
  const { urls, items } = lists;
  const itemCount = context.itemCount + urls.length;
  if (Math.max(itemCount, items.length) > 2 * context.maxItems) {
    const message = `An upload may have at most ${context.maxItems} items; send the rest in another.`;
    throw new AppError('payload_too_large', message);
  }
  const given = { ...values, ...(urls.length > 0 ? { urls } : {}), ...(items.length > 0 ? { items } : {}) };
  const parsed = UploadForm.safeParse(given, { reportInput: true });
  const issues = parsed.error?.issues ?? [];
  // A value that could not be parsed is reported once, without further problems of the same field.
  const reported = new Set(problems.map(({ loc }) => loc[1]));
  const shown = issues.filter((issue) => !reported.has(String(issue.path[0])));
  problems.push(
    ...shown.filter(({ path }) => path[0] !== 'items').flatMap((issue) => toValidationIssues('body', issue)),
  );
  problems.push(...itemProblems(shown.filter(({ path }) => path[0] === 'items')));
  if (itemCount === 0 && !reported.has('urls')) {
    problems.push(issueOf('file', 'There is nothing to upload: send file, files, content or urls', 'missing'));
  }
  const found = context.inspect(validFields(given), { items: itemCount, urls: urls.length });
  problems.push(...found.filter(({ loc }) => !reported.has(loc[1])));
  if (parsed.success && problems.length === 0) return parsed.data;
  if (problems.length === shown.length && shown.length > 0 && shown.every(isMalformedId)) {
    throw noSuchCollection();
  }
  throw validationError(problems);
}

/** Lists the first problems of `items`: thousands of objects may consist of nothing else. */
function itemProblems(issues: readonly z.core.$ZodIssue[]): ValidationIssue[] {
  const short = issues
    .slice(0, MAX_ITEM_PROBLEMS)
    .map((issue) =>
      issue.code === 'unrecognized_keys' ? { ...issue, keys: issue.keys.slice(0, MAX_ITEM_PROBLEMS) } : issue,
    );
  return short.flatMap((issue) => toValidationIssues('body', issue)).slice(0, MAX_ITEM_PROBLEMS);
}

/**
 * Checks each field by itself, before the rest of the form has arrived. Returns the collection, if it was among them.
 * @throws AppError `validation_failed`, `forbidden` when the collection cannot exist, `payload_too_large` for too many items.
 */
export function judgeFields(fields: readonly FieldPart[]): string | null {
  const problems: ValidationIssue[] = [];
  const { values } = readFields(fields, problems);
  if (problems.length > 0) throw validationError(problems);
  if (values['collection_id'] === undefined) return null;
  const collectionId = UploadForm.shape.collection_id.safeParse(values['collection_id']);
  if (!collectionId.success) throw noSuchCollection();
  return collectionId.data;
}

function noSuchCollection(): AppError {
  return new AppError('forbidden', 'There is no collection with this collection_id that your key may write to.');
}

/** Returns the valid fields among those to inspect, also when other fields are invalid. */
function validFields(values: Record<string, unknown>): InspectedForm {
  const { shape } = UploadForm;
  const entries = INSPECTED_FIELDS.map((name) => [name, shape[name].safeParse(values[name]).data]);
  // Each value was parsed by the schema of its field.
  return Object.fromEntries(entries) as InspectedForm;
}

/** Fields that may be sent several times, or once as a JSON array. */
type Lists = { urls: unknown[]; items: unknown[] };
type ReadFields = { lists: Lists; values: Record<string, unknown> };

/** `problems`: of the fields that were read. `valuesLeft`: how many values the JSON of further fields may have. */
type Reading = { problems: ValidationIssue[]; valuesLeft: number };

function readFields(fields: readonly FieldPart[], problems: ValidationIssue[]): ReadFields {
  const values: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  const reading: Reading = { problems, valuesLeft: MAX_JSON_VALUES };
  const lists: { [Name in keyof Lists]: unknown[][] } = { urls: [], items: [] };
  for (const { name, value } of fields) {
    if (value === null) problems.push(issueOf(name, 'Must be text in UTF-8', 'invalid_encoding'));
    else if (name === 'urls' || name === 'urls[]') lists.urls.push(readUrls(value, reading));
    else if (name === 'items' || name === 'items[]') lists.items.push(readItems(value, reading, lists.items.length));
    else if (name in values) problems.push(issueOf(name, 'Sent more than once: send it once', 'repeated'));
    else if (value !== '') values[name] = readValue(name, value, reading);
  }
  return { lists: { urls: lists.urls.flat(), items: lists.items.flat() }, values };
}

function readValue(name: string, value: string, reading: Reading): unknown {
  const { problems } = reading;
  if (BOOLEAN_FIELDS.has(name)) {
    const truth = BOOLEAN_TEXTS[value.trim().toLowerCase()];
    if (truth === undefined) problems.push(issueOf(name, 'Must be true, false, 1 or 0', 'invalid_type'));
    return truth;
  }
  if (NUMBER_FIELDS.has(name)) {
    const isNumber = /^\s*\d{1,9}\s*$/.test(value);
    if (!isNumber) problems.push(issueOf(name, 'Must be a whole number', 'invalid_type'));
    return isNumber ? Number(value) : undefined;
  }
  if (name !== 'metadata') return value;
  if (value.length > MAX_METADATA_TEXT) {
    problems.push(issueOf(name, `Longer than ${MAX_METADATA_TEXT} characters as text`, 'too_big'));
    return undefined;
  }
  const msg = 'Must be a JSON object as text';
  const parsed = readJson(value, reading, { name, msg });
  if (!Array.isArray(parsed)) return parsed ?? undefined;
  problems.push(issueOf(name, msg, 'json_invalid'));
  return undefined;
}

/** Parses one URL, or several as a JSON array. */
function readUrls(value: string, reading: Reading): unknown[] {
  const text = value.trim();
  if (text === '') return [];
  if (!text.startsWith('[')) return [text];
  const parsed = readJson(text, reading, { name: 'urls', msg: 'Must be a URL, or a JSON array of URLs' });
  return Array.isArray(parsed) ? parsed : [];
}

/** Parses the fields of one item, or of several as a JSON array. `before`: how many such fields came before. */
function readItems(value: string, reading: Reading, before: number): unknown[] {
  if (value.trim() === '') return [];
  const msg = 'Must be a JSON object for each item, or one JSON array of them';
  const at = value.trimStart().startsWith('[') ? [] : [`${before}`];
  const parsed = readJson(value, reading, { name: 'items', msg, at });
  return parsed === null ? [] : Array.isArray(parsed) ? parsed : [parsed];
}

type FieldOfJson = { name: string; msg: string; at?: readonly string[] };

/**
 * Parses an object or array. Returns null after a problem, which is `msg` for text that is neither. `at`: where in the field it belongs.
 * @throws AppError `payload_too_large` for a list of too many values.
 */
function readJson(text: string, reading: Reading, { name, msg, at = [] }: FieldOfJson): object | null {
  const parsed = parseBoundedJson(Buffer.from(text), reading.valuesLeft);
  if ('problem' in parsed) {
    const { type, loc } = parsed.problem;
    // There cannot be as many items.
    if (type === 'too_big' && name !== 'metadata')
      throw new AppError('payload_too_large', `${name}: ${parsed.problem.msg}.`);
    const issue = issueOf(name, type === 'json_invalid' ? msg : parsed.problem.msg, type);
    reading.problems.push(loc.length === 0 ? issue : { ...issue, loc: [...issue.loc, ...at, ...loc] });
    return null;
  }
  reading.valuesLeft -= parsed.values;
  return parsed.value;
}

function issueOf(field: string, msg: string, type: string): ValidationIssue {
  return { loc: ['body', field.slice(0, 100)], msg, type };
}
