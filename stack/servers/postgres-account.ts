import { userInfo } from 'node:os';
import { readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { runCommand } from '#stack/processes/run-command.ts';
import { reasonOf, StackError } from '#stack/stack-error.ts';
import type { Log } from '#stack/timed-step.ts';

/** The account that runs PostgreSQL, which refuses to run as root. */
export type PostgresAccount = { uid: number; gid: number };

const ACCOUNT_NAME = 'postgres';

/**
 * Returns the account for PostgreSQL: null for the current user; for root, the user `postgres`, created if it is missing.
 * @throws StackError if the user cannot be created, or the current one has no name
 */
export async function findOrCreatePostgresAccount(log: Log): Promise<PostgresAccount | null> {
  if (currentUserId() !== 0) return null;
  const existing = findAccount();
  if (existing !== null) return existing;
  log(`PostgreSQL: creating the system user ${ACCOUNT_NAME}, because PostgreSQL does not run as root`);
  try {
    await runCommand({
      file: 'useradd',
      args: ['--system', '--user-group', '--no-create-home', '--shell', '/usr/sbin/nologin', ACCOUNT_NAME],
    });
  } catch {
    // Alpine and other BusyBox systems.
    await runCommand({ file: 'adduser', args: ['-S', '-D', '-H', ACCOUNT_NAME] }).catch((error: unknown) => {
      throw new StackError(
        `PostgreSQL does not run as root, and the user ${ACCOUNT_NAME} could not be created: ${reasonOf(error)}\nRun this as another user.`,
      );
    });
  }
  const created = findAccount();
  if (created === null)
    throw new StackError(
      `PostgreSQL does not run as root, and there is no user ${ACCOUNT_NAME}. Run this as another user.`,
    );
  return created;
}

/** @throws StackError if the system has no name for the user, as in containers with an id of their own: `initdb` does not run then */
function currentUserId(): number {
  try {
    return userInfo().uid;
  } catch (error) {
    throw new StackError(
      [
        `PostgreSQL does not run as the user id ${process.getuid?.()}, which has no name on this system (/etc/passwd).`,
        'Give it a name, run this as another user, or set LOCI_DATABASE_URL to a running PostgreSQL 18.',
      ].join('\n'),
      { cause: error },
    );
  }
}

/** Returns true if the account may enter every parent folder of `path`. */
export function canReach(account: PostgresAccount, path: string): boolean {
  let folder = path;
  while (folder !== dirname(folder)) {
    folder = dirname(folder);
    const { mode, uid, gid } = statSync(folder);
    const enterBit = uid === account.uid ? 0o100 : gid === account.gid ? 0o010 : 0o001;
    if ((mode & enterBit) === 0) return false;
  }
  return true;
}

function findAccount(): PostgresAccount | null {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((entry) => entry.startsWith(`${ACCOUNT_NAME}:`));
  const [, , uid, gid] = line?.split(':') ?? [];
  return uid === undefined || gid === undefined ? null : { uid: Number(uid), gid: Number(gid) };
}
