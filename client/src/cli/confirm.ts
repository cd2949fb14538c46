import { createInterface } from 'node:readline/promises';
import { LociError } from '../loci-error.ts';
import { printable } from './printable.ts';
import type { Shell } from './shell.ts';

/** Option of every command that asks before it deletes. */
export const YES_OPTION = ['-y, --yes', 'do not ask before deleting'] as const;

/**
 * Asks on the terminal whether to go on; `ask` returns the question.
 * @throws LociError `not_confirmed` if the answer is no, or if nobody can be asked and `--yes` is missing
 */
export async function confirm(
  shell: Shell,
  { yes = false }: { yes?: boolean | undefined },
  ask: () => Promise<string>,
): Promise<void> {
  if (yes) return;
  const question = printable(await ask());
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw notConfirmed(`${question} Nothing was done, because nobody can be asked here. Add --yes to confirm.`);
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  // The interface takes Ctrl-C from the process.
  terminal.once('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  // Ctrl-D, and a terminal that is closed, end it without an answer.
  const closed = new Promise<string>((resolve) => terminal.once('close', () => resolve('')));
  try {
    const answer = await Promise.race([terminal.question(`${question} [y/N] `, { signal: shell.signal }), closed]);
    if (!/^y(es)?$/i.test(answer.trim())) throw notConfirmed('Nothing was done.');
  } finally {
    terminal.close();
  }
}

function notConfirmed(detail: string): LociError {
  return new LociError(detail, { status: null, code: 'not_confirmed' });
}
