const MAX_BATCH_CONTENTS = 200;
export const MAX_BATCH_BYTES = 8 * 1024 * 1024;

/** Groups items in order into batches of at most `maxItems` items and 8 MiB. A larger item forms a batch of its own. */
export function groupBySize<Item>(
  items: readonly Item[],
  sizeOf: (item: Item) => number,
  maxItems = MAX_BATCH_CONTENTS,
): Item[][] {
  const groups: Item[][] = [];
  let bytes = 0;
  for (const item of items) {
    const last = groups.at(-1);
    const size = sizeOf(item);
    if (last && last.length < maxItems && bytes + size <= MAX_BATCH_BYTES) {
      last.push(item);
      bytes += size;
    } else {
      groups.push([item]);
      bytes = size;
    }
  }
  return groups;
}
