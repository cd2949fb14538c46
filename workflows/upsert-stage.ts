import { upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';

const STAGE = { name: 'LociStage', type: 'KEYWORD' } as const;

/** The stage with which this workflow was started. */
export function firstStage(): string {
  return workflowInfo().typedSearchAttributes.get(STAGE) ?? 'pending';
}

/** The search attributes of a child that begins in a stage: it needs no update at its start. */
export function attributesInStage(stage: string) {
  return workflowInfo().typedSearchAttributes.updateCopy([{ key: STAGE, value: stage }]);
}

/** Sets the search attribute `LociStage`, by which operators filter workflows in the Temporal UI. */
export function upsertStage(stage: string): void {
  upsertSearchAttributes([{ key: STAGE, value: stage }]);
}
