import type { z } from 'zod';
import { AppError, validationError, type ValidationIssue } from '#domain/app-error.ts';

export type RequestPart = 'path' | 'query' | 'body' | 'header';

/** What a request hands to the schemas of its route. */
export type RawInput = { path: unknown; query: unknown; body: unknown };
export type InputSchemas = { path: z.ZodType; query: z.ZodType; body: z.ZodType };

/** Longest name of a field that an answer repeats; names come from the client. */
const MAX_SHOWN_NAME = 100;
/** What a required field that was not sent is called by the schemas. */
const MISSING_CODES: ReadonlySet<string> = new Set(['invalid_type', 'invalid_value', 'invalid_union']);

/**
 * Validates path, query and body together, so that one answer lists every problem. An id that cannot be one names
 * nothing: when malformed ids are all that is wrong, the answer is the one for an absent resource.
 * @throws AppError `validation_failed` or `not_found`.
 */
export function parseInput<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType>(
  schemas: { path: P; query: Q; body: B },
  raw: RawInput,
): { path: z.output<P>; query: z.output<Q>; body: z.output<B> } {
  const path = schemas.path.safeParse(raw.path, { reportInput: true });
  const query = schemas.query.safeParse(raw.query, { reportInput: true });
  const body = schemas.body.safeParse(raw.body, { reportInput: true });
  if (path.success && query.success && body.success) return { path: path.data, query: query.data, body: body.data };
  const failures = [
    { part: 'path', error: path.error },
    { part: 'query', error: query.error },
    { part: 'body', error: body.error },
  ] as const;
  const issues = failures.flatMap(
    ({ part, error }) => error?.issues.flatMap(telling).map((issue) => ({ part, issue })) ?? [],
  );
  if (issues.every(({ issue }) => isMalformedId(issue))) throw new AppError('not_found', unknownIdMessage(issues));
  throw validationError(issues.flatMap(({ part, issue }) => toValidationIssues(part, issue)));
}

/**
 * Of what fits none of several forms, the problems of the form that was meant: one of the right kind of value at its root, and of
 * those the one with the fewest problems. Where no form is of that kind, the value itself is the problem.
 */
function telling(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  if (issue.code !== 'invalid_union') return [issue];
  const forms = issue.errors.map((form) => form.flatMap(telling));
  const meant = forms
    .filter(
      (form) => form.length > 0 && !form.some((inner) => inner.path.length === 0 && inner.code.startsWith('invalid_')),
    )
    .sort((a, b) => a.length - b.length)[0];
  if (!meant) return [issue];
  return meant.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] }));
}

/** One zod issue in the interface's shape. Says what is expected, never what was sent. */
export function toValidationIssues(part: RequestPart, issue: z.core.$ZodIssue): ValidationIssue[] {
  const loc = [part, ...issue.path.map((step) => shownName(String(step)))];
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ loc: [...loc, shownName(key)], msg: 'Unknown field', type: issue.code }));
  }
  if (issue.input === undefined && MISSING_CODES.has(issue.code)) {
    return [{ loc, msg: 'Field required', type: 'missing' }];
  }
  // Checks of our own name their kind of problem themselves.
  const ownType: unknown = issue.code === 'custom' ? issue.params?.['type'] : undefined;
  return [{ loc, msg: issue.message, type: typeof ownType === 'string' ? ownType : issue.code }];
}

/** True for text that was sent as an id and is none. */
export function isMalformedId(issue: z.core.$ZodIssue): boolean {
  return issue.code === 'invalid_format' && issue.format === 'uuid' && typeof issue.input === 'string';
}

function unknownIdMessage(issues: readonly { part: RequestPart; issue: z.core.$ZodIssue }[]): string {
  const names = issues.map(({ part, issue }) => `${part}.${issue.path.map(String).join('.')}`);
  return `Nothing has the id given as ${names.join(' and ')}.`;
}

/** A name as an answer repeats it. */
export function shownName(name: string): string {
  return name.length > MAX_SHOWN_NAME ? `${name.slice(0, MAX_SHOWN_NAME - 1)}…` : name;
}
