import type { Schemas } from '../../api/schemas.ts';
import { useSession } from '../../app/session.tsx';
import { ActionMenu, type MenuItem } from '../../components/action-menu.tsx';
import { FailureDialog } from '../../components/dialogs/failure-dialog.tsx';
import type { IconName } from '../../components/icon.tsx';
import { uploadActionsOf, type UploadAction, useControlUpload } from '../../components/jobs/use-control-upload.ts';
import { useWorkflowAddress } from '../../components/service/use-workflow-address.ts';
import { jobsTexts } from '../../texts/jobs-texts.ts';

const ICONS: Readonly<Record<UploadAction, IconName>> = { pause: 'pause', resume: 'play', cancel: 'close' };

/** What can be done with an upload by this key. */
export function UploadMenu({ upload, title }: { upload: Schemas['UploadSummary']; title: string }) {
  const { mayChange } = useSession();
  const control = useControlUpload(upload.id);
  const workflow = useWorkflowAddress()(upload.workflow_id);
  const actions = mayChange(upload.collection_id, 'uploads:write') ? uploadActionsOf(upload.status) : [];
  const items: MenuItem[] = [
    ...actions.map((action) => ({
      label: jobsTexts.control[action],
      icon: ICONS[action],
      onChoose: () => control.mutate(action),
    })),
    ...(workflow === null ? [] : [{ label: jobsTexts.workflow, icon: 'external' as const, address: workflow }]),
  ];
  if (items.length === 0) return null;
  return (
    <>
      <ActionMenu label={jobsTexts.actions(title)} isWaiting={control.isPending} items={items} />
      <FailureDialog error={control.error} onClose={control.reset} />
    </>
  );
}
