import { LociError } from '../loci-error.ts';
import { oneLine } from './printable.ts';
import type { Shell } from './shell.ts';

/** What became of one content. One that the service refused to change has the reason. */
export type Outcome = { content_id: string; status: string; deletion_id?: string; code?: string; message?: string };

/** Statuses of responses that concern one content and say nothing about the next one. */
const REFUSALS: ReadonlySet<number | null> = new Set([403, 404, 409, 422]);

/**
 * Changes one content after the other and prints what became of each; `none` is the text if there are none. A refused one does
 * not stop the others, but the command then fails. After any other error, what was done before is printed.
 */
export async function runForEach(
  shell: Shell,
  { ids, none = '' }: { ids: AsyncIterable<string> | Iterable<string>; none?: string },
  act: (id: string) => Promise<Outcome>,
): Promise<void> {
  const outcomes: Outcome[] = [];
  const print = () => shell.print(outcomes, () => (outcomes.length === 0 ? none : formatOutcomes(outcomes)));
  try {
    for await (const id of ids) outcomes.push(await act(id).catch((error: unknown) => refusal(id, error)));
  } catch (error) {
    if (outcomes.length > 0) print();
    throw error;
  }
  if (outcomes.some(({ code }) => code !== undefined)) shell.reportFailures();
  print();
}

function refusal(id: string, error: unknown): Outcome {
  if (!(error instanceof LociError) || !REFUSALS.has(error.status)) throw error;
  return { content_id: id, status: 'refused', code: error.code, message: error.detail };
}

function formatOutcomes(all: readonly Outcome[]): string {
  const reason = (message: string | undefined) => (message === undefined ? '' : `  ${oneLine(message)}`);
  return all.map(({ content_id, status, message }) => `${content_id}  ${status}${reason(message)}`).join('\n');
}
