const MAX_LENGTH = 300;

/**
 * A URL as it may appear in messages, logs, workflow summaries and rows: scheme, host and path, without credentials,
 * query and fragment, which carry tokens. Text that is no URL gives `(not a URL)`.
 */
export function urlForDisplay(url: URL | string): string {
  const parsed = typeof url === 'string' ? URL.parse(url) : url;
  if (parsed === null) return '(not a URL)';
  const text = parsed.host === '' ? `${parsed.protocol}…` : `${parsed.protocol}//${parsed.host}${parsed.pathname}`;
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH - 1)}…` : text;
}
