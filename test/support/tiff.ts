/** A byte a pixel, white 255. `kind` as the tag NewSubfileType has it: 1 a preview, 2 a page. */
export type TiffPage = { width: number; height: number; pixels: Buffer; kind?: number };

const ENTRIES = 9;
const DIRECTORY_BYTES = 2 + ENTRIES * 12 + 4;

/** A TIFF file (6.0) of uncompressed pages in grey, in either order of bytes. `last` is where the last page says that the next is. */
export function tiff(pages: readonly TiffPage[], { isBigEndian = false, last = 0 } = {}): Buffer {
  const parts: Buffer[] = [Buffer.from(isBigEndian ? 'MM\0*\0\0\0\x08' : 'II*\0\x08\0\0\0', 'latin1')];
  let at = 8;
  for (const [index, { width, height, pixels, kind = 2 }] of pages.entries()) {
    const data = at + DIRECTORY_BYTES;
    const next = data + pixels.length + (pixels.length % 2);
    const directory = Buffer.alloc(DIRECTORY_BYTES);
    const write16 = (value: number, place: number) =>
      isBigEndian ? directory.writeUInt16BE(value, place) : directory.writeUInt16LE(value, place);
    const write32 = (value: number, place: number) =>
      isBigEndian ? directory.writeUInt32BE(value, place) : directory.writeUInt32LE(value, place);
    const entries = [
      [254, kind],
      [256, width],
      [257, height],
      [258, 8],
      [259, 1],
      [262, 1],
      [273, data],
      [278, height],
      [279, pixels.length],
    ] as const;
    write16(entries.length, 0);
    for (const [place, [tag, value]] of entries.entries()) {
      const start = 2 + place * 12;
      write16(tag, start);
      // Of type LONG, one of them.
      write16(4, start + 2);
      write32(1, start + 4);
      write32(value, start + 8);
    }
    write32(index === pages.length - 1 ? last : next, DIRECTORY_BYTES - 4);
    parts.push(directory, pixels, Buffer.alloc(pixels.length % 2));
    at = next;
  }
  return Buffer.concat(parts);
}
