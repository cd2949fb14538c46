import { TASK_QUEUES } from './task-queues.ts';

export type QueueName = keyof typeof TASK_QUEUES;

/** What a worker runs: tasks of each queue at the same time, 0 for queues that it leaves to others, and the periodic tasks. */
export type WorkerSlots = { queues: Readonly<Record<QueueName, number>>; hasLoops: boolean };

/**
 * Tasks at the same time by default. Those of `ingest` and `express` share child processes and the embedder by workspace and
 * lane: a workspace gets a slot when the time slice of another one ends. Four time slices keep a worker busy; with more, one worker
 * would hold what others have room for.
 */
const DEFAULT_SLOTS: Readonly<Record<QueueName, number>> = {
  workflows: 20,
  download: 12,
  express: 8,
  ingest: 4,
  // Each holds as many responses as it waits for, on disk instead of in memory.
  crawl: 24,
  oauth: 40,
  index: 6,
  compress: 4,
  conversations: 4,
  upkeep: 10,
  webhooks: 20,
};
/** More workflows at the same time than are kept in memory would lose them between their tasks, and the SDK needs two. */
export const MAX_WORKFLOW_SLOTS = 200;
const MIN_WORKFLOW_SLOTS = 2;
const MAX_SLOTS = 1_000;
const LOOPS = 'loops';
/**
 * A queue that was part of another one in earlier releases. Lists from then do not name it, and must not leave it without a worker: who
 * lists the one runs the other as well, unless the list says otherwise.
 */
const SPLIT_OFF = { queue: 'conversations', from: 'upkeep' } as const;

/** What a worker runs that was told nothing else: everything. */
export const ALL_SLOTS: WorkerSlots = { queues: DEFAULT_SLOTS, hasLoops: true };

/**
 * Reads a list of `queue` or `queue:slots`, and `loops`: a worker runs what is listed, and nothing else. Only `upkeep` brings
 * `conversations` along, unless that is listed itself, with 0 slots to leave it to others.
 * @returns the slots, or what is wrong with the list
 */
export function parseWorkerSlots(entries: readonly string[]): WorkerSlots | { problem: string } {
  if (entries.length === 0) return ALL_SLOTS;
  const none = Object.fromEntries(Object.keys(TASK_QUEUES).map((name) => [name, 0]));
  const queues = none as Record<QueueName, number>; // built from all its keys just now
  let hasLoops = false;
  const listed = new Set<string>();
  for (const entry of entries) {
    const [name = '', ...slots] = entry.split(':');
    if (listed.has(name))
      return { problem: `lists '${name}' twice: list it once, with the number of slots that it needs` };
    listed.add(name);
    if (entry === LOOPS) {
      hasLoops = true;
    } else if (!isQueue(name)) {
      return { problem: `names an unknown queue '${name}': use ${[...Object.keys(TASK_QUEUES), LOOPS].join(', ')}` };
    } else {
      const { min, max } = boundsOf(name);
      const count = slots.length === 0 ? DEFAULT_SLOTS[name] : readCount(slots.join(':'));
      if (count === null || count < min || count > max)
        return { problem: `needs a number of slots from ${min} to ${max} after the colon of '${entry}'` };
      queues[name] = count;
    }
  }
  const { queue, from } = SPLIT_OFF;
  if (!listed.has(queue)) queues[queue] = Math.min(DEFAULT_SLOTS[queue], queues[from]);
  else if (queues[queue] === 0 && queues[from] === 0)
    return { problem: `lists '${queue}:0', which only says something beside '${from}': leave it out` };
  return { queues, hasLoops };
}

function boundsOf(name: QueueName): { min: number; max: number } {
  if (name === 'workflows') return { min: MIN_WORKFLOW_SLOTS, max: MAX_WORKFLOW_SLOTS };
  return { min: name === SPLIT_OFF.queue ? 0 : 1, max: MAX_SLOTS };
}

/** Returns a number in plain decimal digits; null for anything else, which `Number` may take for one. */
function readCount(text: string): number | null {
  return /^\d{1,9}$/.test(text) ? Number(text) : null;
}

/** Returns the list that these slots are read from. */
export function describeSlots({ queues, hasLoops }: WorkerSlots): string {
  const isLeftOut = (name: string) => name === SPLIT_OFF.queue && queues[SPLIT_OFF.from] > 0;
  const used = Object.entries(queues).filter(([name, slots]) => slots > 0 || isLeftOut(name));
  return [...used.map(([name, slots]) => `${name}:${slots}`), ...(hasLoops ? [LOOPS] : [])].join(',');
}

function isQueue(name: string): name is QueueName {
  return Object.hasOwn(TASK_QUEUES, name);
}
