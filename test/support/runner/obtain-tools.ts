import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { acquireServer } from '#stack/acquire/acquire-server.ts';
import { StackError } from '#stack/stack-error.ts';
import { HELM } from './helm.ts';
import { obtainPostgresTools } from './postgres-tools.ts';

/**
 * Obtains the programs that only some tests run, once for each machine, and names them in the environment of the tests. Where one
 * cannot be had, the reason is printed, and its tests are skipped.
 */
export async function obtainTools(environment: NodeJS.ProcessEnv): Promise<void> {
  const log = (line: string) => console.log(line);
  const cacheDir = resolve(environment['LOCI_CACHE_DIR'] || join(homedir(), '.cache', 'loci'));
  await obtainPostgresTools({ cacheDir, environment, log });
  try {
    environment[HELM.binarySetting] = await acquireServer(HELM, { cacheDir, environment, log });
  } catch (error) {
    if (!(error instanceof StackError)) throw error;
    log(`--- the tests of the Helm chart are skipped: ${error.message}`);
  }
}
