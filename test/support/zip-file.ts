import { crc32, deflateRawSync } from 'node:zlib';

/** An entry as it is to stand in the archive; whatever is left out is true. */
export type ZipFileEntry = {
  name: string | Buffer;
  bytes: string | Buffer;
  /** General purpose flags; 1 says that it is encrypted, 0x800 that the name is UTF-8. */
  flags?: number;
  /** 0 stores the bytes as they are; others but 8 are only claimed. */
  method?: number;
  /** Unix mode, e.g. 0o120777 for a symbolic link. */
  mode?: number;
  claimedBytes?: number;
  claimedChecksum?: number;
};

/** A ZIP archive with names, flags and sizes as they are wanted, true or not. */
export function zipFile(entries: readonly ZipFileEntry[]): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, bytes: content, flags = 0, method = 8, mode = 0o100644, ...claimed } of entries) {
    const bytes = Buffer.from(content);
    const packed = method === 8 ? deflateRawSync(bytes) : bytes;
    const rawName = Buffer.from(name);
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(flags, 2);
    fields.writeUInt16LE(method, 4);
    fields.writeUInt32LE(claimed.claimedChecksum ?? crc32(bytes), 10);
    fields.writeUInt32LE(packed.length, 14);
    fields.writeUInt32LE(claimed.claimedBytes ?? bytes.length, 18);
    fields.writeUInt16LE(rawName.length, 22);
    const position = Buffer.alloc(14);
    position.writeUInt32LE((mode << 16) >>> 0, 6);
    position.writeUInt32LE(offset, 10);
    const local = Buffer.concat([Buffer.from('PK\u0003\u0004'), fields, rawName, packed]);
    // Made by a Unix system.
    directory.push(Buffer.concat([Buffer.from('PK\u0001\u0002\u0014\u0003'), fields, position, rawName]));
    locals.push(local);
    offset += local.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 4);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(central.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...locals, central, Buffer.from('PK\u0005\u0006'), end]);
}
