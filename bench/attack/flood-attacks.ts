import { ApiKey } from '#domain/records/api-key.ts';
import { milliseconds, percentile } from '#bench/statistics.ts';
import type { Attack } from './attack.ts';
import { tally, type Answer, type Sent } from './target.ts';

const ATTACK_MS = 10_000;
const AT_ONCE = 16;
const KEYS = 20;

/** Requests per minute: fewer than by default, so that a flood of ten seconds exceeds them. */
export const FLOOD_LIMITS = {
  LOCI_RATE_LIMIT_PER_MINUTE: '1500',
  LOCI_WORKSPACE_RATE_LIMIT_PER_MINUTE: '2000',
} as const;

/** As many requests as sixteen connections get answered. */
export const floodAttacks: Attack[] = [
  {
    title: 'a flood over 20 keys of a workspace',
    group: 'flood',
    before: 'a limit for each key, none for all',
    requestsAtOnce: AT_ONCE,
    prepare: async (target) => {
      const mint = () => target.call('/api-keys', ApiKey, { json: { permissions: ['*'] } });
      const keys = (await Promise.all(Array.from({ length: KEYS }, mint))).map(({ secret }) => secret ?? '');
      return () => flood((number) => target.send('/collections', { key: keys[number % KEYS] ?? '' }));
    },
  },
  {
    title: 'a flood of /oauth/callback without credentials',
    group: 'flood',
    before: 'no limit',
    requestsAtOnce: AT_ONCE,
    prepare: async (target) => () => {
      const anonymous: Sent = { key: null };
      return flood(() => target.send('/oauth/callback?state=unknown&code=x', anonymous));
    },
  },
];

async function flood(send: (number: number) => Promise<Answer>): Promise<string> {
  const untilMs = performance.now() + ATTACK_MS;
  const answers: Answer[] = [];
  const attack = async () => {
    while (performance.now() < untilMs) answers.push(await send(answers.length));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, attack));
  const times = answers.map(({ elapsedMs }) => elapsedMs);
  return `${tally(answers)}, p95 ${milliseconds(percentile(times, 0.95))}`;
}
