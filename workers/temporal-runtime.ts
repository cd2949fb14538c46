import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import type { Log } from '#observability/log.ts';

const LOOPBACK = '127.0.0.1';
/** Between the search for a free port and its use, another process may take it. */
const ATTEMPTS = 5;
const TIMEOUT_MS = 2_000;

/** Metrics of the SDK, in the Prometheus text format; empty if they cannot be read. */
export type SdkMetrics = () => Promise<string>;

/** Sends the SDK's log lines to our log, leaves process signals to the main file, and returns where its metrics are read. */
export async function installTemporalRuntime(log: Log): Promise<SdkMetrics> {
  for (let attempt = 1; ; attempt += 1) {
    const port = await freePort();
    try {
      Runtime.install({
        logger: createSdkLogger(log),
        shutdownSignals: [],
        telemetryOptions: {
          metrics: {
            prometheus: {
              bindAddress: `${LOOPBACK}:${port}`,
              countersTotalSuffix: true,
              useSecondsForDurations: true,
              unitSuffix: true,
            },
          },
        },
      });
      return () => readMetrics(port);
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
    }
  }
}

/** Expected: queues of activities have no workflows. */
const NO_WORKFLOWS = /^No workflows registered/;

function createSdkLogger(log: Log): DefaultLogger {
  return new DefaultLogger('WARN', ({ level, message, meta }) => {
    if (NO_WORKFLOWS.test(message)) return;
    const fields = { component: 'temporal', ...(meta?.['error'] === undefined ? {} : { error: meta['error'] }) };
    log[level === 'ERROR' ? 'error' : 'warn'](fields, message);
  });
}

/** The exporter of the SDK serves nothing but this page, on this machine only. */
async function readMetrics(port: number): Promise<string> {
  try {
    const response = await fetch(`http://${LOOPBACK}:${port}/metrics`, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    return response.ok ? await response.text() : '';
  } catch {
    return '';
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, LOOPBACK, () => {
      const { port } = server.address() as AddressInfo; // a TCP server that listens has one
      server.close(() => resolve(port));
    });
  });
}
