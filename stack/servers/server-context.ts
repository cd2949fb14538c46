import type { ProcessRecords } from '#stack/processes/process-records.ts';
import type { Ports } from '#stack/stack-ports.ts';
import type { StackSecrets } from '#stack/stack-secrets.ts';
import type { Log } from '#stack/timed-step.ts';

/** Everything that is needed to create a server of the one-machine stack. */
export type ServerContext = {
  /** Absolute path of the folder that contains all state. */
  stateDir: string;
  cacheDir: string;
  ports: Ports;
  secrets: StackSecrets;
  records: ProcessRecords;
  /** Environment of the launcher; settings are read from it. */
  environment: NodeJS.ProcessEnv;
  /** True for test runs: the state need not survive a power failure. */
  isTemporary: boolean;
  log: Log;
};
