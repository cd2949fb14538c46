/**
 * Words that scenarios use as user texts. None may ever reach a workflow history, because everyone with access to the Temporal
 * UI can read histories. The exception are names of collections and files, which label workflows in its lists.
 */
export const CANARIES = {
  text: 'canarytext',
  metadata_key: 'canarykey',
  metadata_value: 'canaryvalue',
  file_name: 'canaryname',
  description: 'canarydescription',
  user: 'canaryuser',
  url_path: 'canarypath',
  url_query: 'canaryquery',
  download: 'canarydownload',
} as const;

/** Matches an API key of this service anywhere in a text. */
const API_KEY = /loci_[0-9a-zA-Z]{12}_[0-9a-zA-Z]{20,}/;

/** Returns a history as JSON with its payloads decoded, which is what an operator can read. */
export function readableText(history: unknown): string {
  if (typeof history === 'string') return history;
  if (Array.isArray(history)) return history.map(readableText).join('\n');
  if (typeof history !== 'object' || history === null) return String(history);
  return Object.entries(history)
    .map(([key, value]) => {
      const isPayload = key === 'data' && typeof value === 'string';
      return `${key} ${isPayload ? Buffer.from(value, 'base64').toString('utf8') : readableText(value)}`;
    })
    .join('\n');
}

/** Fields of an event that label a workflow, and what they may contain. */
const LABELS: ReadonlySet<string> = new Set(['memo', 'userMetadata']);
const LABEL_WORDS: ReadonlySet<string> = new Set(['file_name', 'url_path']);

/** Returns the user texts, API keys and given secrets that occur in a history; empty when nothing leaks. */
export function leaksOf(history: unknown, secrets: readonly string[] = []): string[] {
  const text = readableText(history);
  const unlabelled = readableText(
    JSON.parse(JSON.stringify(history, (key, value) => (LABELS.has(key) ? null : value))),
  );
  const leaked = Object.entries(CANARIES).flatMap(([what, word]) =>
    (LABEL_WORDS.has(what) ? unlabelled : text).includes(word) ? [what] : [],
  );
  if (API_KEY.test(text) || secrets.some((secret) => secret !== '' && text.includes(secret))) leaked.push('secret');
  return leaked;
}
