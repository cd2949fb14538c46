/** Excel's limit; more columns are not counted. */
const MAX_COLUMNS = 16_384;

type Range = { first: number; last: number };

/**
 * The rows and columns that a sheet hides, counted from 0. What a filter or a collapsed group hides is hidden for a view only, and
 * is not meant.
 */
export class HiddenCells {
  readonly #rows: number[] = [];
  readonly #filtered: Range[] = [];
  readonly #columns = new Set<number>();

  get hasRows(): boolean {
    return this.#rows.length > 0;
  }

  hideRow(row: number): void {
    this.#rows.push(row);
  }

  hideColumns(first: number, last: number): void {
    for (let x = first; x <= Math.min(last, MAX_COLUMNS - 1); x += 1) this.#columns.add(x);
  }

  /** Rows in this range are hidden by a filter. */
  addFilter(range: Range): void {
    this.#filtered.push(range);
  }

  /** The cells of the sheet as it is shown: the rows and columns beside hidden ones are neighbors. */
  visibleOf(cells: ReadonlyMap<number, Map<number, string>>): Map<number, Map<number, string>> {
    const isFiltered = (row: number): boolean => this.#filtered.some(({ first, last }) => row >= first && row <= last);
    const rows = this.#rows.filter((row) => !isFiltered(row)).sort((a, b) => a - b);
    const hiddenRows = new Set(rows);
    const visible = new Map<number, Map<number, string>>();
    const columns = [...this.#columns].sort((a, b) => a - b);
    let before = 0;
    for (const [y, line] of [...cells].sort(([a], [b]) => a - b)) {
      while ((rows[before] ?? y) < y) before += 1;
      if (!hiddenRows.has(y)) visible.set(y - before, this.#visibleColumns(line, columns));
    }
    return visible;
  }

  #visibleColumns(line: Map<number, string>, columns: readonly number[]): Map<number, string> {
    if (columns.length === 0) return line;
    const visible = new Map<number, string>();
    let before = 0;
    for (const [x, text] of [...line].sort(([a], [b]) => a - b)) {
      while ((columns[before] ?? x) < x) before += 1;
      if (!this.#columns.has(x)) visible.set(x - before, text);
    }
    return visible;
  }
}
