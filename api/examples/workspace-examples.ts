import type { ApiKey } from '#domain/records/api-key.ts';
import type { Reindexing } from '#domain/records/reindexing.ts';
import type { Workspace, WorkspaceMember } from '#domain/records/workspace.ts';
import { CREATED, EXAMPLE_KEY, exampleIds, UPDATED } from './example-ids.ts';
import { lastPageOf, type OperationExample } from './operation-example.ts';

const SECRET = 'loci_ZOa6iUzqJOh2_XgNuiWHm8LuW64rk5fPevxBkDwHffvoPODENfqJAS8k12IqXZ';
const NEW_SECRET = 'loci_ZOa6iUzqJOh2_m3Qd7TtYVb2cUeK9sHnR4wLxAfGzP0oJi8BuNy5EkMv1WqCrS';

const workspace: Workspace = { id: exampleIds.workspace, name: 'Support', created_at: CREATED, updated_at: CREATED };

const key: ApiKey = {
  id: exampleIds.apiKey,
  key: 'ZOa6iUzqJOh2',
  label: 'search page',
  workspace_id: exampleIds.workspace,
  created_at: CREATED,
  updated_at: CREATED,
  hashed_secret: '4c1b6f0b2d2f1a0d9f7a5f6e3c8b7d1e0a9f8e7d6c5b4a39281706f5e4d3c2b1',
  secret: null,
  status: 'active',
  last_used_at: null,
  expires_at: null,
  permissions: ['collections:read'],
  ip_whitelist: ['203.0.113.0/24'],
  collections: null,
  created_by: EXAMPLE_KEY,
};
const everything: ApiKey = { ...key, permissions: ['*'], ip_whitelist: null };

const member: WorkspaceMember = {
  workspace_id: exampleIds.workspace,
  user_id: exampleIds.user,
  role: 'member',
  created_by: EXAMPLE_KEY,
  created_at: CREATED,
  updated_at: CREATED,
};

const reindexing: Reindexing = {
  id: exampleIds.reindexing,
  workspace_id: exampleIds.workspace,
  status: 'pending',
  total_contents: 1,
  contents: 0,
  skipped_contents: 0,
  rejected_contents: [],
  chunks: 0,
  total_memories: 2,
  memories: 0,
  workflow_id: `reindex/${exampleIds.reindexing}`,
  created_at: CREATED,
  updated_at: CREATED,
  completed_at: null,
};

/** Examples of the operations on workspaces, their members and API keys. */
export const workspaceExamples = {
  listApiKeys: { response: { ...lastPageOf(key), page: 1, limit: 100, next_page: null } },
  createApiKey: {
    body: {
      label: 'search page',
      permissions: ['collections:read'],
      ip_whitelist: ['203.0.113.0/24'],
    },
    response: { ...key, secret: SECRET },
  },
  getApiKey: { response: { ...key, last_used_at: UPDATED } },
  updateApiKey: {
    body: { label: 'search page and app', permissions: ['collections:read', 'contents:read'] },
    response: { ...key, label: 'search page and app', permissions: ['collections:read', 'contents:read'] },
  },
  rotateApiKey: { response: { ...key, secret: NEW_SECRET, updated_at: UPDATED } },
  createWorkspace: {
    body: { name: 'Support' },
    response: {
      ...workspace,
      api_key: { ...everything, label: 'first key', secret: SECRET, created_by: 'administrator' },
    },
  },
  listWorkspaces: { response: lastPageOf(workspace) },
  getWorkspace: { response: workspace },
  updateWorkspace: {
    body: { name: 'Support and sales' },
    response: { ...workspace, name: 'Support and sales', updated_at: UPDATED },
  },
  deleteWorkspace: { response: { deletion_id: exampleIds.deletion, status: 'pending' } },
  reindexWorkspace: { response: reindexing },
  getReindexing: {
    response: {
      ...reindexing,
      status: 'completed',
      contents: 1,
      chunks: 12,
      memories: 2,
      updated_at: UPDATED,
      completed_at: UPDATED,
    },
  },
  createWorkspaceKey: {
    body: { label: 'the way back', permissions: ['*'] },
    response: { ...everything, label: 'the way back', secret: SECRET, created_by: 'administrator' },
  },
  addMember: { body: { user_id: exampleIds.user, role: 'member' }, response: member },
  listMembers: { response: lastPageOf(member) },
} satisfies Record<string, OperationExample>;
