const COUNT = new Intl.NumberFormat('en');

/** Returns a number with separators: `12,345`. */
export function formatCount(count: number): string {
  return COUNT.format(count);
}
