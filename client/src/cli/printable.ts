import { stripVTControlCharacters } from 'node:util';

// oxlint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Removes terminal control sequences, which file names and documents can contain, from a text of the service. */
export function printable(text: string): string {
  return stripVTControlCharacters(text).replace(CONTROL, '');
}

/** Returns a printable text on one line, truncated to `maxCharacters`. */
export function oneLine(text: string, maxCharacters = Number.POSITIVE_INFINITY): string {
  const line = printable(text.replace(/\s+/g, ' ')).trim();
  if (line.length <= maxCharacters) return line;
  const characters = Array.from(
    new Intl.Segmenter().segment(line.slice(0, maxCharacters * 4)),
    ({ segment }) => segment,
  );
  return characters.length <= maxCharacters ? line : `${characters.slice(0, maxCharacters - 1).join('')}…`;
}
