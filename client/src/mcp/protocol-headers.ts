const VERSION_FIELD = 'io.modelcontextprotocol/protocolVersion';
/** What is safe in a header; other values are sent as base64. */
const PLAIN_VALUE = /^(?!=\?base64\?)[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;
/** The parameter that a request names, by method. */
const NAMED_PARAMETER: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};

/**
 * Returns the headers that Streamable HTTP requires with a message. In versions from 2026-07-28 on each message says its version,
 * and headers repeat what proxies look at; before, the version is that of the connection.
 */
export function protocolHeaders(message: unknown, negotiatedVersion: string | null): Record<string, string> {
  const params = fieldOf(message, 'params');
  const version = fieldOf(fieldOf(params, '_meta'), VERSION_FIELD);
  if (typeof version !== 'string')
    return negotiatedVersion === null ? {} : { 'MCP-Protocol-Version': negotiatedVersion };
  const named = fieldOf(message, 'method');
  const method = typeof named === 'string' ? named : '';
  const name = fieldOf(params, NAMED_PARAMETER[method] ?? '');
  return {
    'MCP-Protocol-Version': headerValue(version),
    'Mcp-Method': headerValue(method),
    ...(typeof name === 'string' ? { 'Mcp-Name': headerValue(name) } : {}),
  };
}

function headerValue(text: string): string {
  return PLAIN_VALUE.test(text) ? text : `=?base64?${Buffer.from(text, 'utf8').toString('base64')}?=`;
}

/** Returns a field of a value of any shape; undefined when it has none. */
export function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;
}
