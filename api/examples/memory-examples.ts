import type { MemoryDetail, MemoryRecord } from '#domain/records/memory.ts';
import { CREATED, exampleIds, UPDATED } from './example-ids.ts';
import { lastBoundedPageOf, lastPageOf, type OperationExample } from './operation-example.ts';

const memory: MemoryRecord = {
  memory_id: exampleIds.memory,
  user_id: exampleIds.user,
  memory: 'Prefers tea to coffee.',
  topics: ['drinks'],
  created_at: CREATED,
  updated_at: CREATED,
  metadata: {},
};
const second: MemoryRecord = { ...memory, memory_id: exampleIds.newMemory, memory: 'Rows on Sundays.', topics: [] };
const current = { memory_type: 'user', superseded_by: null, superseded_at: null } as const;
const detail: MemoryDetail = { ...memory, ...current, version: 1 };
const updated: MemoryRecord = { ...memory, topics: ['drinks', 'breakfast'], updated_at: UPDATED };
const replaced: MemoryRecord = { ...memory, memory: 'Prefers coffee by now.', updated_at: UPDATED };
const query = 'what does she drink';

/** Examples of the operations on memories. */
export const memoryExamples = {
  createMemory: {
    body: { user_id: exampleIds.user, memory: 'Prefers tea to coffee.', topics: ['drinks'] },
    response: { memory_id: exampleIds.memory, message: 'Memory created.', memory },
  },
  listMemories: { response: lastBoundedPageOf(detail) },
  createMemories: {
    body: {
      memories: [
        { user_id: exampleIds.user, memory: 'Prefers tea to coffee.', topics: ['drinks'] },
        { user_id: exampleIds.user, memory: 'Rows on Sundays.' },
      ],
    },
    response: {
      results: [
        { index: 0, status: 'created', memory_id: exampleIds.memory, memory },
        { index: 1, status: 'created', memory_id: exampleIds.newMemory, memory: second },
      ],
      created: 2,
      failed: 0,
    },
  },
  searchMemories: {
    body: { query, user_id: exampleIds.user, retrieval_method: 'hybrid', limit: 5 },
    response: {
      memories: [memory],
      total_results: 1,
      query,
      retrieval_method: 'hybrid',
      retrieval_details: { steps: ['hybrid'], model: null, queries: [query], note: null },
    },
  },
  exportMemories: {
    response: `${JSON.stringify({ ...detail, valid_from: CREATED, valid_to: null })}\n`,
  },
  forgetUser: { response: { deletion_id: exampleIds.deletion, status: 'pending' } },
  getMemory: { response: detail },
  updateMemory: {
    body: { user_id: exampleIds.user, topics: ['drinks', 'breakfast'] },
    response: { memory_id: exampleIds.memory, message: 'Memory updated.', memory: updated },
  },
  replaceMemory: {
    body: { user_id: exampleIds.user, memory: 'Prefers coffee by now.', topics: ['drinks'], metadata: {} },
    response: {
      memory_id: exampleIds.memory,
      message: 'Memory replaced.',
      old_memory: memory,
      new_memory: replaced,
    },
  },
  getMemoryHistory: {
    response: {
      memory_id: exampleIds.memory,
      ...lastPageOf(
        { ...replaced, ...current, version: 2, valid_from: UPDATED, valid_to: null },
        { ...detail, valid_from: CREATED, valid_to: UPDATED },
      ),
    },
  },
} satisfies Record<string, OperationExample>;
