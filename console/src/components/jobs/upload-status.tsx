import type { Schemas } from '../../api/schemas.ts';
import { jobsTexts } from '../../texts/jobs-texts.ts';
import { type StatusMark, StatusText } from '../status-text.tsx';

type Status = Schemas['UploadSummary']['status'];
const MARKS: Readonly<Record<Status, StatusMark>> = {
  stored: 'idle',
  running: 'working',
  paused: 'waiting',
  completed: 'good',
  completed_with_errors: 'bad',
  failed: 'bad',
  cancelled: 'idle',
};

/** How far an upload is, in a word. */
export function UploadStatus({ status }: { status: Status }) {
  return <StatusText mark={MARKS[status]} text={jobsTexts.status[status]} />;
}
