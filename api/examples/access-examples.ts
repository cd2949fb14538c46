import type { CurrentCaller } from '#domain/records/access/current-caller.ts';
import { EXAMPLE_KEY, exampleIds, UPDATED } from './example-ids.ts';
import type { OperationExample } from './operation-example.ts';

const caller: CurrentCaller = {
  principal: EXAMPLE_KEY,
  user_id: null,
  workspace_id: exampleIds.workspace,
  workspace_ids: [exampleIds.workspace],
  permissions: ['collections:read', 'contents:read'],
  collections: [exampleIds.collection],
  writable_collections: [exampleIds.collection],
  api_key: { id: exampleIds.apiKey, label: 'search page', expires_at: null, last_used_at: UPDATED },
};

/** Examples of the operations about the caller itself. */
export const accessExamples = {
  getCurrentCaller: { response: caller },
} satisfies Record<string, OperationExample>;
