import { getRouteApi } from '@tanstack/react-router';
import { dataOf } from '@loci/client/browser';
import { queryKeys } from '../../api/query-keys.ts';
import { useSession } from '../../app/session.tsx';
import { keyOf } from '../../components/filters/is-key.ts';
import { jobsTexts } from '../../texts/jobs-texts.ts';
import { JobFilters } from './job-filters.tsx';
import { JobList } from './job-list.tsx';
import { UploadTable } from './upload-table.tsx';
import { useJobList } from './use-job-list.ts';

const route = getRouteApi('/jobs');

/** The uploads that the key reaches, newest first. */
export function UploadList() {
  return (
    <>
      <JobFilters statuses={jobsTexts.status} also="collection" />
      <JobList list={useUploads()} icon="upload" empty={jobsTexts.empty}>
        {(uploads) => <UploadTable uploads={uploads} />}
      </JobList>
    </>
  );
}

function useUploads() {
  const { loci } = useSession();
  const { status: name, collection } = route.useSearch();
  const status = keyOf(jobsTexts.status, name);
  const filters = {
    ...(status === undefined ? {} : { status }),
    ...(collection === undefined ? {} : { collection_id: collection }),
  };
  return useJobList(queryKeys.uploads(filters), async (page, signal) =>
    dataOf(loci.api.GET('/api/v1/uploads', { params: { query: { ...filters, ...page } }, signal })),
  );
}
