/** Around the label of a list item, where it begins with one: a private character, which no document needs. */
export const LIST_LABEL = '\uE0F1';

const LABELLED = new RegExp(`^${LIST_LABEL}([^${LIST_LABEL}]*)${LIST_LABEL}\\s*`);

/** What an item begins with, and what is left of it: `1. ` of its own, `- 1.1. ` where Markdown has no such number. */
export function takeListLabel(text: string): { prefix: string; text: string } | null {
  const [marked, label = ''] = LABELLED.exec(text) ?? [];
  if (marked === undefined) return null;
  const rest = text.slice(marked.length);
  return { prefix: /^\d{1,9}[.)]$/.test(label) ? `${label} ` : `- ${label} `, text: rest };
}

/** The text with labels as they are, for items that are none in the end. */
export function unmarkListLabels(text: string): string {
  return text.includes(LIST_LABEL)
    ? text.replaceAll(new RegExp(`${LIST_LABEL}([^${LIST_LABEL}]*)${LIST_LABEL}`, 'g'), '$1 ')
    : text;
}
