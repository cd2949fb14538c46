import type { Schemas } from '../../api/schemas.ts';

const IN_PROGRESS: ReadonlySet<Schemas['Content']['status']> = new Set([
  'pending',
  'downloading',
  'reading',
  'splitting',
  'indexing',
  'deleting',
]);

/** Whether the status of a content will soon be another one, by itself. */
export function isInProgress({ status }: Pick<Schemas['Content'], 'status'>): boolean {
  return IN_PROGRESS.has(status);
}
