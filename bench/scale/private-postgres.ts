import { randomBytes, randomUUID } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepareApplicationRole } from '#migrations/application-role.ts';
import { migrationSource } from '#migrations/source.ts';
import { createProcessRecords } from '#stack/processes/process-records.ts';
import { createLocalPostgres } from '#stack/servers/local-postgres.ts';
import { freePorts } from '#stack/stack-ports.ts';
import { loadOrCreateStackSecrets } from '#stack/stack-secrets.ts';
import { lockStateFolder, removeStateFolder } from '#stack/state-folder.ts';
import { createPostgres, type Database } from '#store/postgres.ts';

/** `owner`: of the tables. `application`: as API and workers connect, behind the policies of the tables. */
export type PrivatePostgres = { owner: Database; application: Database };

/** Starts a PostgreSQL with a folder and a port of its own and the current schema, runs `use`, and removes both. */
export async function withPrivatePostgres<Result>(
  use: (postgres: PrivatePostgres) => Promise<Result>,
): Promise<Result> {
  const stateDir = join(realpathSync(tmpdir()), `loci-scale-${randomBytes(6).toString('hex')}`);
  const log = (line: string) => console.error(line);
  const lock = await lockStateFolder(stateDir, log);
  const server = await createLocalPostgres({
    stateDir,
    cacheDir: stateDir,
    ports: await freePorts(),
    secrets: loadOrCreateStackSecrets(stateDir),
    records: createProcessRecords(stateDir, randomUUID()),
    environment: process.env,
    isTemporary: true,
    log,
  });
  try {
    await server.process.start();
    const owner = createPostgres({
      url: server.ownerUrl,
      poolSize: 1,
      applicationName: 'loci-bench',
      statementTimeoutMs: 0,
    });
    const application = createPostgres({
      url: server.databaseUrl,
      poolSize: 2,
      applicationName: 'loci-bench',
      statementTimeoutMs: 0,
    });
    try {
      await owner.migrate.latest({ migrationSource });
      await prepareApplicationRole(server.ownerUrl, server.databaseUrl);
      return await use({ owner, application });
    } finally {
      await application.destroy();
      await owner.destroy();
    }
  } finally {
    await server.process.stop();
    lock.release();
    removeStateFolder(stateDir);
  }
}
