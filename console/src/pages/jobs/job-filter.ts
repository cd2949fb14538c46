import type { Schemas } from '../../api/schemas.ts';
import { jobsTexts } from '../../texts/jobs-texts.ts';

export type UploadStatusName = Schemas['UploadSummary']['status'];
export type JobTab = keyof typeof jobsTexts.tabs;

/** What the address of the page holds: the tab, the filters of uploads, and the job that is looked at. */
export type JobFilter = {
  tab?: Exclude<JobTab, 'uploads'> | undefined;
  status?: UploadStatusName | undefined;
  collection?: string | undefined;
  id?: string | undefined;
};

/** Reads the filter from the address of the page. */
export function jobFilterOf({ tab, status, collection, id }: Record<string, unknown>): JobFilter {
  return {
    ...(isTab(tab) ? { tab } : {}),
    ...(isUploadStatus(status) ? { status } : {}),
    ...(typeof collection === 'string' && collection !== '' ? { collection } : {}),
    ...(typeof id === 'string' && id !== '' ? { id } : {}),
  };
}

/** True for a name of a status of uploads. */
export function isUploadStatus(name: unknown): name is UploadStatusName {
  return typeof name === 'string' && Object.hasOwn(jobsTexts.status, name);
}

function isTab(name: unknown): name is Exclude<JobTab, 'uploads'> {
  return name === 'index' || name === 'deletions' || name === 'compressions';
}
