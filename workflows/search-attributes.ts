import { upsertSearchAttributes } from '@temporalio/workflow';

const STAGE = { name: 'LociStage', type: 'KEYWORD' } as const;

/** Shows operators where a run is; lists in the Temporal UI can be filtered by it. */
export function showStage(stage: string): void {
  upsertSearchAttributes([{ key: STAGE, value: stage }]);
}
