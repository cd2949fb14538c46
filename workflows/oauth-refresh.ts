import { proxyActivities, setCurrentDetails, sleep, workflowInfo } from '@temporalio/workflow';
import {
  runRetryDelayS,
  type SentExchange,
  type ExchangeOutcome,
  type OAuthRefreshArgs,
  type OAuthSteps,
  type RefreshResult,
} from '#domain/connections/oauth-refresh.ts';
import { TASK_QUEUES } from '#domain/task-queues.ts';
import { showStage } from './search-attributes.ts';

/**
 * Refreshes the tokens of a connection: one exchange, whoever asks. First the token is sent and what comes back is written;
 * then it is made sure that it is. While the provider cannot be reached it is tried again, some times; its schedule goes on.
 */
export async function oauthRefresh(args: OAuthRefreshArgs): Promise<RefreshResult> {
  const { workspace_id } = args;
  const { exchangeTokens, persistRefresh } = oauthStepsFor(workspace_id);
  const { runId: run_id } = workflowInfo();
  const show = (doing: string) =>
    setCurrentDetails(`**${doing}**\n\n- connection \`${args.connection_id}\`\n- workspace \`${workspace_id}\``);
  showStage('refreshing');
  for (let tries = 1; ; tries += 1) {
    show(tries === 1 ? 'exchanging the refresh token' : `exchanging the refresh token, try ${tries}`);
    const summary = `Send the refresh token, try ${tries}`;
    const outcome = await exchangeTokens.executeWithOptions({ summary }, [{ ...args, run_id }]);
    const result = isConcluded(outcome)
      ? await persistRefresh.executeWithOptions({ summary: summaryOf(outcome) }, [{ workspace_id, outcome }])
      : outcome;
    const pauseS = result.kind === 'unavailable' ? pauseOf(outcome, tries) : null;
    if (pauseS === null) {
      showStage(result.kind);
      show(describe(outcome, result));
      return result;
    }
    show(`${describe(outcome, result)}; try ${tries + 1} follows in ${pauseS} s`);
    await sleep(`${pauseS}s`, { summary: 'Waits for the provider' });
  }
}

/** Steps are retried without limit while Postgres is away; the provider is this workflow's own business. */
export function oauthStepsFor(workspaceId: string) {
  return proxyActivities<OAuthSteps>({
    taskQueue: TASK_QUEUES.oauth,
    // Metadata, exchange and a database that hangs, each with a limit of its own, fit in: who holds tokens must not be given up.
    startToCloseTimeout: '5m',
    heartbeatTimeout: '10s',
    retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '30s' },
    priority: { fairnessKey: workspaceId },
  });
}

function isConcluded(outcome: ExchangeOutcome): outcome is SentExchange {
  return 'target' in outcome;
}

/** After the second time without an outcome this run sends the token no more. */
function pauseOf(outcome: ExchangeOutcome, tries: number): number | null {
  if (outcome.kind !== 'unavailable') return null;
  if (outcome.is_unknown && outcome.sends >= 2) return null;
  return runRetryDelayS(tries, outcome.retry_after_s);
}

function summaryOf(outcome: SentExchange): string {
  if (outcome.kind === 'tokens') return `Make sure that the tokens of ${outcome.provider} are written`;
  return `Note that it is ${outcome.kind}: ${outcome.code}`;
}

function describe(outcome: ExchangeOutcome, result: RefreshResult): string {
  if (outcome.kind === 'tokens' && result.kind === 'refreshed') {
    const until = outcome.expires_at === null ? 'they do not expire' : `good until ${outcome.expires_at}`;
    return `refreshed with ${outcome.provider}: ${until}${outcome.is_assumed ? ' (assumed)' : ''}`;
  }
  if (result.kind === 'refused') return `refused: ${result.code}; the connection is ${result.status}`;
  return result.kind === 'unavailable' ? `the provider cannot be reached: ${result.code}` : result.kind;
}
