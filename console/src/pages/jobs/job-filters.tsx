import { Group } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useSession } from '../../app/session.tsx';
import { ChoiceFilter } from '../../components/filters/choice-filter.tsx';
import { keyOf } from '../../components/filters/is-key.ts';
import { OneCollection } from '../../components/jobs/one-collection.tsx';
import { jobsTexts } from '../../texts/jobs-texts.ts';
import type { JobFilter } from './job-filter.ts';

const route = getRouteApi('/jobs');
const texts = jobsTexts.filter;

export type JobFiltersProps = {
  statuses: Readonly<Record<string, string>>;
  /** Which other filters the list has. */
  also?: 'collection' | 'kind';
};

/** The filters are in the address of the page. */
export function JobFilters({ statuses, also }: JobFiltersProps) {
  const { status, kind, collection } = route.useSearch();
  const mayName = useSession().may('collections:read');
  const navigate = route.useNavigate();
  const change = (changes: JobFilter) =>
    void navigate({ search: (before) => ({ ...before, ...changes }), replace: true });
  return (
    <Group mb="md" gap="sm">
      {also === 'kind' ? (
        <ChoiceFilter
          label={texts.kind}
          any={texts.anyKind}
          names={jobsTexts.deletions.listed}
          value={kind}
          onChoose={(chosen) => change({ kind: chosen })}
          width={300}
        />
      ) : null}
      <ChoiceFilter
        label={texts.status}
        any={texts.anyStatus}
        names={statuses}
        value={keyOf(statuses, status)}
        onChoose={(chosen) => change({ status: chosen })}
      />
      {also === 'collection' && mayName ? (
        <OneCollection
          label={texts.collection}
          placeholder={texts.anyCollection}
          value={collection}
          onChange={(id) => change({ collection: id })}
        />
      ) : null}
    </Group>
  );
}
