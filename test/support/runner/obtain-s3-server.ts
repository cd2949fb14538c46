import { acquireServer } from '#stack/acquire/acquire-server.ts';
import { StackError } from '#stack/stack-error.ts';
import { VERSITYGW } from '#stack/versions.ts';
import { testCacheDir, testEnvironment } from './test-run-stack.ts';

/** Obtains the S3 server that some tests start. On a machine where it cannot be had, they are skipped. */
export async function obtainS3Server(log: (line: string) => void): Promise<void> {
  try {
    await acquireServer(VERSITYGW, { cacheDir: testCacheDir, environment: testEnvironment, log });
  } catch (error) {
    if (!(error instanceof StackError)) throw error;
    log(`--- the tests of S3 are skipped: ${error.message}`);
  }
}
