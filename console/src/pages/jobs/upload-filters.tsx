import { Group, Select } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { OneCollection } from '../../components/jobs/one-collection.tsx';
import { useSession } from '../../app/session.tsx';
import { jobsTexts } from '../../texts/jobs-texts.ts';
import { isUploadStatus } from './job-filter.ts';

const route = getRouteApi('/jobs');
const texts = jobsTexts.filter;
const STATUSES = Object.entries(jobsTexts.status).map(([value, label]) => ({ value, label }));

/** The filters are in the address of the page. */
export function UploadFilters() {
  const { status, collection } = route.useSearch();
  const mayName = useSession().may('collections:read');
  const navigate = route.useNavigate();
  const choose = (value: string | null) => {
    const chosen = isUploadStatus(value) ? value : undefined;
    void navigate({ search: (before) => ({ ...before, status: chosen }), replace: true });
  };
  const chooseCollection = (id: string | undefined) =>
    void navigate({ search: (before) => ({ ...before, collection: id }), replace: true });
  return (
    <Group mb="md" gap="sm">
      <Select
        w={200}
        aria-label={texts.status}
        placeholder={texts.anyStatus}
        data={STATUSES}
        value={status ?? null}
        onChange={choose}
        clearable
      />
      {mayName ? (
        <OneCollection
          label={texts.collection}
          placeholder={texts.anyCollection}
          value={collection}
          onChange={chooseCollection}
        />
      ) : null}
    </Group>
  );
}
