import { setCurrentDetails, sleep, workflowInfo } from '@temporalio/workflow';
import {
  runRetryDelayS,
  type SentExchange,
  type ExchangeOutcome,
  type OAuthRefreshArgs,
  type RefreshResult,
} from '#domain/connections/oauth-refresh.ts';
import { activityProxiesFor } from './activity-proxies.ts';
import { upsertStage } from './upsert-stage.ts';

/**
 * Refreshes the tokens of a connection with one exchange, however many requests ask for it. The first activity sends the refresh
 * token and writes the answer; the second one makes sure that the answer is written. While the provider is unreachable, the
 * exchange is retried a few times; after that the schedule starts new runs.
 */
export async function oauthRefresh(args: OAuthRefreshArgs): Promise<RefreshResult> {
  const { workspace_id } = args;
  const { oauth } = activityProxiesFor(workspace_id);
  const { runId: run_id } = workflowInfo();
  const show = (doing: string) =>
    setCurrentDetails(`**${doing}**\n\n- connection \`${args.connection_id}\`\n- workspace \`${workspace_id}\``);
  upsertStage('refreshing');
  for (let attempt = 1; ; attempt += 1) {
    show(attempt === 1 ? 'exchanging the refresh token' : `exchanging the refresh token, attempt ${attempt}`);
    const summary = `Send the refresh token, attempt ${attempt}`;
    const outcome = await oauth.exchangeTokens.executeWithOptions({ summary }, [{ ...args, run_id }]);
    const result = isConcluded(outcome)
      ? await oauth.persistRefresh.executeWithOptions({ summary: summaryOf(outcome) }, [{ workspace_id, outcome }])
      : outcome;
    const delayS = result.kind === 'unavailable' ? retryDelayOf(outcome, attempt) : null;
    if (delayS === null) {
      upsertStage(result.kind);
      show(describe(outcome, result));
      return result;
    }
    show(`${describe(outcome, result)}; attempt ${attempt + 1} follows in ${delayS} s`);
    await sleep(`${delayS}s`, { summary: 'Wait for the provider' });
  }
}

function isConcluded(outcome: ExchangeOutcome): outcome is SentExchange {
  return 'target' in outcome;
}

/**
 * Seconds until the next attempt, or null. After two exchanges with an unknown outcome this run does not send the token again.
 */
function retryDelayOf(outcome: ExchangeOutcome, attempt: number): number | null {
  if (outcome.kind !== 'unavailable') return null;
  if (outcome.is_unknown && outcome.sends >= 2) return null;
  return runRetryDelayS(attempt, outcome.retry_after_s);
}

function summaryOf(outcome: SentExchange): string {
  if (outcome.kind === 'tokens') return `Make sure that the tokens of ${outcome.provider} are stored`;
  return `Store the result ${outcome.kind}: ${outcome.code}`;
}

function describe(outcome: ExchangeOutcome, result: RefreshResult): string {
  if (outcome.kind === 'tokens' && result.kind === 'refreshed') {
    const until = outcome.expires_at === null ? 'they do not expire' : `valid until ${outcome.expires_at}`;
    return `refreshed with ${outcome.provider}: ${until}${outcome.is_assumed ? ' (assumed)' : ''}`;
  }
  if (result.kind === 'refused') return `refused: ${result.code}; the connection is ${result.status}`;
  return result.kind === 'unavailable' ? `the provider cannot be reached: ${result.code}` : result.kind;
}
