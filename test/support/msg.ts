import burner from '@kenjiuno/msgreader/lib/Burner.js';
import reader from '@kenjiuno/msgreader/lib/Reader.js';

const { burn } = burner;
const { TypeEnum } = reader;
type Entry = Parameters<typeof burn>[0][number];

/** Properties by tag, `0037001F` (a subject in Unicode); streams as [MS-OXMSG] 2.1.3 names them. */
export type MsgProperties = Readonly<Record<string, string | Uint8Array>>;
export type MsgParts = {
  properties: MsgProperties;
  /** Properties of a fixed length, by tag. */
  numbers?: Readonly<Record<string, number>>;
  recipients?: readonly MsgProperties[];
  attachments?: readonly MsgProperties[];
};

const UNICODE = '001F';
/** Bytes before the properties of a fixed length: of a message, of a recipient or attachment. */
const MESSAGE_HEADER = 32;
const PART_HEADER = 8;

/** An Outlook message as [MS-OXMSG] says, with nothing in it but what is given. */
export function msgFile({ properties, numbers = {}, recipients = [], attachments = [] }: MsgParts): Uint8Array {
  const entries: Entry[] = [{ name: 'Root Entry', type: TypeEnum.ROOT, length: 0, children: [] }];
  const add = (parent: number, entry: Entry) => {
    entries[parent]?.children?.push(entries.length);
    return entries.push(entry) - 1;
  };
  const addStreams = (parent: number, of: MsgProperties) => {
    for (const [tag, value] of Object.entries(of)) add(parent, stream(`__substg1.0_${tag}`, bytesOf(tag, value)));
  };
  const addParts = (kind: string, parts: readonly MsgProperties[]) => {
    for (const [index, of] of parts.entries()) {
      const name = `__${kind}_version1.0_#${index.toString(16).toUpperCase().padStart(8, '0')}`;
      const folder = add(0, { name, type: TypeEnum.DIRECTORY, length: 0, children: [] });
      add(folder, stream('__properties_version1.0', new Uint8Array(PART_HEADER)));
      addStreams(folder, of);
    }
  };
  add(0, stream('__properties_version1.0', fixed(numbers)));
  addStreams(0, properties);
  addParts('recip', recipients);
  addParts('attach', attachments);
  return burn(entries);
}

function stream(name: string, bytes: Uint8Array): Entry {
  // What is written is the whole memory that a view is of, so it gets memory of its own.
  return { name, type: TypeEnum.DOCUMENT, length: bytes.length, binaryProvider: () => new Uint8Array(bytes) };
}

function bytesOf(tag: string, value: string | Uint8Array): Uint8Array {
  if (typeof value !== 'string') return value;
  return Buffer.from(value, tag.endsWith(UNICODE) ? 'utf16le' : 'latin1');
}

function fixed(numbers: Readonly<Record<string, number>>): Uint8Array {
  const all = Object.entries(numbers);
  const bytes = Buffer.alloc(MESSAGE_HEADER + all.length * 16);
  for (const [index, [tag, value]] of all.entries()) {
    const at = MESSAGE_HEADER + index * 16;
    bytes.writeUInt32LE(Number.parseInt(tag, 16), at);
    bytes.writeUInt32LE(6, at + 4);
    bytes.writeUInt32LE(value, at + 8);
  }
  return bytes;
}
