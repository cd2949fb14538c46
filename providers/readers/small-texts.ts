import { isUtf8 } from 'node:buffer';
import { readFile, stat } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { AppError } from '#domain/app-error.ts';
import { FairSlots, type SlotOptions } from '#domain/fair-slots.ts';
import { NOT_STARTED } from '#providers/sandbox/sandbox-batch.ts';
import { resolveReader } from './index.ts';
import { readAndSplit, type Source } from './read-and-split.ts';
import type { ReportOutcome } from './read-in-parts.ts';
import { readResult, type Outcome, type ReadResult } from './read-result.ts';
import { createStartLimit } from '#providers/readers/shared/start-limit.ts';
import type { ReadPayload } from './task-payload.ts';
import { markdownReader } from '#providers/readers/text/markdown-reader.ts';
import { textReader } from '#providers/readers/text/text-reader.ts';

/** A larger text is read in a child process: its tokens take longer to count than this process may be busy at a time. */
const SMALL_TEXT_BYTES = 16 * 1024;
/** A text of more lines, too: tokens are counted line by line, and each call costs a few microseconds. */
const MAX_LINES = 1_000;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** A plain text that is read in this process. `index`: its place in the call. */
type SmallText = { index: number; bytes: Uint8Array; payload: ReadPayload };

type Reading = SlotOptions & { startWithinMs?: number; report: ReportOutcome };

/**
 * Reads small plain texts in this process, with the code that a child process runs: nothing is parsed in them that could take
 * long, run out of memory or crash, and a message to a child costs more than reading them. They are read one at a time, and
 * other work of this process gets its turn between two; `express` goes first, and workspaces take turns.
 */
export class SmallTexts {
  readonly #slots = new FairSlots(1);

  /** Returns those of the tasks that are small plain texts. */
  async find(sources: readonly Source[], payloads: readonly ReadPayload[]): Promise<SmallText[]> {
    const found = payloads.map(async (payload, index) => {
      const source = sources[index];
      const bytes = source && isPlain(payload) ? await smallBytes(source) : null;
      return bytes && isHarmless(bytes) ? [{ index, bytes, payload }] : [];
    });
    return (await Promise.all(found)).flat();
  }

  /** @throws the signal's reason; errors that are faults of the installation. */
  async read(texts: readonly SmallText[], { report, startWithinMs, ...work }: Reading): Promise<void> {
    const isOver = createStartLimit(startWithinMs);
    const readings = texts.map(async ({ index, ...text }) => {
      const outcome = await this.#slots.run(async () => {
        await setImmediate();
        return isOver() ? { ok: false as const, error: NOT_STARTED } : readText(text);
      }, work);
      report(index, outcome);
    });
    await Promise.all(readings);
  }
}

async function readText({ bytes, payload }: Omit<SmallText, 'index'>): Promise<Outcome<ReadResult>> {
  try {
    // The texts are so small that no files are read or written.
    const value = await readAndSplit({ path: '', bytes }, { task: payload, outputPrefix: '' });
    return { ok: true, result: readResult(value, '') };
  } catch (error) {
    if (error instanceof AppError) return { ok: false, error };
    throw error;
  }
}

/** True for a task of the readers of plain text and Markdown, which keep a text as it is. */
function isPlain({ reader, mediaType }: ReadPayload): boolean {
  try {
    const found = resolveReader(reader, mediaType);
    return found === textReader || found === markdownReader;
  } catch (error) {
    // The child process reports why no reader reads it.
    if (error instanceof AppError) return false;
    throw error;
  }
}

async function smallBytes({ path, bytes }: Source): Promise<Uint8Array | null> {
  const sizeBytes = bytes?.length ?? (await stat(path)).size;
  return sizeBytes > SMALL_TEXT_BYTES ? null : (bytes ?? readFile(path));
}

/** Other encodings are guessed by statistics, and many lines take many calls. */
function isHarmless(bytes: Uint8Array): boolean {
  let lines = 0;
  for (const byte of bytes) if (byte === LINE_FEED || byte === CARRIAGE_RETURN) lines += 1;
  return lines <= MAX_LINES && isUtf8(bytes);
}
