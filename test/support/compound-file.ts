const SECTOR_BYTES = 512;
const ENTRY_BYTES = 128;
const END_OF_CHAIN = 0xffff_fffe;
const FAT_SECTOR = 0xffff_fffd;

/**
 * An OLE compound file whose directory has these entries below its root; `sectorsBefore` sectors of data stand before the
 * directory, as where a program writes it last.
 */
export function compoundFile(entries: readonly string[], sectorsBefore = 0): Buffer {
  const names = ['Root Entry', ...entries];
  const directorySectors = Math.ceil((names.length * ENTRY_BYTES) / SECTOR_BYTES);
  const firstOfDirectory = 1 + sectorsBefore;
  const header = Buffer.alloc(SECTOR_BYTES, 0);
  header.write('d0cf11e0a1b11ae1', 0, 'hex');
  header.writeUInt16LE(0x3e, 24);
  header.writeUInt16LE(3, 26);
  header.writeUInt16LE(0xfffe, 28);
  header.writeUInt16LE(9, 30);
  header.writeUInt32LE(1, 44);
  header.writeUInt32LE(firstOfDirectory, 48);
  header.fill(0xff, 76);
  header.writeUInt32LE(0, 76);
  const table = Buffer.alloc(SECTOR_BYTES, 0xff);
  table.writeUInt32LE(FAT_SECTOR, 0);
  for (let at = 0; at < directorySectors; at += 1) {
    const sector = firstOfDirectory + at;
    table.writeUInt32LE(at === directorySectors - 1 ? END_OF_CHAIN : sector + 1, sector * 4);
  }
  const directory = Buffer.alloc(directorySectors * SECTOR_BYTES);
  for (const [index, name] of names.entries()) {
    directory.write(name, index * ENTRY_BYTES, 'utf16le');
    directory.writeUInt16LE((name.length + 1) * 2, index * ENTRY_BYTES + 64);
  }
  return Buffer.concat([header, table, Buffer.alloc(sectorsBefore * SECTOR_BYTES, 1), directory]);
}
