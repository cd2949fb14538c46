/** Cuts a text to a number of bytes in UTF-8, without leaving half of a character. */
export function cutBytes(text: string, maxBytes: number): string {
  return text.slice(0, new TextEncoder().encodeInto(text, new Uint8Array(maxBytes)).read);
}
