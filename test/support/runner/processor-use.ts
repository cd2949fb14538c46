import { cpus } from 'node:os';

/** Starts measuring; the function returns which part of all processor time of the machine was in use since, from 0 to 1. */
export function startProcessorUse(): () => number {
  const before = processorTimes();
  return () => {
    const now = processorTimes();
    return (now.busy - before.busy) / Math.max(1, now.busy - before.busy + now.idle - before.idle);
  };
}

function processorTimes(): { busy: number; idle: number } {
  const sum = { busy: 0, idle: 0 };
  for (const { times } of cpus()) {
    sum.busy += times.user + times.nice + times.sys + times.irq;
    sum.idle += times.idle;
  }
  return sum;
}
