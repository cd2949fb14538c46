/** For the notes of a document: the number of sheets or slides that it hides and that were not read; nothing for none. */
export function hiddenCount(kind: 'sheet' | 'slide', count: number): Readonly<Record<string, number>> {
  return count === 0 ? {} : { [`hidden_${kind}_count`]: count };
}
