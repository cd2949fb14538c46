import type { Schemas } from '../../api/schemas.ts';
import { useSession } from '../../app/session.tsx';
import { uploadActionsOf, useControlUpload } from '../../components/jobs/use-control-upload.ts';
import { jobsTexts } from '../../texts/jobs-texts.ts';
import { JobMenu } from './job-menu.tsx';

/** What can be done with an upload by this key. */
export function UploadMenu({ job }: { job: Schemas['UploadSummary'] }) {
  const { id, name, status, collection_id: collectionId, workflow_id: workflowId } = job;
  const mayChange = useSession().mayChange(collectionId, 'uploads:write');
  return (
    <JobMenu
      name={name ?? jobsTexts.nameless}
      workflowId={workflowId}
      actions={mayChange ? uploadActionsOf(status) : []}
      control={useControlUpload(id)}
    />
  );
}
