/** Tasks of a group at most; a group is short, so that other workspaces get their turn soon. */
const MAX_GROUP_TASKS = 8;
/** Bytes of all files of a group at most; a larger file is a group of its own. */
const MAX_GROUP_BYTES = 64 * 1024;

/**
 * Splits tasks evenly among processes, in groups that are sent to a process in one message. `sizes` are the bytes of the tasks'
 * files. Returns the indices of each group, in ascending order.
 */
export function groupTasks(sizes: readonly number[], processes: number): number[][] {
  const most = Math.max(1, Math.min(MAX_GROUP_TASKS, Math.ceil(sizes.length / processes)));
  const groups: number[][] = [];
  let current: number[] = [];
  let bytes = 0;
  for (const [index, size] of sizes.entries()) {
    if (current.length > 0 && (current.length === most || bytes + size > MAX_GROUP_BYTES)) {
      groups.push(current);
      current = [];
      bytes = 0;
    }
    current.push(index);
    bytes += size;
  }
  if (current.length > 0) groups.push(current);
  return groups;
}
