import type { z } from 'zod';
import { startFlow } from '#test/support/harness/flow.ts';
import { testStack } from '#test/support/harness/stack.ts';
import type { InstalledCommand } from './installed-command.ts';

/** Runs the installed command in a new workspace; `json` adds `--json` and parses the output. */
export async function startCommandOf(installed: InstalledCommand) {
  const flow = await startFlow();
  const { baseUrl, adminToken } = testStack();
  const environment = { LOCI_URL: baseUrl, LOCI_API_KEY: flow.key, LOCI_ADMIN_TOKEN: adminToken };
  const run = (...args: string[]) => installed.run(args, { environment });
  return {
    ...flow,
    environment,
    run,
    async json<S extends z.ZodType>(schema: S, ...args: string[]): Promise<z.output<S>> {
      const { code, stdout, stderr } = await run(...args, '--json');
      if (code !== 0) throw new Error(`loci ${args.join(' ')} ended with ${code}: ${stderr}`);
      return schema.parse(JSON.parse(stdout));
    },
  };
}
