import { ActionMenu, type MenuItem } from '../../components/action-menu.tsx';
import { FailureDialog } from '../../components/dialogs/failure-dialog.tsx';
import type { IconName } from '../../components/icon.tsx';
import type { UploadAction } from '../../components/jobs/use-control-upload.ts';
import { useWorkflowAddress } from '../../components/service/use-workflow-address.ts';
import { jobsTexts } from '../../texts/jobs-texts.ts';

const ICONS: Readonly<Record<UploadAction, IconName>> = { pause: 'pause', resume: 'play', cancel: 'close' };

export type JobMenuProps = {
  /** What it is the menu of. */
  name: string;
  workflowId: string | null;
  /** How the job can be steered now. */
  actions: readonly UploadAction[];
  control: { mutate: (action: UploadAction) => void; isPending: boolean; error: Error | null; reset: () => void };
};

/** Steers a job, and leads operators to its workflow in the Temporal UI. */
export function JobMenu({ name, workflowId, actions, control }: JobMenuProps) {
  const workflow = useWorkflowAddress()(workflowId);
  const items: MenuItem[] = [
    ...actions.map((action) => ({
      label: jobsTexts.control[action],
      icon: ICONS[action],
      onChoose: () => control.mutate(action),
    })),
    ...(workflow === null ? [] : [{ label: jobsTexts.workflow, icon: 'external' as const, address: workflow }]),
  ];
  return (
    <>
      {items.length === 0 ? null : (
        <ActionMenu label={jobsTexts.actions(name)} isWaiting={control.isPending} items={items} />
      )}
      <FailureDialog error={control.error} onClose={control.reset} />
    </>
  );
}
