import type { Schemas } from '../../api/schemas.ts';

/** The statistics that the service computes of a collection. */
export type CollectionStats = { contents: number; chunks: number; bytes: number; failed: number; inProgress: number };

/** Statuses in which a content is worked on. */
const IN_PROGRESS = ['pending', 'downloading', 'reading', 'splitting', 'indexing', 'paused'];

/** Reads them from `stats`, where clients may store values of their own as well. */
export function collectionStatsOf({ stats }: Schemas['Collection']): CollectionStats {
  const byStatus: unknown = stats['contents_by_status'];
  const statuses = typeof byStatus === 'object' && byStatus !== null ? byStatus : {};
  const count = (status: string) => numberOf(Reflect.get(statuses, status));
  return {
    contents: numberOf(stats['contents']),
    chunks: numberOf(stats['chunks']),
    bytes: numberOf(stats['bytes']),
    failed: count('failed'),
    inProgress: IN_PROGRESS.reduce((sum, status) => sum + count(status), 0),
  };
}

function numberOf(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}
