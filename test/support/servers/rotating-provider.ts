import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { startTokenServer, type TokenReply, type TokenRequest, type TokenServer } from './token-server.ts';

/**
 * How a provider rotates refresh tokens. `none`: they never change. `grace`: they change, and the old one is accepted for a
 * while. `strict`: they change, and use of an old one revokes the whole grant.
 */
export const ROTATIONS = ['none', 'grace', 'strict'] as const;
export type Rotation = (typeof ROTATIONS)[number];

/** One issue of tokens: when the tokens changed, and when the response was sent; null if the client had disconnected. */
export type Rotated = { changedMs: number; answeredMs: number | null };

type Grant = { rotation: Rotation; number: number; changedMs: number; isRevoked: boolean; history: Rotated[] };

export type RotatingProvider = {
  server: TokenServer;
  /** Creates a grant with this rotation. Returns its name and first refresh token. */
  grant(rotation: Rotation): { name: string; refreshToken: string };
  /** All issues of tokens of a grant, in order. */
  historyOf(name: string): readonly Rotated[];
  close(): Promise<void>;
};

export type RotatingOptions = {
  graceMs: number;
  /** Called for each request: how long it waits before and after the tokens change. */
  delays: () => { beforeMs: number; afterMs: number };
};

/** Starts a provider whose requests are slow enough to be interrupted. Times are those of `performance.now()`. */
export async function startRotatingProvider({ graceMs, delays }: RotatingOptions): Promise<RotatingProvider> {
  const grants = new Map<string, Grant>();
  const server = await startTokenServer(async (request) => {
    const { beforeMs, afterMs } = delays();
    await delay(beforeMs);
    const [name = '', number] = (request.parameters['refresh_token'] ?? '').split('.');
    const grant = grants.get(name);
    if (!grant) return refused;
    return answer({ request, name, grant, number: Number(number) }, { graceMs, afterMs });
  });
  return {
    server,
    grant: (rotation) => {
      const name = randomBytes(8).toString('hex');
      grants.set(name, { rotation, number: 0, changedMs: performance.now(), isRevoked: false, history: [] });
      return { name, refreshToken: `${name}.0` };
    },
    historyOf: (name) => grants.get(name)?.history ?? [],
    close: () => server.close(),
  };
}

const refused: TokenReply = { status: 400, body: { error: 'invalid_grant' } };

type Asked = { request: TokenRequest; name: string; grant: Grant; number: number };

async function answer(
  { request, name, grant, number }: Asked,
  { graceMs, afterMs }: { graceMs: number; afterMs: number },
): Promise<TokenReply> {
  const isOld = number !== grant.number;
  const isLate = performance.now() - grant.changedMs > graceMs;
  if (isOld && grant.rotation === 'strict') grant.isRevoked = true;
  if (grant.isRevoked || (isOld && isLate)) return refused;
  // Within the grace period an old token yields the current one.
  if (grant.rotation !== 'none' && !isOld) {
    grant.number += 1;
    grant.changedMs = performance.now();
  }
  const rotated: Rotated = { changedMs: performance.now(), answeredMs: null };
  grant.history.push(rotated);
  await delay(afterMs);
  if (!request.gone.aborted) rotated.answeredMs = performance.now();
  const tokens = { access_token: `at-${randomBytes(6).toString('hex')}`, token_type: 'bearer', expires_in: 3600 };
  const keeps = grant.rotation === 'none';
  return { body: keeps ? tokens : { ...tokens, refresh_token: `${name}.${grant.number}` } };
}
