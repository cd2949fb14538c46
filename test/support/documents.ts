import { crc32, deflateRawSync } from 'node:zlib';

/** Builders of small real files for tests. */

export type PdfText = { text: string; /** Points. */ size?: number; x?: number; y?: number; isCode?: boolean };
export type PdfOptions = {
  title?: string;
  /** Adds an encryption dictionary that the empty password does not open. */ isEncrypted?: boolean;
};

/** A PDF (1.4, Helvetica, A4) with these lines on its pages; a page without lines holds a grey box only, like a scan. */
export function pdf(pages: readonly (readonly PdfText[])[], { title, isEncrypted = false }: PdfOptions = {}): Buffer {
  const objects: string[] = [];
  const add = (body: string): number => objects.push(body);
  const catalog = add('<< /Type /Catalog /Pages 2 0 R >>');
  add(''); // the page tree, once its kids are known
  const font = add('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>');
  const codeFont = add('<< /Type /Font /Subtype /Type1 /BaseFont /Courier /Encoding /WinAnsiEncoding >>');
  const kids = pages.map((lines) => {
    const content = lines.length === 0 ? '0.5 g 72 72 300 300 re f' : lines.map(pdfLine).join('\n');
    const stream = add(`<< /Length ${content.length} >>\nstream\n${content}\nendstream`);
    return add(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents ${stream} 0 R /Resources << /Font << /F1 ${font} 0 R /F2 ${codeFont} 0 R >> >> >>`,
    );
  });
  objects[1] = `<< /Type /Pages /Count ${kids.length} /Kids [${kids.map((kid) => `${kid} 0 R`).join(' ')}] >>`;
  const info = title === undefined ? 0 : add(`<< /Title (${escapePdf(title)}) >>`);
  const hex = 'ab'.repeat(32);
  const encrypt = isEncrypted ? add(`<< /Filter /Standard /V 1 /R 2 /P -4 /O <${hex}> /U <${hex}> >>`) : 0;
  const trailer = [
    `/Size ${objects.length + 1} /Root ${catalog} 0 R`,
    ...(info ? [`/Info ${info} 0 R`] : []),
    ...(encrypt ? [`/Encrypt ${encrypt} 0 R /ID [<${hex}> <${hex}>]`] : []),
  ];
  return pdfOfObjects(objects, trailer.join(' '));
}

/** A Word document whose body is this WordprocessingML; `parts` are further files of the package. */
export function docx(body: string, parts: Readonly<Record<string, string | Buffer>> = {}): Buffer {
  const namespaces =
    'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" ' +
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" ' +
    'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"';
  const types = 'http://schemas.openxmlformats.org/package/2006/content-types';
  const wordType = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml';
  const relationships = 'http://schemas.openxmlformats.org/package/2006/relationships';
  const officeDocument = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument';
  return zip({
    '[Content_Types].xml': `<Types xmlns="${types}"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="${wordType}"/></Types>`,
    '_rels/.rels': `<Relationships xmlns="${relationships}"><Relationship Id="rId1" Type="${officeDocument}" Target="word/document.xml"/></Relationships>`,
    'word/document.xml': `<?xml version="1.0" encoding="UTF-8"?><w:document ${namespaces}><w:body>${body}</w:body></w:document>`,
    ...parts,
  });
}

/** A paragraph for `docx`, with a style such as `Heading1`. */
export function docxParagraph(text: string, style?: string): string {
  const properties = style ? `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>` : '';
  return `<w:p>${properties}<w:r><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`;
}

export type ZipOptions = {
  /** Size that the directory claims for every entry, instead of the true one. */
  claimedBytes?: number;
};

/** A ZIP archive, deflated. */
export function zip(files: Readonly<Record<string, string | Buffer>>, { claimedBytes }: ZipOptions = {}): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, content] of Object.entries(files)) {
    const bytes = Buffer.from(content);
    const packed = deflateRawSync(bytes);
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(8, 4);
    fields.writeUInt32LE(crc32(bytes), 10);
    fields.writeUInt32LE(packed.length, 14);
    fields.writeUInt32LE(claimedBytes ?? bytes.length, 18);
    fields.writeUInt16LE(Buffer.byteLength(name), 22);
    const position = Buffer.alloc(14);
    position.writeUInt32LE(offset, 10);
    const local = Buffer.concat([Buffer.from('PK\u0003\u0004'), fields, Buffer.from(name), packed]);
    directory.push(Buffer.concat([Buffer.from('PK\u0001\u0002\u0014\0'), fields, position, Buffer.from(name)]));
    locals.push(local);
    offset += local.length;
  }
  const end = Buffer.alloc(18);
  end.writeUInt16LE(locals.length, 4);
  end.writeUInt16LE(locals.length, 6);
  end.writeUInt32LE(Buffer.concat(directory).length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...locals, ...directory, Buffer.from('PK\u0005\u0006'), end]);
}

/** The beginning of a PNG image. */
export function png(): Buffer {
  const header = Buffer.from('89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489', 'hex');
  return Buffer.concat([header, Buffer.alloc(64)]);
}

/** Bytes that are no text and no known format; the same at every call. */
export function junk(sizeBytes: number): Buffer {
  let state = 12_345;
  return Buffer.from(
    Array.from({ length: sizeBytes }, () => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      return state >>> 24;
    }),
  );
}

function pdfLine({ text, size = 12, x = 72, y = 770, isCode = false }: PdfText): string {
  return `BT /${isCode ? 'F2' : 'F1'} ${size} Tf ${x} ${y} Td (${escapePdf(text)}) Tj ET`;
}

function escapePdf(text: string): string {
  return text.replace(/[\\()]/g, (character) => `\\${character}`);
}

/** A PDF of these objects, numbered from 1. */
export function pdfOfObjects(objects: readonly string[], trailer: string): Buffer {
  let file = '%PDF-1.4\n';
  const offsets = objects.map((body, index) => {
    const offset = file.length;
    file += `${index + 1} 0 obj\n${body}\nendobj\n`;
    return offset;
  });
  const start = file.length;
  const entries = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  file += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${entries}trailer\n<< ${trailer} >>\nstartxref\n${start}\n%%EOF\n`;
  return Buffer.from(file, 'latin1');
}
