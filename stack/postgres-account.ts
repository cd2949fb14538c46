import { userInfo } from 'node:os';
import { readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { runCommand } from './run-command.ts';
import { reasonOf, StackError } from './stack-error.ts';
import type { Log } from './timed-step.ts';

/** Whom PostgreSQL runs as. It refuses to run as root. */
export type PostgresAccount = { uid: number; gid: number };

const NAME = 'postgres';

/**
 * The account for PostgreSQL: null means "whoever runs this"; for root it is the user `postgres`, made when there is none.
 * @throws StackError when root cannot make one
 */
export async function postgresAccount(log: Log): Promise<PostgresAccount | null> {
  if (userInfo().uid !== 0) return null;
  const existing = findAccount();
  if (existing !== null) return existing;
  log(`PostgreSQL: making the system user ${NAME}, because PostgreSQL does not run as root`);
  try {
    await runCommand({
      file: 'useradd',
      args: ['--system', '--user-group', '--no-create-home', '--shell', '/usr/sbin/nologin', NAME],
    });
  } catch {
    // Alpine and other BusyBox systems.
    await runCommand({ file: 'adduser', args: ['-S', '-D', '-H', NAME] }).catch((error: unknown) => {
      throw new StackError(
        `PostgreSQL does not run as root, and the user ${NAME} could not be made: ${reasonOf(error)}\nRun this as another user.`,
      );
    });
  }
  const made = findAccount();
  if (made === null)
    throw new StackError(`PostgreSQL does not run as root, and there is no user ${NAME}. Run this as another user.`);
  return made;
}

/** True when this account may enter every folder on the way to `path`. */
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
    .find((entry) => entry.startsWith(`${NAME}:`));
  const [, , uid, gid] = line?.split(':') ?? [];
  return uid === undefined || gid === undefined ? null : { uid: Number(uid), gid: Number(gid) };
}
