/** Where a filter key leads: a content field, or a path in the content's or the chunk's metadata. */
export type Field = {
  readonly area: FieldArea;
  /** Dot-separated; never empty. */
  readonly path: string;
  readonly type: FieldType;
};

export type FieldArea = 'content' | 'metadata' | 'chunk';

/** `any`: free-form JSON, each value compares by its own type. */
export type FieldType = 'text' | 'number' | 'date' | 'any';

/**
 * Content fields that a filter names directly; every other bare key is metadata. Left out on purpose: `status`,
 * `sync_status`, `updated_at` and `access_count`, which change without the index being told, and `description`, which is prose.
 */
const CONTENT_FIELDS = {
  content_id: 'text',
  name: 'text',
  type: 'text',
  external_id: 'text',
  source: 'text',
  content_hash: 'text',
  size: 'number',
  created_at: 'date',
} as const satisfies Record<string, FieldType>;

const METADATA_PREFIX = 'metadata.';
const CHUNK_PREFIX = 'chunk.';

/**
 * Resolves a filter key: `metadata.a.b` and `chunk.page` by their prefix, then a content field by its name, else the
 * content's metadata (`lang`, `author.name`). A metadata key that is named like a content field is reached with the
 * prefix. Null when nothing is left of the key.
 */
export function resolveField(key: string): Field | null {
  if (key.startsWith(METADATA_PREFIX)) return metadataField('metadata', key.slice(METADATA_PREFIX.length));
  if (key.startsWith(CHUNK_PREFIX)) return metadataField('chunk', key.slice(CHUNK_PREFIX.length));
  if (isContentField(key)) return { area: 'content', path: key, type: CONTENT_FIELDS[key] };
  return metadataField('metadata', key);
}

function metadataField(area: FieldArea, path: string): Field | null {
  return path === '' ? null : { area, path, type: 'any' };
}

function isContentField(key: string): key is keyof typeof CONTENT_FIELDS {
  return Object.hasOwn(CONTENT_FIELDS, key);
}
