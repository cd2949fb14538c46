/** The types of the records in use ([MS-PPT] 2.13.24, [MS-ODRAW] 2.2). */
export const RECORD = {
  document: 0x03e8,
  slide: 0x03ee,
  slideAtom: 0x03ef,
  notes: 0x03f0,
  slidePersist: 0x03f3,
  drawing: 0x040c,
  outlineTextRef: 0x0f9e,
  textHeader: 0x0f9f,
  textChars: 0x0fa0,
  textStyle: 0x0fa1,
  textBytes: 0x0fa8,
  string: 0x0fba,
  slideList: 0x0ff0,
  userEdit: 0x0ff5,
  placeholder: 0x0bc3,
  programTags: 0x1388,
  programTag: 0x138a,
  programData: 0x138b,
  persistDirectory: 0x1772,
  comment: 0x2ee0,
  drawingContainer: 0xf002,
  shapeGroup: 0xf003,
  shape: 0xf004,
  childAnchor: 0xf00f,
  clientTextbox: 0xf00d,
  clientData: 0xf011,
  tertiaryOptions: 0xf122,
} as const;

/** A record: `data` is what follows its header of eight bytes. */
export type PptRecord = { type: number; instance: number; data: Buffer };

const HEADER_BYTES = 8;

/** The record at a place. Its data ends with the buffer if its length leads out of it. @throws RangeError */
export function recordAt(bytes: Buffer, at: number): PptRecord {
  const start = at + HEADER_BYTES;
  const length = bytes.readUInt32LE(at + 4);
  return {
    type: bytes.readUInt16LE(at + 2),
    instance: bytes.readUInt16LE(at) >>> 4,
    data: bytes.subarray(start, start + length),
  };
}

/** The records that follow one another in these bytes. */
export function recordsOf(bytes: Buffer): PptRecord[] {
  const records: PptRecord[] = [];
  for (let at = 0; at + HEADER_BYTES <= bytes.length;) {
    const record = recordAt(bytes, at);
    records.push(record);
    at += HEADER_BYTES + record.data.length;
  }
  return records;
}

/** The first record of a type in these bytes. */
export function findRecord(bytes: Buffer | undefined, type: number): PptRecord | undefined {
  return bytes && recordsOf(bytes).find((record) => record.type === type);
}
