/**
 * The elements of a list that another one lacks, or has fewer times. If neither list has such elements, they are equal but for
 * their order.
 */
export function onlyIn(list: readonly string[], other: readonly string[]): string[] {
  const unmatched = [...other];
  return list.filter((one) => {
    const at = unmatched.indexOf(one);
    if (at !== -1) unmatched.splice(at, 1);
    return at === -1;
  });
}
