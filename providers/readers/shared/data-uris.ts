const PAYLOAD = String.raw`(data:[\w.+-]{1,60}\/[\w.+-]{1,100}(?:;[\w.=-]{1,60}){0,4});base64,[A-Za-z\d+/=]{32,}`;
const IMAGE = new RegExp(String.raw`!\[([^\]\n]{0,500})\]\(<?${PAYLOAD}>?[^)\n]{0,500}\)`, 'g');
const DEFINITION = new RegExp(String.raw`^ {0,3}\[[^\]\n]{1,200}\]:[ \t]{0,10}<?${PAYLOAD}.{0,500}\n?`, 'gm');
const OTHER = new RegExp(PAYLOAD, 'g');

/** Markdown without the bytes of embedded images, which are no text: of an image its description stays. */
export function removeDataUris(markdown: string): string {
  if (!markdown.includes(';base64,')) return markdown;
  return markdown.replace(IMAGE, '$1').replace(DEFINITION, '').replace(OTHER, '$1');
}
