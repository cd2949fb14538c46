import type { ValidationIssue } from '#domain/app-error.ts';

export const MAX_EXTERNAL_ID_CHARACTERS = 255;

/** Returns the problems of `external_id` in metadata, the id of the content in its source system. */
export function externalIdIssues(metadata: Record<string, unknown>, loc: readonly string[]): ValidationIssue[] {
  const id = metadata['external_id'];
  const isValid = typeof id === 'string' && id !== '' && charactersOf(id) <= MAX_EXTERNAL_ID_CHARACTERS;
  if (id === undefined || isValid) return [];
  const msg = `must be a string of 1 to ${MAX_EXTERNAL_ID_CHARACTERS} characters`;
  return [{ loc: [...loc, 'external_id'], msg, type: 'string_type' }];
}

/** Counts code points, as the schemas of requests do. */
function charactersOf(text: string): number {
  // At most two units make a character, so longer texts need not be counted.
  return text.length > 2 * MAX_EXTERNAL_ID_CHARACTERS ? text.length : Array.from(text).length;
}
