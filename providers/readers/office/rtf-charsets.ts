import iconv from 'iconv-lite';
import { isSymbolFont, symbolText } from '#providers/readers/shared/symbol-fonts.ts';

/** Code pages by `\fcharsetN` (Rich Text Format 1.9, font table); 0 and 1 stand for that of the document. */
const CODE_PAGES: ReadonlyMap<number, number> = new Map([
  [77, 10_000],
  [128, 932],
  [129, 949],
  [134, 936],
  [136, 950],
  [161, 1253],
  [162, 1254],
  [163, 1258],
  [177, 1255],
  [178, 1256],
  [186, 1257],
  [204, 1251],
  [222, 874],
  [238, 1250],
  [254, 437],
  [255, 850],
]);
const SYMBOL_CHARSET = 2;
const TABLE_LENGTH = 400_000;
const DEFAULT = 'cp1252';

export type RtfCharsets = {
  /** Encoding of text without a font. */
  document: string;
  /** Encodings by font number. Fonts not listed use that of the document. */
  fonts: ReadonlyMap<number, RtfEncoding>;
};
/** The name of an encoding; or a symbol font, whose characters are pictures. */
export type RtfEncoding = string | { symbolFont: string };

/** Reads the encodings that an RTF document and its fonts declare. */
export function readRtfCharsets(source: string): RtfCharsets {
  const document = nameOf(Number(/\\ansicpg(\d{1,5})/.exec(source.slice(0, 4096))?.[1] ?? 1252)) ?? DEFAULT;
  const fonts = new Map<number, RtfEncoding>();
  const start = source.indexOf('{\\fonttbl');
  if (start === -1) return { document, fonts };
  // A font is `\fN … \fcharsetN … name;`, in a group of its own or not.
  for (const font of source.slice(start, start + TABLE_LENGTH).split(/[;}]/)) {
    const number = /\\f(\d{1,5})(?!\d)/.exec(font)?.[1];
    const charset = /\\fcharset(\d{1,3})/.exec(font)?.[1];
    const name = font.replace(/\\\*?[a-z]+-?\d* ?|[{\r\n]/g, '').trim();
    if (number === undefined || fonts.has(Number(number))) continue;
    const page = nameOf(CODE_PAGES.get(Number(charset ?? 0)));
    if (Number(charset) === SYMBOL_CHARSET || isSymbolFont(name)) fonts.set(Number(number), { symbolFont: name });
    else if (page !== null) fonts.set(Number(number), page);
  }
  return { document, fonts };
}

/** The characters that bytes in a font show. */
export function decodeRtf(bytes: Buffer, encoding: RtfEncoding): string {
  if (typeof encoding === 'string') return iconv.decode(bytes, encoding);
  return symbolText(encoding.symbolFont, bytes.toString('latin1'));
}

/** What a Unicode character in a font shows: in a symbol font, a private one stands for another. */
export function shownCharacter(character: string, encoding: RtfEncoding): string {
  return typeof encoding === 'string' ? character : symbolText(encoding.symbolFont, character, { isPrivate: true });
}

function nameOf(codePage: number | undefined): string | null {
  if (codePage === undefined) return null;
  const name = codePage === 10_000 ? 'macroman' : codePage === 65_001 ? 'utf8' : `cp${codePage}`;
  return iconv.encodingExists(name) ? name : null;
}
