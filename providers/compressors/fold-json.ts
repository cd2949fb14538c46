/** Shorter lists are not folded. */
const MIN_OBJECTS = 3;
/** Characters of a table's own notation, which it must save at least. */
const TABLE_COST_CHARACTERS = 28;
/** Common ways of formatting JSON; a segment in another format is not folded. */
const FORMATS: Readonly<Record<string, (value: unknown) => string | undefined>> = {
  c: (value) => JSON.stringify(value),
  '1': (value) => JSON.stringify(value, null, 1),
  '2': (value) => JSON.stringify(value, null, 2),
  '3': (value) => JSON.stringify(value, null, 3),
  '4': (value) => JSON.stringify(value, null, 4),
  t: (value) => JSON.stringify(value, null, '\t'),
  p: writeSpaced,
};

/**
 * Writes lists of objects with the same keys as tables: `{"§rows":[keys],"§of":[[values],…]}`. Returns null when the exact text
 * could not be restored, or would not become shorter.
 */
export function foldJson(text: string, mark: string): { format: string; folded: string } | null {
  try {
    const value: unknown = JSON.parse(text);
    const format = Object.keys(FORMATS).find((name) => FORMATS[name]?.(value) === text);
    if (format === undefined) return null;
    const folded = JSON.stringify(tabulate(value, mark));
    return folded.length < text.length ? { format, folded } : null;
  } catch {
    // Not JSON, or nested too deeply.
    return null;
  }
}

/** Restores the text that was folded. */
export function unfoldJson(folded: string, format: string, mark: string): string {
  return FORMATS[format]?.(untabulate(JSON.parse(folded), mark)) ?? '';
}

function tabulate(value: unknown, mark: string): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (!Array.isArray(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, tabulate(inner, mark)]));
  }
  const rows = value.map((inner: unknown) => tabulate(inner, mark));
  const keys = sharedKeys(rows);
  if (keys === null || !isShorter(keys, rows.length)) return rows;
  return { [`${mark}rows`]: keys, [`${mark}of`]: rows.map((row) => Object.values(row as object)) }; // sharedKeys saw objects only
}

/** True when writing the keys once saves more than the table's notation costs. */
function isShorter(keys: readonly string[], count: number): boolean {
  const characters = keys.reduce((sum, key) => sum + JSON.stringify(key).length + 1, 0);
  return (count - 1) * characters > TABLE_COST_CHARACTERS;
}

/** Returns the keys of all elements; null unless all are objects with the same keys in the same order. */
function sharedKeys(rows: readonly unknown[]): string[] | null {
  if (rows.length < MIN_OBJECTS) return null;
  let keys: string[] | null = null;
  for (const row of rows) {
    if (typeof row !== 'object' || row === null || Array.isArray(row)) return null;
    const own = Object.keys(row);
    keys ??= own;
    if (own.length === 0 || own.length !== keys.length || own.some((key, at) => key !== keys?.[at])) return null;
  }
  return keys;
}

function untabulate(value: unknown, mark: string): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((inner) => untabulate(inner, mark));
  const entries: Record<string, unknown> = { ...value };
  const [keys, rows] = [entries[`${mark}rows`], entries[`${mark}of`]];
  if (Array.isArray(keys) && Array.isArray(rows)) {
    return rows.map((row: unknown[]) => Object.fromEntries(keys.map((key, at) => [key, untabulate(row[at], mark)])));
  }
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, untabulate(inner, mark)]));
}

/** Formats with a space after commas and colons, like Python. */
function writeSpaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(writeSpaced).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(([key, inner]) => `${JSON.stringify(key)}: ${writeSpaced(inner)}`);
  return `{${fields.join(', ')}}`;
}
