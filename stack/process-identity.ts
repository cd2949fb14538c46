import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** A process for good: a number that is reused by the system starts at another time. */
export type ProcessIdentity = { pid: number; startedAt: string };

/** When the process with this number started, in the system's own words; null when there is none, or only its remains. */
export function processStartTime(pid: number): string | null {
  return process.platform === 'linux' ? startTimeFromProc(pid) : startTimeFromPs(pid);
}

export function isSameProcess(identity: ProcessIdentity): boolean {
  return processStartTime(identity.pid) === identity.startedAt;
}

/** The program a process runs, e.g. `postgres`; null when there is no such process. */
export function processProgram(pid: number): string | null {
  try {
    if (process.platform === 'linux') return readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
    return execFileSync('ps', ['-o', 'comm=', '-p', String(pid)], { encoding: 'utf8' }).trim();
  } catch {
    return null;
  }
}

/**
 * Ends a process and waits until it is gone: first by `signal`, and when it has not obeyed within `patienceMs` by SIGKILL.
 * A process that is not the same any more is left alone.
 */
export async function endProcess(identity: ProcessIdentity, signal: NodeJS.Signals, patienceMs: number): Promise<void> {
  send(identity, signal);
  // A stopped process takes notice of nothing but SIGKILL until it goes on.
  send(identity, 'SIGCONT');
  const deadline = performance.now() + patienceMs;
  while (isSameProcess(identity) && performance.now() < deadline) await delay(20);
  while (isSameProcess(identity)) {
    send(identity, 'SIGKILL');
    await delay(20);
  }
}

/** Ends what a process that led a group had started and left behind. To be called right after its own end. */
export function killGroup(groupId: number): void {
  if (groupId === 0) return;
  try {
    process.kill(-groupId, 'SIGKILL');
  } catch {
    // Nobody is left in the group.
  }
}

function send(identity: ProcessIdentity, signal: NodeJS.Signals): void {
  if (!isSameProcess(identity)) return;
  try {
    process.kill(identity.pid, signal);
  } catch {
    // It ended between the two lines.
  }
}

function startTimeFromProc(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The second field is the program's name in parentheses and may hold spaces; state is the 3rd, start time the 22nd.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state, startedAt] = [fields[0], fields[19]];
    return state === 'Z' || state === 'X' || startedAt === undefined ? null : startedAt;
  } catch {
    return null;
  }
}

function startTimeFromPs(pid: number): string | null {
  try {
    const line = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim();
    return line === '' || line.startsWith('Z') ? null : line.slice(line.indexOf(' ') + 1).trim();
  } catch {
    return null;
  }
}
