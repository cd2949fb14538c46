import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { Connection } from '#domain/records/connection.ts';
import { TASK_QUEUES } from '#domain/task-queues.ts';
import type { Flow } from '#test/support/harness/flow.ts';
import { startTokenServer, type TokenBehaviour } from '#test/support/servers/token-server.ts';
import { CANARIES } from './canaries.ts';
import type { Scenario } from './scenario.ts';

const { text, download, user } = CANARIES;
const WORKSPACE = defineSearchAttributeKey('LociWorkspace', SearchAttributeType.KEYWORD);
const refreshedTokens = { access_token: download, refresh_token: `${download}-2`, expires_in: 3600 };

type Peer = { behaviour: TokenBehaviour; expires_in?: number };

/** Creates a connection to a token server with this behaviour. */
async function withConnection(
  { api }: Flow,
  { behaviour, ...life }: Peer,
  use: (connectionId: string) => Promise<unknown>,
): Promise<void> {
  const server = await startTokenServer(behaviour);
  try {
    const { id } = await api.post('/connections', Connection, {
      json: {
        integration: user,
        integration_type: 'api',
        config: { oauth: { token_endpoint: server.tokenEndpoint } },
        credentials: { client_id: text, client_secret: text, refresh_token: text, ...life },
      },
      status: 201,
    });
    await use(id);
  } finally {
    await server.close();
  }
}

const refresh = ({ api }: Flow, id: string) => api.send(`/oauth/refresh/${id}`, { method: 'POST' });

/** Scenarios of workflows that refresh tokens. */
export const oauthScenarios: Readonly<Record<string, Scenario>> = {
  'tokens-refreshed': {
    runs: { oauthRefresh: 1 },
    keep: ['oauthRefresh'],
    play: (flow) => withConnection(flow, { behaviour: () => ({ body: refreshedTokens }) }, (id) => refresh(flow, id)),
  },
  'tokens-refused': {
    runs: { oauthRefresh: 1 },
    keep: ['oauthRefresh'],
    play: (flow) =>
      withConnection(
        flow,
        { behaviour: () => ({ status: 400, body: { error: 'invalid_grant', error_description: download } }) },
        (id) => refresh(flow, id),
      ),
  },
  'provider-away': {
    runs: { oauthRefresh: 1 },
    keep: ['oauthRefresh'],
    shows: { oauthRefresh: ['TIMER_FIRED'] },
    play: (flow) => {
      let requests = 0;
      return withConnection(
        flow,
        {
          behaviour: () => {
            requests += 1;
            return requests === 1 ? { status: 503, body: download } : { body: refreshedTokens };
          },
        },
        (id) => refresh(flow, id),
      );
    },
  },
  'tokens-due': {
    runs: { oauthRefresh: 1, refreshDueConnections: 1 },
    keep: ['refreshDueConnections'],
    play: (flow, workflows) =>
      withConnection(flow, { behaviour: () => ({ body: refreshedTokens }), expires_in: 1 }, async (id) => {
        await workflows.execute('refreshDueConnections', {
          workflowId: `refresh-due/${id}`,
          taskQueue: TASK_QUEUES.workflows,
          args: [{ workspace_id: flow.workspaceId }],
          typedSearchAttributes: [{ key: WORKSPACE, value: flow.workspaceId }],
        });
        await refresh(flow, id);
      }),
  },
};
