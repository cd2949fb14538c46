const MAX_LENGTH = 300;

/**
 * Returns a URL as it may appear in messages, logs, workflow summaries and rows: scheme, host and path, without credentials,
 * query and fragment, which can contain tokens. Returns `(not a URL)` for anything that is not a URL.
 */
export function urlForDisplay(url: URL | string): string {
  const parsed = typeof url === 'string' ? URL.parse(url) : url;
  if (parsed === null) return '(not a URL)';
  const text = parsed.host === '' ? `${parsed.protocol}…` : `${parsed.protocol}//${parsed.host}${parsed.pathname}`;
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH - 1)}…` : text;
}
