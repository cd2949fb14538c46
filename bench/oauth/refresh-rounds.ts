import { Connection } from '#domain/records/connection.ts';
import { RefreshAnswer } from '#domain/records/oauth.ts';
import { freshClient } from '#test/support/harness/api-client.ts';
import { openBehindTheApi } from '#test/support/harness/behind-the-api.ts';
import { startOidcPeer } from '#test/support/servers/oidc-peer.ts';
import type { TestStack } from '#test/support/harness/stack.ts';

export type RoundsOptions = {
  rounds: number;
  callers: number;
  /** API processes, used in turn. */
  baseUrls: readonly string[];
};

export type RoundsResult = {
  rounds: number;
  answers: number;
  tokenRequests: number;
  revokedGrants: number;
  /** Rounds in which the responses had different expiry times. */
  dividedRounds: number;
  /** Rounds with a number of token requests other than one. */
  wrongRounds: number;
  /** Responses other than 200, with status and body. */
  failures: string[];
  elapsedMs: number;
};

/**
 * Refreshes one connection to a provider with strict rotation and reuse detection, with many concurrent callers per round.
 * Between rounds, the time of the last refresh is set back by a minute, because a recent refresh is not repeated.
 */
export async function playRefreshRounds(stack: TestStack, options: RoundsOptions): Promise<RoundsResult> {
  const api = await freshClient();
  const peer = await startOidcPeer();
  const behind = openBehindTheApi(stack);
  const result = { answers: 0, dividedRounds: 0, wrongRounds: 0, failures: [] as string[] };
  const startedMs = performance.now();
  try {
    const { id } = await api.post('/connections', Connection, {
      json: {
        integration: 'oidc',
        integration_type: 'connectors',
        config: { oauth: { issuer: peer.issuer } },
        credentials: { ...peer.client, refresh_token: await peer.grant() },
      },
      status: 201,
    });
    for (let round = 1; round <= options.rounds; round += 1) {
      const before = peer.tokenRequests();
      const answers = await Promise.all(
        Array.from({ length: options.callers }, (_, caller) => {
          const baseUrl = options.baseUrls[caller % options.baseUrls.length] ?? stack.baseUrl;
          return refresh(`${baseUrl}/api/v1/oauth/refresh/${id}`, api.key);
        }),
      );
      const ends = new Set(answers.map(({ expiresAt }) => expiresAt));
      result.answers += answers.length;
      result.failures.push(...answers.flatMap(({ failure }) => failure ?? []));
      if (ends.size !== 1 || ends.has(null)) result.dividedRounds += 1;
      if (peer.tokenRequests() !== before + 1) result.wrongRounds += 1;
      await behind.query(
        `update credentials set last_refresh_at = last_refresh_at - interval '1 minute'
         where id = (select credential_id from connections where id = :id)`,
        { id },
      );
    }
    const counts = { tokenRequests: peer.tokenRequests(), revokedGrants: peer.revokedGrants() };
    return { ...result, ...counts, rounds: options.rounds, elapsedMs: performance.now() - startedMs };
  } finally {
    await behind.close();
    await peer.close();
  }
}

type Answer = { expiresAt: string | null; failure: string | null };

async function refresh(url: string, key: string): Promise<Answer> {
  const response = await fetch(url, { method: 'POST', headers: { 'X-API-Key': key } });
  const body: unknown = await response.json();
  if (response.status !== 200) return { expiresAt: null, failure: `${response.status} ${JSON.stringify(body)}` };
  return { expiresAt: RefreshAnswer.parse(body).expires_at, failure: null };
}

/** Formats the figures. */
export function formatRoundReport(result: RoundsResult): string[] {
  const { rounds, answers, tokenRequests, revokedGrants, dividedRounds, wrongRounds, failures, elapsedMs } = result;
  return [
    `rounds           ${rounds}, ${answers / rounds} callers each, in ${(elapsedMs / 1000).toFixed(1)} s`,
    `token requests   ${tokenRequests} (goal: one per round; rounds with another number: ${wrongRounds})`,
    `grants revoked   ${revokedGrants} (goal: 0)`,
    `mixed expiry     ${dividedRounds} rounds with different expiry times (goal: 0)`,
    `failures         ${failures.length} of ${answers} responses (goal: 0)`,
    ...failures.slice(0, 5),
  ];
}

/** Lists missed goals. */
export function listRoundFindings(result: RoundsResult): string[] {
  const { revokedGrants, dividedRounds, wrongRounds, failures } = result;
  return [
    ...(wrongRounds > 0 ? [`${wrongRounds} rounds with a number of token requests other than one`] : []),
    ...(revokedGrants > 0 ? [`${revokedGrants} grants were revoked`] : []),
    ...(dividedRounds > 0 ? [`${dividedRounds} rounds with different expiry times`] : []),
    ...(failures.length > 0 ? [`${failures.length} responses other than 200`] : []),
  ];
}
