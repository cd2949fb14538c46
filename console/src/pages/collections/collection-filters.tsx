import { Group, SegmentedControl, TextInput } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { Icon } from '../../components/icon.tsx';
import { useSearchText } from '../../components/use-search-text.ts';
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
  const [text, setText] = useSearchText(filter.search ?? '', (search) => {
    void navigate({ search: (before) => ({ ...before, search: search === '' ? undefined : search }), replace: true });
  });
  const choose = (value: string) => {
    const status = value === 'archived' || value === 'all' ? value : undefined;
    void navigate({ search: (before) => ({ ...before, status }), replace: true });
  };
  return (
    <Group mb="md" gap="sm">
      <TextInput
        flex={1}
        miw={200}
        maw={360}
        type="search"
        aria-label={texts.search}
        placeholder={texts.search}
        leftSection={<Icon name="search" size={16} />}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <SegmentedControl aria-label={texts.status} data={STATUSES} value={filter.status ?? 'active'} onChange={choose} />
    </Group>
  );
}
