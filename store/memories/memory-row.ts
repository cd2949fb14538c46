import type { MemoryType } from '#domain/records/memory.ts';

/** One version of a memory, with the columns that all its versions share. `updated_at` is when the version became valid. */
export type MemoryRow = {
  memory_id: string;
  user_id: string;
  memory_type: MemoryType;
  version: number;
  object_id: string;
  memory: string;
  topics: string[];
  metadata: Record<string, unknown>;
  created_at: Date;
  created_us: number;
  updated_at: Date;
  valid_to: Date | null;
  /** Since when and by which memory it is superseded; null while it is not. */
  superseded_at: Date | null;
  superseded_by: string | null;
};

/** The columns of a `MemoryRow`, from `memories m` and `memory_versions v`. */
export const MEMORY_COLUMNS = `m.id as memory_id, m.user_id, m.memory_type, v.version, v.object_id, v.memory, v.topics,
  v.metadata, m.created_at, (extract(epoch from m.created_at) * 1000000)::bigint as created_us, v.valid_from as updated_at,
  v.valid_to, m.superseded_at, m.superseded_by`;
