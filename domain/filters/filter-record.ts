import type { FilterRecord } from './filter.ts';

/** Fields of a content as the stores give them, for filters. */
export type ContentFields = {
  content_id: string;
  name: string;
  type: string | null;
  external_id: string | null;
  source: string;
  url: string | null;
  content_hash: string | null;
  size: number | null;
  created_at: Date | number;
  metadata: Record<string, unknown>;
};

/** What a filter sees of a chunk. The same for the index and for rows, so that both give one answer. */
export function toFilterRecord(content: ContentFields, chunk: Record<string, unknown>): FilterRecord {
  const { content_id, name, type, external_id, source, content_hash, size, created_at } = content;
  return {
    content: { content_id, name, type, external_id, source, content_hash, size, created_at },
    metadata: content.metadata,
    chunk,
  };
}
