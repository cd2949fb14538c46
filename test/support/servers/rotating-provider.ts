import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { startTokenServer, type TokenReply, type TokenRequest, type TokenServer } from './token-server.ts';

/**
 * What a provider does with refresh tokens: keeps them; changes them and takes the old one for a while yet; changes them and
 * revokes the whole grant when an old one comes back.
 */
export const ROTATIONS = ['none', 'grace', 'strict'] as const;
export type Rotation = (typeof ROTATIONS)[number];

/** New tokens that a provider gave: from then on the old ones are worth what its rotation says. */
export type Rotated = { changedMs: number; answeredMs: number | null };

type Grant = { rotation: Rotation; number: number; changedMs: number; isRevoked: boolean; history: Rotated[] };

export type RotatingProvider = {
  server: TokenServer;
  /** A grant of this kind; its name and first refresh token. */
  grant(rotation: Rotation): { name: string; refreshToken: string };
  /** Every time that its tokens changed. */
  historyOf(name: string): readonly Rotated[];
  close(): Promise<void>;
};

export type RotatingOptions = {
  graceMs: number;
  /** How long a request waits before, and after, the tokens change; asked for each. */
  delays: () => { beforeMs: number; afterMs: number };
};

/** A provider with grants of every kind, slow enough to be interrupted. Times are of `performance.now()`. */
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
  // Within the grace an old token gets what the new one is.
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
