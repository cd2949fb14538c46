import type { MemoryDetail, MemoryRecord, MemoryVersion } from '#domain/records/memory.ts';
import type { MemoryRow } from '#store/memories/memory-row.ts';

/** Converts a row to the documented API representation. */
export function toMemoryRecord(row: MemoryRow): MemoryRecord {
  return {
    memory_id: row.memory_id,
    user_id: row.user_id,
    memory: row.memory,
    topics: row.topics,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    metadata: row.metadata,
  };
}

/** Adds the memory type, the version number, and what superseded the memory. */
export function toMemoryDetail(row: MemoryRow): MemoryDetail {
  return {
    ...toMemoryRecord(row),
    memory_type: row.memory_type,
    version: row.version,
    superseded_by: row.superseded_by,
    superseded_at: row.superseded_at?.toISOString() ?? null,
  };
}

/** Adds the period during which the version is valid. */
export function toMemoryVersion(row: MemoryRow): MemoryVersion {
  return {
    ...toMemoryDetail(row),
    valid_from: row.updated_at.toISOString(),
    valid_to: row.valid_to?.toISOString() ?? null,
  };
}
