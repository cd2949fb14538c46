/** What remark-parse reads: names of constructs of Markdown that are not to be parsed. */
type ParserData = { micromarkExtensions?: object[] };

const DISABLED = [
  'htmlFlow',
  'htmlText',
  'codeIndented',
  // Where a model lists its sources like this, the list would vanish, and the marks would become links.
  'definition',
  'gfmFootnoteCall',
  'gfmFootnoteDefinition',
];

/** Has the parser take for text what is no Markdown of a message: tags above all. */
export function withoutHtml(this: { data: () => object }): void {
  const data: ParserData = this.data();
  data.micromarkExtensions ??= [];
  data.micromarkExtensions.push({ disable: { null: DISABLED } });
}
