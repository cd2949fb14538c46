import type { z } from 'zod';
import { AppError, validationError, type ValidationIssue } from '#domain/app-error.ts';

export type RequestPart = 'path' | 'query' | 'body' | 'header';

/** The unvalidated input of a request. */
export type RawInput = { path: unknown; query: unknown; body: unknown };
export type InputSchemas = { path: z.ZodType; query: z.ZodObject; body: z.ZodType };

/** Longest field name that a response repeats, in characters; names come from the client. */
const MAX_SHOWN_NAME = 100;
/** Bounds the response: an item can consist of nothing but problems. */
const MAX_ITEM_ISSUES = 20;
/** Issue codes that zod gives to a required field that is absent. */
const MISSING_CODES: ReadonlySet<string> = new Set(['invalid_type', 'invalid_value', 'invalid_union']);

/** An id that nothing has. */
const NO_ID = '00000000-0000-0000-0000-000000000000';

/**
 * Validates path, query and body together, so that one response lists every problem. A malformed id names nothing: when
 * malformed ids are the only problems, the response is the one for an absent resource, and in the query, which selects, the one for
 * an id that nothing has.
 * @throws AppError `validation_failed` or `not_found`.
 */
export function parseInput<P extends z.ZodType, Q extends z.ZodObject, B extends z.ZodType>(
  schemas: { path: P; query: Q; body: B },
  raw: RawInput,
): { path: z.output<P>; query: z.output<Q>; body: z.output<B> } {
  const path = schemas.path.safeParse(raw.path, { reportInput: true });
  const query = parseQuery(schemas.query, raw.query);
  const body = schemas.body.safeParse(raw.body, { reportInput: true });
  if (path.success && query.success && body.success) return { path: path.data, query: query.data, body: body.data };
  const failures = [
    { part: 'path', error: path.error },
    { part: 'query', error: query.error },
    { part: 'body', error: body.error },
  ] as const;
  const issues = failures.flatMap(
    ({ part, error }) => error?.issues.flatMap(mostSpecificIssues).map((issue) => ({ part, issue })) ?? [],
  );
  if (issues.every(({ issue }) => isMalformedId(issue))) throw new AppError('not_found', unknownIdMessage(issues));
  throw validationError(
    issues.flatMap(({ part, issue }) =>
      toValidationIssues(part, issue).map((one) => withKnownNames(one, part, schemas.query)),
    ),
  );
}

function parseQuery<Q extends z.ZodObject>(schema: Q, raw: unknown): z.ZodSafeParseResult<z.output<Q>> {
  const parsed = schema.safeParse(raw, { reportInput: true });
  const issues = parsed.error?.issues ?? [];
  if (issues.length === 0 || typeof raw !== 'object' || !issues.every(isMalformedId)) return parsed;
  const unknown = Object.fromEntries(issues.map(({ path }) => [String(path[0]), NO_ID]));
  return schema.safeParse({ ...raw, ...unknown }, { reportInput: true });
}

/** Says which query parameters there are, because a wrong one is usually misspelled. */
function withKnownNames(issue: ValidationIssue, part: RequestPart, query: z.ZodObject): ValidationIssue {
  if (part !== 'query' || issue.type !== 'unrecognized_keys') return issue;
  const names = Object.keys(query.shape);
  const known = names.length === 0 ? 'takes none' : `takes ${names.join(', ')}`;
  return { ...issue, msg: `Unknown query parameter; this operation ${known}` };
}

/**
 * Validates one item of an array in the body, which is at `path`: its problems, as `parseInput` would list them, fail only the
 * item.
 */
export function parseBodyItem<S extends z.ZodType>(
  schema: S,
  item: unknown,
  path: readonly string[],
): { body: z.output<S> } | { issues: ValidationIssue[] } {
  const parsed = schema.safeParse(item, { reportInput: true });
  if (parsed.success) return { body: parsed.data };
  const issues = parsed.error.issues
    .flatMap(mostSpecificIssues)
    .flatMap((issue) => toValidationIssues('body', { ...issue, path: [...path, ...issue.path] }));
  const shown = issues.slice(0, MAX_ITEM_ISSUES);
  if (shown.length === issues.length) return { issues };
  const msg = `${issues.length - shown.length} more problems are not listed`;
  return { issues: [...shown, { loc: ['body', ...path], msg, type: 'truncated' }] };
}

/**
 * For a value that matches no member of a union, returns the issues of the member that was probably meant: among the members
 * whose root type matches, the one with the fewest issues. When no root type matches, the union itself is the issue.
 */
function mostSpecificIssues(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  if (issue.code !== 'invalid_union') return [issue];
  const members = issue.errors.map((member) => member.flatMap(mostSpecificIssues));
  const meant = members
    .filter(
      (member) =>
        member.length > 0 && !member.some((inner) => inner.path.length === 0 && inner.code.startsWith('invalid_')),
    )
    .sort((a, b) => a.length - b.length)[0];
  if (!meant) return [issue];
  return meant.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] }));
}

/** Converts a zod issue to the interface's shape. It says what is expected and never repeats the value that was sent. */
export function toValidationIssues(part: RequestPart, issue: z.core.$ZodIssue): ValidationIssue[] {
  const loc = [part, ...issue.path.map((step) => truncatedName(String(step)))];
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ loc: [...loc, truncatedName(key)], msg: 'Unknown field', type: issue.code }));
  }
  if (part === 'query' && Array.isArray(issue.input) && issue.path.length === 1) {
    return [{ loc, msg: 'Sent more than once: send it once', type: 'repeated' }];
  }
  if (issue.input === undefined && MISSING_CODES.has(issue.code)) {
    return [{ loc, msg: 'Field required', type: 'missing' }];
  }
  // Custom checks carry their own type of problem.
  const ownType: unknown = issue.code === 'custom' ? issue.params?.['type'] : undefined;
  return [{ loc, msg: issue.message, type: typeof ownType === 'string' ? ownType : issue.code }];
}

/** True for text that was sent as an id and is not a UUID. */
export function isMalformedId(issue: z.core.$ZodIssue): boolean {
  return issue.code === 'invalid_format' && issue.format === 'uuid' && typeof issue.input === 'string';
}

function unknownIdMessage(issues: readonly { part: RequestPart; issue: z.core.$ZodIssue }[]): string {
  const names = issues.map(({ part, issue }) => `${part}.${issue.path.map(String).join('.')}`);
  return `Nothing has the id given as ${names.join(' and ')}.`;
}

/** Cuts a field name to the length that a response repeats. */
export function truncatedName(name: string): string {
  return name.length > MAX_SHOWN_NAME ? `${name.slice(0, MAX_SHOWN_NAME - 1)}…` : name;
}
