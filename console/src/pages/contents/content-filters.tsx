import { Group, Select } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { SearchField } from '../../components/search-field.tsx';
import { contentsTexts } from '../../texts/contents-texts.ts';
import { isStatus } from './content-filter.ts';

const route = getRouteApi('/collections/$collectionId');
const texts = contentsTexts.filter;
const STATUSES = Object.entries(contentsTexts.status).map(([value, label]) => ({ value, label }));

/** The filter is in the address of the page. */
export function ContentFilters() {
  const { search, status } = route.useSearch();
  const navigate = route.useNavigate();
  const find = (text: string | undefined) =>
    void navigate({ search: (before) => ({ ...before, search: text }), replace: true });
  const choose = (value: string | null) => {
    const chosen = isStatus(value) ? value : undefined;
    void navigate({ search: (before) => ({ ...before, status: chosen }), replace: true });
  };
  return (
    <Group mb="md" gap="sm">
      <SearchField label={texts.search} value={search} onSearch={find} />
      <Select
        w={170}
        aria-label={texts.status}
        placeholder={texts.anyStatus}
        data={STATUSES}
        value={status ?? null}
        onChange={choose}
        clearable
      />
    </Group>
  );
}
