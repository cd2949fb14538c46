/** A list of so few objects is as short as it is. */
const FEWEST_OBJECTS = 3;
/** Characters that a table costs, and has to save. */
const TABLE_COSTS = 28;
/** JSON as it is usually written; a segment that is written otherwise is left alone. */
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
 * JSON in which lists of objects with the same keys are tables: `{"§rows":[keys],"§of":[[values],…]}`. Null where this would not
 * give the very same text again.
 */
export function foldJson(text: string, mark: string): { format: string; folded: string } | null {
  try {
    const value: unknown = JSON.parse(text);
    const format = Object.keys(FORMATS).find((name) => FORMATS[name]?.(value) === text);
    if (format === undefined) return null;
    const folded = JSON.stringify(tabulate(value, mark));
    return folded.length < text.length ? { format, folded } : null;
  } catch {
    // No JSON, or nested too deep.
    return null;
  }
}

/** The text that was folded. */
export function unfoldJson(folded: string, format: string, mark: string): string {
  return FORMATS[format]?.(listAgain(JSON.parse(folded), mark)) ?? '';
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

/** In a table the keys stand once, and not in every object. */
function isShorter(keys: readonly string[], count: number): boolean {
  const characters = keys.reduce((sum, key) => sum + JSON.stringify(key).length + 1, 0);
  return (count - 1) * characters > TABLE_COSTS;
}

/** The keys of all elements in their order; null unless all are objects with the same ones. */
function sharedKeys(rows: readonly unknown[]): string[] | null {
  if (rows.length < FEWEST_OBJECTS) return null;
  let keys: string[] | null = null;
  for (const row of rows) {
    if (typeof row !== 'object' || row === null || Array.isArray(row)) return null;
    const own = Object.keys(row);
    keys ??= own;
    if (own.length === 0 || own.length !== keys.length || own.some((key, at) => key !== keys?.[at])) return null;
  }
  return keys;
}

function listAgain(value: unknown, mark: string): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((inner) => listAgain(inner, mark));
  const entries: Record<string, unknown> = { ...value };
  const [keys, rows] = [entries[`${mark}rows`], entries[`${mark}of`]];
  if (Array.isArray(keys) && Array.isArray(rows)) {
    return rows.map((row: unknown[]) => Object.fromEntries(keys.map((key, at) => [key, listAgain(row[at], mark)])));
  }
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, listAgain(inner, mark)]));
}

/** With a space after commas and colons, as Python writes it. */
function writeSpaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(writeSpaced).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(([key, inner]) => `${JSON.stringify(key)}: ${writeSpaced(inner)}`);
  return `{${fields.join(', ')}}`;
}
