/** Environments that are rendered in a way of their own; of others the content is. Lists: the prefix of an item. */
export const TEX_ENVIRONMENTS: { tables: ReadonlySet<string>; lists: ReadonlyMap<string, string> } = {
  tables: new Set(['tabular', 'tabular*', 'tabularx', 'longtable', 'array', 'tabulary']),
  lists: new Map([
    ['itemize', '- '],
    ['enumerate', '1. '],
    ['description', '- '],
  ]),
};
const STATEMENTS = new Set('theorem lemma proposition corollary definition proof remark example claim'.split(' '));

/** What stands before the content of an environment; empty for most of them. `note` is its optional argument. */
export function environmentLabel(name: string, note: string): string {
  if (name === 'abstract') return '## Abstract\n\n';
  if (name === 'thebibliography') return '## References\n\n';
  if (!STATEMENTS.has(name)) return '';
  return `**${name.charAt(0).toUpperCase()}${name.slice(1)}${note === '' ? '' : ` (${note})`}.** `;
}
