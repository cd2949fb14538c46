import type { Schemas } from '../api/schemas.ts';
import { contentsTexts } from '../texts/contents-texts.ts';
import { type StatusMark, StatusText } from './status-text.tsx';

type Status = Schemas['Content']['status'];
const MARKS: Partial<Record<Status, StatusMark>> = { ready: 'good', failed: 'bad', paused: 'waiting' };
const WORKING: ReadonlySet<Status> = new Set(['downloading', 'reading', 'splitting', 'indexing', 'deleting']);

/** Where a content is on its way to be found. */
export function ContentStatus({ status }: { status: Status }) {
  const mark = WORKING.has(status) ? 'working' : (MARKS[status] ?? 'idle');
  return <StatusText mark={mark} text={contentsTexts.status[status]} />;
}
