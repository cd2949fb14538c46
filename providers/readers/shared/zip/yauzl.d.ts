declare module 'yauzl' {
  import type { Readable } from 'node:stream';

  /** An entry of the central directory; with `decodeStrings: false` its strings are bytes. */
  export type Entry = {
    readonly versionMadeBy: number;
    readonly generalPurposeBitFlag: number;
    readonly compressionMethod: number;
    readonly crc32: number;
    readonly compressedSize: number;
    readonly uncompressedSize: number;
    readonly externalFileAttributes: number;
    readonly fileName: Buffer;
    readonly extraFields: readonly { id: number; data: Buffer }[];
    isEncrypted(): boolean;
    canDecodeFileData(): boolean;
  };

  export type ZipFile = {
    readonly entryCount: number;
    eachEntry(): AsyncIterable<Entry>;
    openReadStreamPromise(entry: Entry): Promise<Readable>;
    close(): void;
  };

  export function openPromise(
    path: string,
    options: { autoClose: boolean; decodeStrings: false; validateEntrySizes: boolean },
  ): Promise<ZipFile>;

  /** Decodes a name by the rules of the format: UTF-8 flag, Unicode path field, else code page 437. */
  export function getFileNameLowLevel(
    ...parameters: [
      flags: number,
      name: Buffer,
      extraFields: readonly { id: number; data: Buffer }[],
      isStrict: boolean,
    ]
  ): string;
}
