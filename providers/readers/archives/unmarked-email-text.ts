import { isUtf8 } from 'node:buffer';
import { decodeBytes, decodeText } from '#providers/readers/shared/decode-text.ts';
import { charsetOfLabel } from '#providers/readers/shared/charset/charset-label.ts';

const LINE_FEED = 0x0a;
const BOUNDARY = /boundary[ \t]*=[ \t]*(?:"([^"\r\n]{1,200})"|([^\s;"]{1,200}))/gi;
const CHARSET = /charset[ \t]*=[ \t]*"?([\w.:-]{1,40})/gi;
/** Declared by programs that write anything, and by those whose text is in ASCII. */
const SAYS_NOTHING = /^(?:utf-8|us-ascii|ascii|ansi_x3\.4-1968)$/i;
/** What a decoder writes for bytes that are no character of an encoding. */
const DAMAGED = '\uFFFD';

/** Parts with text that stands as it is, for people to read, in an encoding that their headers do not tell. */
const NOT_PLAIN =
  /^content-type:(?![ \t]*text\/)|^content-transfer-encoding:[ \t]*(?:base64|quoted-printable)|^content-disposition:[ \t]*attachment|name\*?[ \t]*=/im;

/** A header line with those that continue it, or what is between headers. `isUnmarked`: its encoding is not declared. */
type Piece = { bytes: Buffer; isHeader: boolean; isUnmarked: boolean };

/**
 * Header lines are UTF-8 (RFC 6532); older programs write them in the encoding of the text, unmarked. Returns the message with such
 * lines, and with text of which no encoding is declared, in UTF-8: from the encoding that the message declares elsewhere, or the most
 * probable one. Declared text and attachments stay as they are.
 */
export function decodeUnmarkedEmailText(message: Buffer): Buffer {
  if (isUtf8(message)) return message;
  const pieces = splitMessage(message);
  const unmarked = pieces.filter(({ bytes, isUnmarked }) => isUnmarked && !isUtf8(bytes));
  if (unmarked.length === 0) return message;
  const sample = Buffer.concat(unmarked.map(({ bytes }) => bytes));
  const probable = decodeText(sample).charset;
  // A few damaged characters do not make it another encoding.
  if (probable === 'utf-8') return message;
  const charset = declaredCharset(pieces, sample) ?? probable;
  const decoded = pieces.map((piece) =>
    piece.isUnmarked && !isUtf8(piece.bytes) ? Buffer.from(decodeBytes(piece.bytes, charset)) : piece.bytes,
  );
  return Buffer.concat(decoded);
}

/** The first encoding that a header names and in which all bytes are characters. */
function declaredCharset(pieces: readonly Piece[], sample: Buffer): string | null {
  for (const { bytes, isHeader } of pieces) {
    if (!isHeader) continue;
    for (const [, label = ''] of bytes.toString('latin1').matchAll(CHARSET)) {
      const charset = SAYS_NOTHING.test(label) ? null : charsetOfLabel(label);
      if (charset !== null && !decodeBytes(sample, charset).includes(DAMAGED)) return charset;
    }
  }
  return null;
}

/** The header lines of the message and of its parts, and what is between them. */
function splitMessage(message: Buffer): Piece[] {
  const pieces: Piece[] = [];
  const delimiters = new Set<string>();
  for (let at = 0; at < message.length;) {
    const { lines, end } = headerLines(message, at);
    const head = lines.map((line) => line.toString('latin1')).join('');
    for (const [, quoted, plain = ''] of head.matchAll(BOUNDARY)) delimiters.add(`--${quoted ?? plain}`);
    const charsets = Array.from(head.matchAll(CHARSET), ([, label = '']) => label);
    const isUnmarked = !NOT_PLAIN.test(head) && charsets.every((label) => SAYS_NOTHING.test(label));
    const next = nextPart(message, end, delimiters);
    for (const bytes of lines) pieces.push({ bytes, isHeader: true, isUnmarked: true });
    pieces.push({ bytes: message.subarray(end, next), isHeader: false, isUnmarked });
    at = next;
  }
  return pieces;
}

/** The header lines up to an empty line, and where that is. */
function headerLines(message: Buffer, start: number): { lines: Buffer[]; end: number } {
  const lines: Buffer[] = [];
  let at = start;
  while (at < message.length) {
    let end = endOfLine(message, at);
    if (isBlank(message.subarray(at, end))) break;
    while (message[end] === 0x20 || message[end] === 0x09) end = endOfLine(message, end);
    lines.push(message.subarray(at, end));
    at = end;
  }
  return { lines, end: at };
}

/** Where the headers of the next part begin: after a line that is one of the delimiters. */
function nextPart(message: Buffer, start: number, delimiters: ReadonlySet<string>): number {
  let at = start;
  while (delimiters.size > 0) {
    const found = message.indexOf('\n--', at);
    if (found === -1) return message.length;
    at = endOfLine(message, found + 1);
    if (at - found < 210 && delimiters.has(message.toString('latin1', found + 1, at).trimEnd())) return at;
    // The end of this line may begin the next delimiter.
    at -= 1;
  }
  return message.length;
}

function endOfLine(message: Buffer, start: number): number {
  const end = message.indexOf(LINE_FEED, start);
  return end === -1 ? message.length : end + 1;
}

function isBlank(line: Buffer): boolean {
  return line.length <= 2 && line.toString('latin1').trim() === '';
}
