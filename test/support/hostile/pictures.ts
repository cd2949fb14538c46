import { crc32, deflateSync } from 'node:zlib';
import { pdf, type PdfText } from '../documents.ts';
import type { HostileFile } from './corpus.ts';

/** PDF documents and pictures: bombs, loops, lies, cut off ones. */
export function hostilePictures(trap: string): HostileFile[] {
  const page: PdfText[] = [{ text: 'A sentence on a page.' }];
  const whole = pdf([page, page]);
  const picture = pngOf({ width: 64, height: 64, pixels: Buffer.alloc(64 * 65) });
  return [
    { name: 'cut-off.pdf', bytes: whole.subarray(0, 200) },
    { name: 'header-only.pdf', bytes: Buffer.from('%PDF-1.7\n') },
    { name: 'encrypted.pdf', bytes: pdf([page], { isEncrypted: true }) },
    { name: 'inflating.pdf', bytes: pdfOf(compressed(Buffer.alloc(80_000_000, '(x) Tj '))) },
    { name: 'doubly-compressed.pdf', bytes: pdfOf(twice(Buffer.alloc(200_000_000, ' '))) },
    {
      name: 'drawing-itself.pdf',
      bytes: pdfOf('<< /Length 5 >>\nstream\n/X Do\nendstream', '/XObject << /X 4 0 R >>'),
    },
    {
      name: 'circular-pages.pdf',
      bytes: raw(['<< /Type /Catalog /Pages 2 0 R >>', '<< /Type /Pages /Count 9 /Kids [2 0 R 2 0 R] >>']),
    },
    {
      name: 'a-billion-pages.pdf',
      bytes: raw([
        '<< /Type /Catalog /Pages 2 0 R >>',
        '<< /Type /Pages /Count 1000000000 /Kids [3 0 R] >>',
        '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 10 10] >>',
      ]),
    },
    {
      name: 'huge-page.pdf',
      bytes: pdfOf(
        '<< /Length 30 >>\nstream\n0.5 g 0 0 900000 900000 re f\nendstream',
        '',
        '0 0 1000000000 1000000000',
      ),
    },
    { name: 'negative-page.pdf', bytes: pdfOf('<< /Length 0 >>\nstream\n\nendstream', '', '0 0 -10 0') },
    {
      name: 'asking-elsewhere.pdf',
      bytes: raw([
        `<< /Type /Catalog /Pages 2 0 R /OpenAction << /S /URI /URI (${trap}/open) >> >>`,
        '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 10 10] /AA << /O << /S /JavaScript /JS (app.launchURL\\("${trap}"\\)) >> >> >>`,
      ]),
    },
    { name: 'many-empty-pages.pdf', bytes: pdf(Array.from({ length: 300 }, () => [{ text: ' ' }])) },
    {
      name: 'no-cross-references.pdf',
      bytes: Buffer.from(whole.toString('latin1').replace(/xref[\s\S]*/, 'startxref\n0\n%%EOF'), 'latin1'),
    },
    { name: 'huge.png', bytes: pngOf({ width: 60_000, height: 60_000, pixels: Buffer.alloc(100) }) },
    { name: 'wide.png', bytes: pngOf({ width: 2_000_000_000, height: 1, pixels: Buffer.alloc(100) }) },
    { name: 'inflating.png', bytes: pngOf({ width: 8_000, height: 8_000, pixels: Buffer.alloc(8_000 * 8_001) }) },
    { name: 'cut-off.png', bytes: picture.subarray(0, 50) },
    { name: 'without-data.png', bytes: picture.subarray(0, 33) },
    { name: 'wrong-checksum.png', bytes: flip(picture, 30) },
    { name: 'blank.png', bytes: picture },
    { name: 'compressed-comment.png', bytes: withComment(picture) },
    {
      name: 'header-only.jpg',
      bytes: Buffer.from('ffd8ffe000104a46494600010100000100010000ffc0001108ffffffff03012200021101031101', 'hex'),
    },
    { name: 'also-a-script.gif', bytes: Buffer.from('GIF89a/*\u0000\u0000\u0000*/=1;alert(1);', 'latin1') },
    {
      name: 'circular.tif',
      bytes: Buffer.concat([
        Buffer.from('49492a0008000000', 'hex'),
        Buffer.from('010000010400010000000500000008000000', 'hex'),
      ]),
    },
    { name: 'cut-off.webp', bytes: Buffer.from('RIFF\u00ff\u00ff\u0000\u0000WEBPVP8L', 'latin1') },
    { name: 'huge.bmp', bytes: bmpOf(0x7fff_ffff, 0x7fff_ffff) },
  ];
}

export type Picture = { width: number; height: number; /** Rows of grey pixels, each after a zero. */ pixels: Buffer };

/** A PNG picture in grey, with whatever size it claims. */
export function pngOf({ width, height, pixels }: Picture): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 8;
  const signature = Buffer.from('89504e470d0a1a0a', 'hex');
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(pixels)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name), data]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  checksum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, checksum]);
}

function withComment(picture: Buffer): Buffer {
  const text = Buffer.concat([Buffer.from('Comment\0\0'), deflateSync(Buffer.alloc(100_000_000, 'x'))]);
  return Buffer.concat([picture.subarray(0, 33), chunk('zTXt', text), picture.subarray(33)]);
}

function flip(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at] = (copy[at] ?? 0) ^ 0xff;
  return copy;
}

function bmpOf(width: number, height: number): Buffer {
  const bytes = Buffer.alloc(60);
  bytes.write('BM');
  bytes.writeUInt32LE(60, 2);
  bytes.writeUInt32LE(54, 10);
  bytes.writeUInt32LE(40, 14);
  bytes.writeInt32LE(width, 18);
  bytes.writeInt32LE(height, 22);
  bytes.writeUInt16LE(1, 26);
  bytes.writeUInt16LE(24, 28);
  return bytes;
}

function compressed(data: Buffer): string {
  const bytes = deflateSync(data);
  return `<< /Length ${bytes.length} /Filter /FlateDecode >>\nstream\n${bytes.toString('latin1')}\nendstream`;
}

function twice(data: Buffer): string {
  const bytes = deflateSync(deflateSync(data));
  return `<< /Length ${bytes.length} /Filter [/FlateDecode /FlateDecode] >>\nstream\n${bytes.toString('latin1')}\nendstream`;
}

function pdfOf(content: string, resources = '', box = '0 0 595 842'): Buffer {
  return raw([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [${box}] /Contents 4 0 R /Resources << ${resources} >> >>`,
    content,
  ]);
}

function raw(objects: readonly string[]): Buffer {
  const body = objects.map((object, index) => `${index + 1} 0 obj\n${object}\nendobj\n`).join('');
  return Buffer.from(`%PDF-1.4\n${body}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\n%%EOF\n`, 'latin1');
}
