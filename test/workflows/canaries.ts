/**
 * Words that scenarios put where a user's words go. None may ever reach a history: everybody who may look at the Temporal
 * UI can read those.
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

/** An API key of this service, wherever it may stand. */
const API_KEY = /loci_[0-9a-zA-Z]{12}_[0-9a-zA-Z]{20,}/;

/** Every text of a history as JSON, with its payloads decoded: what an operator could read of it. */
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

/** What of a user's words, or of these secrets, stands in a history; nothing when all is well. */
export function leaksOf(history: unknown, secrets: readonly string[] = []): string[] {
  const text = readableText(history);
  const leaked = Object.entries(CANARIES).flatMap(([what, word]) => (text.includes(word) ? [what] : []));
  if (API_KEY.test(text) || secrets.some((secret) => secret !== '' && text.includes(secret))) leaked.push('secret');
  return leaked;
}
