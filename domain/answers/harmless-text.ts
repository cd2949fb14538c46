/**
 * The beginning of a tag that could load or run something: one that may have attributes, or that needs none. A bracket may be a
 * mark that is left out, so that the text goes on behind it; what is longer than the names of tags is not waited for.
 */
const TAG = /<(?=[a-z][^\s/>[]{0,63}[\s/[]|[a-z][^\s/>[]{64}|(?:script|style)>)/gi;

/** What `TAG` cannot decide at the end of a text that goes on. */
export const UNFINISHED_TAG = /<(?:[a-zA-Z][^\s/>[]{0,63})?/;

/**
 * Makes a text harmless for pages that show it as Markdown or HTML: they would load images and styles from wherever the text
 * of a document says. Images become links, and a space follows the `<` of tags.
 */
export function harmlessText(text: string): string {
  return withoutImages(withoutTags(text));
}

export function withoutTags(text: string): string {
  return text.replaceAll(TAG, '< ');
}

/** Exclamation marks before those that are removed are kept apart from the bracket: the last one would make an image again. */
export function withoutImages(text: string): string {
  return text.replaceAll(/!{1,8}\[/g, (_, at: number) => (text[at - 1] === '!' ? ' [' : '['));
}
