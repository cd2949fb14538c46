import { VOID_ELEMENTS } from '../flatten-html.ts';

const NAMESPACE = /^\s*<\?xml\s|<html\s[^>]*xmlns\s*=\s*["']http:\/\/www\.w3\.org\/1999\/xhtml["']/i;
const BEGINNING = 4096;
const NOTHING = (): void => undefined;

/** Whether a page says that it is XHTML. */
export function isXhtml(html: string): boolean {
  return NAMESPACE.test(html.slice(0, BEGINNING));
}

/**
 * Writes elements that XHTML closes within their tag with an end tag: `<audio src="a.mp3"/>` as `<audio src="a.mp3"></audio>`. In
 * HTML, the slash means nothing, and all that follows would be in the element.
 */
export async function closeEmptyElements(html: string): Promise<string> {
  const { Tokenizer } = await import('htmlparser2');
  const parts: string[] = [];
  let [copied, name] = [0, ''];
  const tokenizer = new Tokenizer(
    { decodeEntities: false, xmlMode: false },
    {
      onopentagname: (start, end) => (name = html.slice(start, end)),
      onselfclosingtag(end) {
        if (VOID_ELEMENTS.has(name.toLowerCase())) return;
        parts.push(html.slice(copied, html.lastIndexOf('/', end)), `></${name}>`);
        copied = end + 1;
      },
      onattribdata: NOTHING,
      onattribentity: NOTHING,
      onattribend: NOTHING,
      onattribname: NOTHING,
      oncdata: NOTHING,
      onclosetag: NOTHING,
      oncomment: NOTHING,
      ondeclaration: NOTHING,
      onend: NOTHING,
      onopentagend: NOTHING,
      onprocessinginstruction: NOTHING,
      ontext: NOTHING,
      ontextentity: NOTHING,
    },
  );
  tokenizer.write(html);
  tokenizer.end();
  return parts.length === 0 ? html : parts.join('') + html.slice(copied);
}
