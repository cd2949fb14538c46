const MAX_BATCH_CONTENTS = 200;
export const MAX_BATCH_BYTES = 8 * 1024 * 1024;

/** Groups items in order into batches of at most so many items and so large. A larger item forms a batch of its own. */
export function groupBySize<Item>(
  items: readonly Item[],
  sizeOf: (item: Item) => number,
  { maxItems = MAX_BATCH_CONTENTS, maxSize = MAX_BATCH_BYTES } = {},
): Item[][] {
  const groups: Item[][] = [];
  let total = 0;
  for (const item of items) {
    const last = groups.at(-1);
    const size = sizeOf(item);
    if (last && last.length < maxItems && total + size <= maxSize) {
      last.push(item);
      total += size;
    } else {
      groups.push([item]);
      total = size;
    }
  }
  return groups;
}
