import type { ProcessRecords } from './process-records.ts';
import type { Ports } from './stack-ports.ts';
import type { StackSecrets } from './stack-secrets.ts';
import type { Log } from './timed-step.ts';

/** What every server of the one-machine stack is described from. */
export type ServerContext = {
  /** Absolute; everything the stack keeps is in it. */
  stateDir: string;
  cacheDir: string;
  ports: Ports;
  secrets: StackSecrets;
  records: ProcessRecords;
  /** The environment of the launcher, where settings are looked up. */
  environment: NodeJS.ProcessEnv;
  /** True for the state of a test run: it need not survive a power cut. */
  isThrowAway: boolean;
  log: Log;
};
