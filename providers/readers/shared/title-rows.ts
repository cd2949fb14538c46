/** A row of a table by its filled cells. */
export type FilledRow = {
  texts: readonly string[];
  /** Whether the first column of the table is filled. */
  isFirstFilled: boolean;
};

/** Rows of the beginning by which the width of a table is known. */
export const SAMPLE_ROWS = 50;
const MAX_TITLE_ROWS = 10;
/** A row that fills a larger share of the columns is the header. */
const MAX_TITLE_SHARE = 1 / 3;
const MIN_COLUMNS = 3;

/**
 * The number of rows above the header of a table: its title, or what an export says about itself, such as an account and a balance.
 * They fill few columns. Names of groups of columns above the header fill few as well, but not the first; they are no title.
 */
export function countTitleRows(rows: readonly FilledRow[]): number {
  const sample = rows.slice(0, SAMPLE_ROWS);
  const width = sample.reduce((most, { texts }) => Math.max(most, texts.length), 0);
  if (width < MIN_COLUMNS) return 0;
  const header = sample.findIndex((row) => !isTitle(row, width));
  // A header without rows below it is the last line of what is no table.
  return header > MAX_TITLE_ROWS || header >= rows.length - 1 ? 0 : Math.max(0, header);
}

function isTitle({ texts, isFirstFilled }: FilledRow, width: number): boolean {
  if (texts.length === 0) return true;
  if (!isFirstFilled && texts.length > 1) return false;
  return texts.length <= width * MAX_TITLE_SHARE && texts.some((text) => /\p{L}/u.test(text));
}
