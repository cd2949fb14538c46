/**
 * A `Content-Disposition` that has the file saved, never shown: uploaded bytes are the uploader's, not ours. ASCII for old
 * clients, RFC 5987 for the others.
 */
export function attachment(name: string): string {
  const ascii =
    name
      .normalize('NFKD')
      .replace(/[^\x20-\x7e]/g, '')
      .replace(/["\\%;/]/g, '_')
      .trim() || 'file';
  const encoded = encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
