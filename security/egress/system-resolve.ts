import { Resolver, lookup } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import pLimit from 'p-limit';

/**
 * Resolves a host name to all its addresses, IPv4 and IPv6. `signal` ends the search.
 * @throws Error with a code of `node:dns`.
 */
export type Resolve = (hostname: string, signal: AbortSignal) => Promise<readonly string[]>;

export type ResolveOptions = {
  /** Name servers; those of the machine by default. */
  servers?: readonly string[];
  /** How long each of the `TRIES` may take. */
  timeoutMs?: number;
  hostsFile?: string;
};

const TIMEOUT_MS = 3_000;
const TRIES = 2;
/** Look-ups by the operating system at the same time; it has four threads for these and for files. */
const LOCAL_AT_ONCE = 2;
const HOSTS_FILE = '/etc/hosts';

/**
 * Creates the name resolution for names that users send. It asks the name servers itself: the resolver of the operating system
 * occupies one of the few threads of the process until it gives up, so a dozen names whose servers never answer would stop all
 * file access and all other look-ups. `/etc/hosts` comes first, as usual. Names without a dot, and names that the servers answer do
 * not exist, may be local ones, which only the operating system can complete (search domains, `.local`); so few at a time
 * that the others of its threads stay free.
 */
export function createSystemResolve(options: ResolveOptions = {}): Resolve {
  const { servers, timeoutMs = TIMEOUT_MS, hostsFile = HOSTS_FILE } = options;
  return async (hostname, signal) => {
    const name = hostname.replace(/\.$/, '').toLowerCase();
    const listed = await addressesInHosts(hostsFile, name);
    if (listed.length > 0) return listed;
    if (!name.includes('.')) return resolveLocally(name, signal);
    // One resolver for each name, because cancelling ends all its queries.
    const resolver = new Resolver({ timeout: timeoutMs, tries: TRIES });
    if (servers !== undefined) resolver.setServers(servers);
    const cancel = () => resolver.cancel();
    signal.throwIfAborted();
    signal.addEventListener('abort', cancel, { once: true });
    try {
      return await resolveBoth(resolver, name);
    } catch (error) {
      if (!isAbsence(error) || servers !== undefined) throw error;
      return await resolveLocally(name, signal);
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  };
}

const localSlots = pLimit(LOCAL_AT_ONCE);

/** @throws Error of `node:dns`. The operating system cannot be stopped while it searches. */
async function resolveLocally(name: string, signal: AbortSignal): Promise<string[]> {
  const found = await localSlots(() => {
    signal.throwIfAborted();
    return lookup(name, { all: true, verbatim: true });
  });
  return found.map(({ address }) => address);
}

/** Asks for both kinds of addresses; a name may have only one of them. */
async function resolveBoth(resolver: Resolver, name: string): Promise<string[]> {
  const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  if (addresses.length > 0) return addresses;
  const reasons = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason as unknown] : []));
  // A server that did not answer for one kind says nothing about the name.
  throw reasons.find((reason) => !isAbsence(reason)) ?? reasons[0];
}

function isAbsence(reason: unknown): boolean {
  return reason instanceof Error && 'code' in reason && (reason.code === 'ENOTFOUND' || reason.code === 'ENODATA');
}

/** The addresses of a name in a hosts file. Read each time: it is small, in the cache of the system, and may change. */
async function addressesInHosts(path: string, name: string): Promise<string[]> {
  const text = await readFile(path, 'utf8').catch(() => '');
  return text.split('\n').flatMap((line) => {
    const [address, ...names] = line.replace(/#.*/, '').trim().toLowerCase().split(/\s+/);
    return address !== undefined && names.includes(name) ? [address] : [];
  });
}
