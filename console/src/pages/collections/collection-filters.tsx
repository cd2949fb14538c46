import { Group, SegmentedControl } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { SearchField } from '../../components/filters/search-field.tsx';
import { collectionsTexts } from '../../texts/collections-texts.ts';
import type { CollectionFilter } from './collection-filter.ts';

const route = getRouteApi('/collections');
const texts = collectionsTexts.filter;
const STATUSES = [
  { value: 'active', label: texts.active },
  { value: 'archived', label: texts.archived },
  { value: 'all', label: texts.all },
];

/** The filter is in the address of the page, so that it can be shared and survives going back. */
export function CollectionFilters({ filter }: { filter: CollectionFilter }) {
  const navigate = route.useNavigate();
  const find = (text: string | undefined) =>
    void navigate({ search: (before) => ({ ...before, search: text }), replace: true });
  const choose = (value: string) => {
    const status = value === 'archived' || value === 'all' ? value : undefined;
    void navigate({ search: (before) => ({ ...before, status }), replace: true });
  };
  return (
    <Group mb="md" gap="sm">
      <SearchField label={texts.search} value={filter.search} onSearch={find} />
      <SegmentedControl aria-label={texts.status} data={STATUSES} value={filter.status ?? 'active'} onChange={choose} />
    </Group>
  );
}
