import { CommanderError } from '@commander-js/extra-typings';
import { LociError } from '../loci-error.ts';
import { printable } from './printable.ts';
import { createProgram } from './program.ts';

/** Exit codes: all went well; something failed; the command line is wrong; interrupted. */
const EXIT = { success: 0, failure: 1, usage: 2, interrupted: 130 } as const;

/** Runs one command line and tells with what code the process should end. Never throws. */
export async function runLoci(args: readonly string[]): Promise<number> {
  const stopping = new AbortController();
  const onSignal = () => (stopping.signal.aborted ? process.exit(EXIT.interrupted) : stopping.abort());
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  const outcome = { hasFailures: false };
  const program = createProgram({ signal: stopping.signal, onFailures: () => (outcome.hasFailures = true) });
  try {
    await program.parseAsync([...args], { from: 'user' });
    return outcome.hasFailures ? EXIT.failure : EXIT.success;
  } catch (error) {
    // It has printed what it has to say: help, the version, or what is wrong with the command line.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.success : EXIT.usage;
    if (stopping.signal.aborted) return EXIT.interrupted;
    tell(error, args.includes('--json'));
    return EXIT.failure;
  } finally {
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
  }
}

function tell(error: unknown, isJson: boolean): void {
  if (!(error instanceof LociError)) {
    console.error(error instanceof Error ? error.stack : error);
    return;
  }
  const { status, code, requestId, issues } = error;
  const detail = error.detail + advice(error);
  if (isJson) {
    console.error(JSON.stringify({ error: { status, code, detail, request_id: requestId, issues } }));
    return;
  }
  console.error(`loci: ${printable(detail)}`);
  if (requestId !== null && (status ?? 0) >= 500) console.error(`      request ${printable(requestId)}`);
}

/** What a person at a terminal can do beyond what the service says. */
function advice({ status, code }: LociError): string {
  if (code === 'unreachable') return ' Is it running? Start it with npm start, or name another with --base-url.';
  if (status === 401) return ' Give a key with --api-key or LOCI_API_KEY.';
  return '';
}
