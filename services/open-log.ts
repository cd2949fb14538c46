import type { Config } from '#config/index.ts';
import { redirectConsoleToLog } from '#observability/console-to-log.ts';
import { createLog, type Log } from '#observability/log.ts';

/** Opens the log of a process, also for what packages print. Its first line names variables that look like settings and are none. */
export function openLog({ logLevel, unknown }: Config, service: 'api' | 'worker'): Log {
  const log = createLog({ level: logLevel, service });
  redirectConsoleToLog(log);
  if (unknown.length > 0) log.warn({ reason: unknown.join(', ') }, 'variables that are no settings have no effect');
  return log;
}
