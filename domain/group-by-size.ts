const MAX_BATCH_CONTENTS = 200;
const MAX_BATCH_BYTES = 8 * 1024 * 1024;

/** Batches of contents in their order: at most 200 and 8 MiB each, so that a large one goes alone. */
export function groupBySize<Item>(items: readonly Item[], sizeOf: (item: Item) => number): Item[][] {
  const groups: Item[][] = [];
  let bytes = 0;
  for (const item of items) {
    const last = groups.at(-1);
    const size = sizeOf(item);
    if (last && last.length < MAX_BATCH_CONTENTS && bytes + size <= MAX_BATCH_BYTES) {
      last.push(item);
      bytes += size;
    } else {
      groups.push([item]);
      bytes = size;
    }
  }
  return groups;
}
