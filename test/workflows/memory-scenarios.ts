import { Deletion, DeletionAccepted } from '#domain/records/deletion.ts';
import { MemoryAnswer } from '#domain/records/memory.ts';
import { until } from '#test/support/harness/eventually.ts';
import { CANARIES } from './canaries.ts';
import type { Scenario } from './scenario.ts';

const { text: memory, user: user_id } = CANARIES;

export const memoryScenarios: Record<string, Scenario> = {
  'user-forgotten': {
    runs: { forgetUser: 1 },
    keep: ['forgetUser'],
    play: async ({ api }) => {
      await api.post('/memories', MemoryAnswer, { json: { user_id, memory }, status: 201 });
      const path = `/memories?user_id=${user_id}`;
      const { deletion_id } = await api.get(path, DeletionAccepted, { method: 'DELETE', status: 202 });
      await until(
        () => api.get(`/deletions/${deletion_id}`, Deletion),
        ({ status }) => status === 'completed',
      );
    },
  },
};
