/** The target of a filter key: a content field, or a path in the metadata of the content or the chunk. */
export type Field = {
  readonly area: FieldArea;
  /** Dot-separated; never empty. */
  readonly path: string;
  readonly type: FieldType;
};

export type FieldArea = 'content' | 'metadata' | 'chunk';

/** `any`: free-form JSON; each value is compared by its own type. */
export type FieldType = 'text' | 'number' | 'date' | 'any';

/**
 * Content fields that filters address by their names; every other key without prefix is metadata. Deliberately left out:
 * `status`, `sync_status`, `updated_at` and `access_count`, which change without an update of the index, and `description`,
 * which is prose.
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

/** Content fields with hexadecimal digits, which are stored in lower case. */
const HEXADECIMAL: ReadonlySet<string> = new Set([
  'content_id',
  'content_hash',
] satisfies (keyof typeof CONTENT_FIELDS)[]);

const METADATA_PREFIX = 'metadata.';
const CHUNK_PREFIX = 'chunk.';

/**
 * Resolves a filter key: `metadata.a.b` and `chunk.page` by their prefix, then a content field by its name, else a key of the
 * content's metadata (`lang`, `author.name`). A metadata key with the name of a content field needs the prefix. Null when
 * the path is empty.
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

/** Returns a text as the field has it: ids and hashes may be sent in capitals. */
export function normalizeText(text: string, { area, path }: Field): string {
  return area === 'content' && HEXADECIMAL.has(path) ? text.toLowerCase() : text;
}

function isContentField(key: string): key is keyof typeof CONTENT_FIELDS {
  return Object.hasOwn(CONTENT_FIELDS, key);
}
