/** Ids, users and times that the examples of all operations share, so that they tell one story. */
export const exampleIds = {
  workspace: '0198c0de-0000-7000-8000-000000000000',
  collection: '0198c0de-0000-7000-8000-000000000001',
  content: '0198c0de-0000-7000-8000-000000000002',
  chunk: '0198c0de-0000-5000-8000-000000000003',
  upload: '0198c0de-0000-7000-8000-000000000004',
  deletion: '0198c0de-0000-7000-8000-000000000005',
  apiKey: '0198c0de-0000-7000-8000-000000000006',
  conversation: '0198c0de-0000-7000-8000-000000000007',
  message: '0198c0de-0000-7000-8000-000000000008',
  reply: '0198c0de-0000-7000-8000-000000000009',
  memory: '0198c0de-0000-7000-8000-00000000000a',
  connection: '0198c0de-0000-7000-8000-00000000000b',
  credential: '0198c0de-0000-7000-8000-00000000000c',
  webhook: '0198c0de-0000-7000-8000-00000000000d',
  delivery: '0198c0de-0000-7000-8000-00000000000e',
  job: '0198c0de-0000-7000-8000-00000000000f',
  reindexing: '0198c0de-0000-7000-8000-000000000010',
  newMemory: '0198c0de-0000-7000-8000-000000000011',
  reembedding: '0198c0de-0000-7000-8000-000000000013',
  request: '0198c0de-0000-7000-8000-000000000012',
  user: 'ada',
} as const;

/** A key as `created_by` names it. */
export const EXAMPLE_KEY = 'api-key/ZOa6iUzqJOh2';
/** When the records of the examples were created, and when they were changed last. */
export const CREATED = '2026-03-02T09:15:00.000Z';
export const UPDATED = '2026-03-02T09:15:04.000Z';
export const CREATED_S = 1772442900;
export const UPDATED_S = 1772442904;
