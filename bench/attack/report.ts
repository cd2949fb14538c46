import { mebibytes, milliseconds, formatVerdict } from '#bench/statistics.ts';
import type { Attack } from './attack.ts';
import type { Measured } from './measure-attack.ts';

export type Row = { attack: Attack; measured: Measured };

const GOAL_TIMES_IDLE = 3;
const GOAL_STALL_MS = 100;
const GOAL_REQUEST_MIB = 32;
const MIB = 1024 * 1024;
const HEAD = [
  'attack',
  'before',
  'answer',
  'stall of the API, /livez',
  'API, worker',
  'API for each request',
  'p95 of others',
];

/** Formats a table with a row for each attack, and below it the verdicts. */
export function formatReport(idle: Measured, rows: readonly Row[]): string {
  const lines = [
    HEAD,
    HEAD.map(() => '---'),
    ['nothing', '', '', ...figures(idle), ''],
    ...rows.map(({ attack, measured }) => rowOf(attack, measured, idle)),
  ];
  const table = lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
  const verdicts = rows.flatMap(({ attack, measured }) => verdictsOf(attack, measured, idle));
  return [table, '', ...verdicts].join('\n');
}

function rowOf(attack: Attack, measured: Measured, idle: Measured): string[] {
  const times = (measured.p95Ms / idle.p95Ms).toFixed(1);
  const [stall = '', memory = '', p95 = ''] = figures(measured);
  const request = mebibytes(growthOfRequest(attack, measured));
  return [attack.title, attack.before, measured.answer, stall, memory, request, `${p95}, ${times} × idle`];
}

function figures({ stallMs, livezMs, memory, p95Ms }: Measured): string[] {
  return [
    `${Math.round(stallMs)}, ${Math.round(livezMs)} ms`,
    `${mebibytes(memory.api)} (+${mebibytes(memory.api - memory.rested)}), ${mebibytes(memory.worker)}`,
    milliseconds(p95Ms),
  ];
}

function growthOfRequest({ requestsAtOnce }: Attack, { memory }: Measured): number {
  return (memory.api - memory.rested) / requestsAtOnce;
}

function verdictsOf(attack: Attack, measured: Measured, idle: Measured): string[] {
  const of = (what: string) => `${attack.title}: ${what}`;
  const growthMib = growthOfRequest(attack, measured) / MIB;
  const failures =
    measured.failures === 0 ? [] : [of(`${measured.failures} of ${measured.reads} reads of others FAILED`)];
  return [
    formatVerdict(of('p95 of others / idle'), measured.p95Ms / idle.p95Ms, { atMost: GOAL_TIMES_IDLE }),
    formatVerdict(of('stall of the API, ms'), Math.round(measured.stallMs), { atMost: GOAL_STALL_MS }),
    formatVerdict(of('memory of the API for each request, MiB'), Math.round(growthMib), { atMost: GOAL_REQUEST_MIB }),
    ...failures,
  ];
}
