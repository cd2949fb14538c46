import type { Connection } from '#domain/records/connection.ts';
import type { OAuthClient, RefreshState } from '#domain/records/oauth.ts';
import type { ProviderModel } from '#domain/records/provider-model.ts';
import { CREATED, EXAMPLE_KEY, exampleIds, UPDATED } from './example-ids.ts';
import { lastPageOf, type OperationExample } from './operation-example.ts';

const EXPIRES = '2026-03-02T10:15:04.000Z';

const connection: Connection = {
  id: exampleIds.connection,
  integration: 'github',
  integration_type: 'connectors',
  credential_id: exampleIds.credential,
  user_id: exampleIds.user,
  workspace_id: exampleIds.workspace,
  created_by: EXAMPLE_KEY,
  status: 'active',
  created_at: CREATED,
  updated_at: UPDATED,
  label: 'Documentation repositories',
  config: { organization: 'example' },
};

const client: OAuthClient = {
  client_id: 'Iv1.8a61f9b3a7aba766',
  scope: 'repo read:user',
  provider: 'github',
  has_secret: true,
  created_at: CREATED,
  updated_at: CREATED,
};

const model: ProviderModel = {
  id: 'text-embedding-3-small',
  name: 'Text Embedding 3 Small',
  provider: 'openai',
  type: 'embedding',
  context_window: 8192,
  max_output_tokens: null,
  modalities: { input: ['text'], output: ['embedding'] },
  capabilities: [],
  pricing: { input: 0.02, output: 0, currency: 'USD' },
  release_date: '2024-01-25',
  status: 'active',
};

const expired: RefreshState = {
  connection_id: exampleIds.connection,
  status: 'expired',
  can_refresh: true,
  expires_at: EXPIRES,
  expires_assumed: false,
  last_refresh_at: UPDATED,
  next_refresh_at: null,
  problem: {
    code: 'invalid_grant',
    detail:
      'The provider refused the refresh token (invalid_grant). The user must authorize the connection again, or send new credentials.',
    failures: 1,
  },
};

/** Examples of the operations on connections, OAuth and integrations. */
export const connectionExamples = {
  createConnection: {
    body: {
      integration: 'github',
      integration_type: 'connectors',
      label: 'Documentation repositories',
      config: { organization: 'example' },
      user_id: exampleIds.user,
      credentials: {
        access_token: 'gho_16C7e42F292c6912E7710c838347Ae178B4a',
        refresh_token: 'ghr_1B4a2e77838347a7E420',
      },
    },
    response: connection,
  },
  listConnections: { response: lastPageOf({ ...connection, status: 'expired', token_state: expired }) },
  getConnection: {
    response: { ...connection, credentials: { access_token: '********', refresh_token: '********' } },
  },
  updateConnection: {
    body: { label: 'All repositories', status: 'inactive' },
    response: { ...connection, label: 'All repositories', status: 'inactive' },
  },
  refreshOAuthToken: {
    response: { status: 'active', connection_id: exampleIds.connection, expires_at: EXPIRES },
  },
  getRefreshState: { response: expired },
  authorizeConnection: {
    body: { redirect_url: 'https://app.example.com/connected' },
    response: {
      connection_id: exampleIds.connection,
      authorization_url:
        'https://github.com/login/oauth/authorize?response_type=code&client_id=Iv1.8a61f9b3a7aba766&state=Z7hUxq0vYkM',
      expires_at: '2026-03-02T09:25:00.000Z',
    },
  },
  authorizationCallback: {
    response:
      '<!doctype html><html lang="en"><meta charset="utf-8"><title>Connected</title><h1>Connected</h1>' +
      '<p>The connection is ready. You can close this page.</p></html>',
  },
  listOAuthProviders: {
    response: {
      data: [
        {
          name: 'github',
          title: 'GitHub',
          authorization_endpoint: 'https://github.com/login/oauth/authorize',
          token_endpoint: 'https://github.com/login/oauth/access_token',
          client_auth: 'post',
          pkce: true,
        },
      ],
      total_count: 1,
    },
  },
  listOAuthClients: { response: { data: [client], total_count: 1 } },
  putOAuthClient: {
    body: {
      client_id: 'Iv1.8a61f9b3a7aba766',
      client_secret: '0f1d2c3b4a5968778695a4b3c2d1e0f0a1b2c3d4',
      scope: 'repo read:user',
    },
    response: client,
  },
  listModelProviders: {
    response: {
      data: [
        {
          id: 'openai',
          name: 'OpenAI',
          documentation_url: 'https://platform.openai.com/docs/models',
          model_count: 45,
          model_types: ['chat', 'embedding'],
        },
      ],
      total_count: 1,
    },
  },
  listProviderModels: { response: { data: [model], total_count: 1 } },
} satisfies Record<string, OperationExample>;
