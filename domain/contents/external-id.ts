import type { ValidationIssue } from '#domain/app-error.ts';

const MAX_EXTERNAL_ID_CHARACTERS = 255;

/** What is wrong with `external_id` in metadata, which names the content in the system it comes from. */
export function externalIdIssues(metadata: Record<string, unknown>, loc: readonly string[]): ValidationIssue[] {
  const id = metadata['external_id'];
  const isGood = typeof id === 'string' && id !== '' && id.length <= MAX_EXTERNAL_ID_CHARACTERS;
  if (id === undefined || isGood) return [];
  const msg = `must be a text of 1 to ${MAX_EXTERNAL_ID_CHARACTERS} characters`;
  return [{ loc: [...loc, 'external_id'], msg, type: 'string_type' }];
}
