import { Group } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { ChoiceFilter } from '../../components/filters/choice-filter.tsx';
import { SearchField } from '../../components/filters/search-field.tsx';
import { contentsTexts } from '../../texts/contents-texts.ts';
import type { ContentFilter } from './content-filter.ts';

const route = getRouteApi('/collections/$collectionId');
const texts = contentsTexts.filter;

/** The filter is in the address of the page. */
export function ContentFilters() {
  const { search, status } = route.useSearch();
  const navigate = route.useNavigate();
  const change = (changes: ContentFilter) =>
    void navigate({ search: (before) => ({ ...before, ...changes }), replace: true });
  return (
    <Group mb="md" gap="sm">
      <SearchField label={texts.search} value={search} onSearch={(text) => change({ search: text })} />
      <ChoiceFilter
        label={texts.status}
        any={texts.anyStatus}
        names={contentsTexts.status}
        value={status}
        onChoose={(chosen) => change({ status: chosen })}
      />
    </Group>
  );
}
