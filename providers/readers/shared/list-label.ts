/** Encloses the label at the beginning of a list item: a private use character, which documents do not contain. */
export const LIST_LABEL = '\uE0F1';

const LABELLED = new RegExp(`^${LIST_LABEL}([^${LIST_LABEL}]*)${LIST_LABEL}\\s*`);

/**
 * Splits a list item into its Markdown prefix and its text: `1. ` for a plain number, `- 1.1. ` where Markdown has no
 * such number. Null without a label.
 */
export function takeListLabel(text: string): { prefix: string; text: string } | null {
  const [marked, label = ''] = LABELLED.exec(text) ?? [];
  if (marked === undefined) return null;
  const rest = text.slice(marked.length);
  return { prefix: /^\d{1,9}[.)]$/.test(label) ? `${label} ` : `- ${label} `, text: rest };
}

/** The text with its labels unmarked, for items that are not rendered as list items. */
export function unmarkListLabels(text: string): string {
  return text.includes(LIST_LABEL)
    ? text.replaceAll(new RegExp(`${LIST_LABEL}([^${LIST_LABEL}]*)${LIST_LABEL}`, 'g'), '$1 ')
    : text;
}
