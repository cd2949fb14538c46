import { CommanderError } from '@commander-js/extra-typings';
import { LociError } from '../loci-error.ts';
import { printable } from './printable.ts';
import { createProgram } from './program.ts';

/** Exit codes; `usage` means an invalid command line. */
const EXIT = { success: 0, failure: 1, usage: 2, interrupted: 130 } as const;

/** Runs one command line and returns the exit code. Never throws. */
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
    // Commander has already printed the help, the version or the usage error.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.success : EXIT.usage;
    if (stopping.signal.aborted) return EXIT.interrupted;
    printError(error, args.includes('--json'));
    return isUsage(error) ? EXIT.usage : EXIT.failure;
  } finally {
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
  }
}

/** Returns true for an error of the command line that only the command itself can see. */
function isUsage(error: unknown): boolean {
  return error instanceof LociError && error.status === null && error.code === 'nothing_to_do';
}

function printError(error: unknown, isJson: boolean): void {
  const known = error instanceof LociError ? error : unexpected(error);
  const { status, code, requestId, issues } = known;
  const detail = known.detail + adviceFor(known);
  if (isJson) {
    console.error(JSON.stringify({ error: { status, code, detail, request_id: requestId, issues } }));
    return;
  }
  console.error(`loci: ${printable(detail)}`);
  if (requestId !== null && (status ?? 0) >= 500) console.error(`      request ${printable(requestId)}`);
}

/** Describes an error that the command did not expect. Where it happened is of no use for those who use the command. */
function unexpected(error: unknown): LociError {
  if (process.env['LOCI_DEBUG'] !== undefined) console.error(error);
  const message = error instanceof Error ? error.message : String(error);
  const detail = `An unexpected error: ${message} (LOCI_DEBUG=1 shows where it happened.)`;
  return new LociError(detail, { status: null, code: 'unexpected', cause: error });
}

/** Returns advice for the user that the message of the service does not contain. */
function adviceFor({ status, code }: LociError): string {
  if (code === 'unreachable')
    return ' Is it running? Start it with npm start, or give another address with --base-url.';
  if (status === 401) {
    return ' Check the key (--api-key, LOCI_API_KEY) or the token (--token, LOCI_TOKEN, LOCI_ADMIN_TOKEN).';
  }
  return '';
}
