import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** Identifies a process permanently: a process that reuses the same id has a different start time. */
export type ProcessIdentity = { pid: number; startedAt: string };

/** Returns the start time of a process in the format of the operating system; null if there is none, or only a zombie. */
export function processStartTime(pid: number): string | null {
  return process.platform === 'linux' ? startTimeFromProc(pid) : startTimeFromPs(pid);
}

export function isSameProcess(identity: ProcessIdentity): boolean {
  return processStartTime(identity.pid) === identity.startedAt;
}

/** Returns the name of the program that a process runs, such as `postgres`; null if there is no such process. */
export function programNameOf(pid: number): string | null {
  try {
    if (process.platform === 'linux') return readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
    return execFileSync('ps', ['-o', 'comm=', '-p', String(pid)], { encoding: 'utf8' }).trim();
  } catch {
    return null;
  }
}

/**
 * Stops a process and waits for its exit: first with `signal`, and after `timeoutMs` with SIGKILL.
 * Does nothing if the id now belongs to another process.
 */
export async function stopProcess(identity: ProcessIdentity, signal: NodeJS.Signals, timeoutMs: number): Promise<void> {
  sendSignal(identity, signal);
  // A suspended process handles only SIGKILL until it is resumed.
  sendSignal(identity, 'SIGCONT');
  const deadline = performance.now() + timeoutMs;
  while (isSameProcess(identity) && performance.now() < deadline) await delay(20);
  while (isSameProcess(identity)) {
    sendSignal(identity, 'SIGKILL');
    await delay(20);
  }
}

/** Kills the remaining processes of a group whose leader has exited. Call it right after that exit. */
export function killProcessGroup(groupId: number): void {
  if (groupId === 0) return;
  try {
    process.kill(-groupId, 'SIGKILL');
  } catch {
    // The group is empty.
  }
}

function sendSignal(identity: ProcessIdentity, signal: NodeJS.Signals): void {
  if (!isSameProcess(identity)) return;
  try {
    process.kill(identity.pid, signal);
  } catch {
    // The process exited after the check.
  }
}

function startTimeFromProc(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The second field is the program name in parentheses and may contain spaces. State is the 3rd, start time the 22nd.
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
