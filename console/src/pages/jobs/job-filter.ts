import { isKey } from '../../components/filters/is-key.ts';
import { jobsTexts } from '../../texts/jobs-texts.ts';

export type JobTab = keyof typeof jobsTexts.tabs;

/** What the address of the page holds: the tab, the filters of its list, and the job that is looked at. */
export type JobFilter = {
  tab?: Exclude<JobTab, 'uploads'> | undefined;
  /** One of those of the tab. */
  status?: string | undefined;
  kind?: keyof typeof jobsTexts.deletions.listed | undefined;
  collection?: string | undefined;
  id?: string | undefined;
};

const STATUSES: Readonly<Record<JobTab, Readonly<Record<string, string>>>> = {
  uploads: jobsTexts.status,
  index: jobsTexts.index.status,
  deletions: jobsTexts.deletions.status,
  compressions: jobsTexts.compressions.status,
};

/** Reads the filter from the address of the page. */
export function jobFilterOf({ tab, status, kind, collection, id }: Record<string, unknown>): JobFilter {
  const shown = isKey(jobsTexts.tabs, tab) ? tab : 'uploads';
  return {
    ...(shown === 'uploads' ? {} : { tab: shown }),
    ...(isKey(STATUSES[shown], status) ? { status } : {}),
    ...(isKey(jobsTexts.deletions.listed, kind) ? { kind } : {}),
    ...(typeof collection === 'string' && collection !== '' ? { collection } : {}),
    ...(typeof id === 'string' && id !== '' ? { id } : {}),
  };
}
