/**
 * Parses a value in the address of a page as JSON. A number that would be written differently, such as an id with more digits than a
 * number keeps, is a text.
 * @throws SyntaxError for a text, which the router then takes as it is
 */
export function parseAddressValue(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (typeof value === 'number' && String(value) !== text) throw new SyntaxError('The number would be another one.');
  return value;
}
