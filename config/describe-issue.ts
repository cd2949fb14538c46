import type { z } from 'zod';

/** Returns what is wrong with a value in plain words, for schemas without words of their own; undefined for those of zod. */
export function plainWords(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'too_big' && typeof issue.input === 'number') return `must be at most ${issue.maximum}`;
  if (issue.code === 'too_small' && typeof issue.input === 'number')
    return `must be ${issue.inclusive ? 'at least' : 'more than'} ${issue.minimum}`;
  if (issue.code === 'invalid_value') return `must be one of ${issue.values.join(', ')}`;
  if (issue.code !== 'invalid_type' || typeof issue.input !== 'number') return undefined;
  if (Number.isNaN(issue.input)) return 'is not a number';
  return issue.expected === 'int' ? 'must be a whole number' : undefined;
}

/** One line about a setting that zod rejected; begins with the name of its variable. */
export function describeIssue({ path, message }: z.core.$ZodIssue): string {
  const name = path.join('.');
  if (message.startsWith('is ')) return `${name} ${message}`;
  return `${name}: ${message.replace(/^Invalid input: /, '')}`;
}
