import { upsertSearchAttributes } from '@temporalio/workflow';

const STAGE = { name: 'LociStage', type: 'KEYWORD' } as const;

/** Sets the search attribute `LociStage`, by which operators filter workflows in the Temporal UI. */
export function upsertStage(stage: string): void {
  upsertSearchAttributes([{ key: STAGE, value: stage }]);
}
