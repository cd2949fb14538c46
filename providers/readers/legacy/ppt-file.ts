import { AppError } from '#domain/app-error.ts';
import { findRecord, RECORD, recordAt, recordsOf, type PptRecord } from './ppt-records.ts';
import type { PptParagraph } from './ppt-text.ts';
import { commentsOf, readPptShapes, type PptShape } from './ppt-shapes.ts';

/** A slide: its shapes in the order of drawing, and the texts of its notes and comments. */
export type PptSlide = { shapes: PptShape[]; notes: PptParagraph[]; comments: string[] };

const CURRENT_EDIT = 16;
const ENCRYPTED_TOKEN = 0xf3d1_c4df;
const MAX_EDITS = 1_000;
/** Instances of the lists of slides. */
const [SLIDES, NOTES] = [0, 2];

/**
 * Reads the slides of a PowerPoint presentation of the binary format ([MS-PPT], PowerPoint 97 to 2003), in their order. `streamOf`
 * returns a stream of the file by name. @throws AppError `unreadable`, `encrypted`; RangeError when a structure leads out of the file.
 */
export function readPptFile(streamOf: (name: string) => Buffer | null): PptSlide[] {
  const [user, stream] = [streamOf('Current User'), streamOf('PowerPoint Document')];
  if (user === null || stream === null) throw damagedError();
  if (user.readUInt32LE(12) === ENCRYPTED_TOKEN) throw encryptedError();
  const { documentId, offsets } = readEdits(stream, user.readUInt32LE(CURRENT_EDIT));
  const persisted = (id: number): PptRecord | undefined => {
    const offset = offsets.get(id);
    return offset === undefined ? undefined : recordAt(stream, offset);
  };
  const document = persisted(documentId);
  if (document?.type !== RECORD.document) throw damagedError();
  const notes = new Map(listOf(document, NOTES).map(({ slideId, persistId }) => [slideId, persisted(persistId)]));
  return listOf(document, SLIDES).flatMap(({ persistId, texts }) => {
    const slide = persisted(persistId);
    if (slide?.type !== RECORD.slide) return [];
    const notesId = findRecord(slide.data, RECORD.slideAtom)?.data.readUInt32LE(16) ?? 0;
    return [
      {
        shapes: readPptShapes(slide, texts),
        notes: notesOf(notesId === 0 ? undefined : notes.get(notesId)),
        comments: commentsOf(slide),
      },
    ];
  });
}

/** Each save appends what has changed: where the newest version of each object is ([MS-PPT] 2.1.2). */
function readEdits(stream: Buffer, newest: number): { documentId: number; offsets: Map<number, number> } {
  const offsets = new Map<number, number>();
  let documentId = 0;
  let at = newest;
  for (let count = 0; at !== 0 && count < MAX_EDITS; count += 1) {
    const { type, data: edit } = recordAt(stream, at);
    if (type !== RECORD.userEdit) throw damagedError();
    documentId ||= edit.readUInt32LE(16);
    const { type: directoryType, data } = recordAt(stream, edit.readUInt32LE(12));
    if (directoryType !== RECORD.persistDirectory) throw damagedError();
    for (let entry = 0; entry + 4 <= data.length;) {
      const head = data.readUInt32LE(entry);
      const [first, size] = [head & 0xf_ffff, head >>> 20];
      for (let index = 0; index < size; index += 1)
        if (!offsets.has(first + index)) offsets.set(first + index, data.readUInt32LE(entry + 4 + index * 4));
      entry += 4 + size * 4;
    }
    at = edit.readUInt32LE(8);
  }
  return { documentId, offsets };
}

type ListedSlide = { persistId: number; slideId: number; texts: PptRecord[][] };

/** A list of slides or notes. `texts`: the records of their outline texts, to which shapes refer by number. */
function listOf(document: PptRecord, instance: number): ListedSlide[] {
  const list = recordsOf(document.data).find((one) => one.type === RECORD.slideList && one.instance === instance);
  const slides: ListedSlide[] = [];
  for (const record of list ? recordsOf(list.data) : []) {
    if (record.type === RECORD.slidePersist) {
      slides.push({ persistId: record.data.readUInt32LE(0), slideId: record.data.readUInt32LE(12), texts: [] });
    } else if (record.type === RECORD.textHeader) slides.at(-1)?.texts.push([record]);
    else slides.at(-1)?.texts.at(-1)?.push(record);
  }
  return slides;
}

/** The paragraphs of the notes themselves, without the other texts of their page. */
function notesOf(notes: PptRecord | undefined): PptParagraph[] {
  if (notes?.type !== RECORD.notes) return [];
  return readPptShapes(notes, []).flatMap((shape) => (shape.kind === 'notes' ? shape.paragraphs : []));
}

function damagedError(): AppError {
  const message =
    'The PowerPoint presentation is damaged or truncated. Open it in PowerPoint, save it as .pptx and upload that.';
  return new AppError('unreadable', message);
}

function encryptedError(): AppError {
  const message = 'The PowerPoint presentation is protected by a password. Remove the password and upload it again.';
  return new AppError('encrypted', message);
}
