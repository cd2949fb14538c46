import type { Command } from '@commander-js/extra-typings';
import { printable } from '../printable.ts';
import type { Shell } from '../shell.ts';

/** A client shows an error after a while; the service may be starting until then. */
const RETRIES = 2;

/** `loci mcp` */
export function addMcp(program: Command, shell: Shell): void {
  program
    .command('mcp')
    .description('Serve the Model Context Protocol over stdio, for clients that start a command')
    .action(async () => {
      const loci = shell.openClient({ retries: RETRIES });
      const { stdin: input, stdout: output } = process;
      const { signal } = shell;
      // Standard output belongs to the protocol.
      const onProblem = ({ detail }: { detail: string }) => console.error(`loci: ${printable(detail)}`);
      await loci.relayMcp({ input, output, signal, onProblem });
    });
}
