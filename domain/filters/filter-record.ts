import type { FilterRecord } from './filter.ts';

/** Fields of a content that filters use, as stores return them. */
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

/** A content of which no field is needed. */
export const NO_FIELDS: ContentFields = {
  content_id: '',
  name: '',
  type: null,
  external_id: null,
  source: '',
  url: null,
  content_hash: null,
  size: null,
  created_at: 0,
  metadata: {},
};

/** Converts a content and the metadata of a chunk to the record that filters test, for the index and for rows alike. */
export function toFilterRecord(content: ContentFields, chunk: Record<string, unknown>): FilterRecord {
  const { content_id, name, type, external_id, url, content_hash, size, created_at } = content;
  const source = [content.source, url ?? name];
  return {
    content: { content_id, name, type, external_id, source, content_hash, size, created_at },
    metadata: content.metadata,
    chunk,
  };
}
