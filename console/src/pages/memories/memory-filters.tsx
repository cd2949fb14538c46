import { Group, TextInput } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useSession } from '../../app/session.tsx';
import { Icon } from '../../components/icon.tsx';
import { useSearchText } from '../../components/filters/use-search-text.ts';
import { memoriesTexts } from '../../texts/memories-texts.ts';
import type { MemoryFilter } from './memory-filter.ts';
import { TimeField } from './time-field.tsx';

const route = getRouteApi('/memories');
const texts = memoriesTexts.filter;

/** The filter is in the address of the page, so that it can be shared and survives going back. */
export function MemoryFilters({ filter }: { filter: MemoryFilter }) {
  const { access } = useSession();
  const navigate = route.useNavigate();
  const change = (changes: MemoryFilter) => {
    void navigate({ search: (before) => ({ ...before, ...changes }), replace: true });
  };
  const [search, setSearch] = useSearchText(filter.search ?? '', (text) => change({ search: text || undefined }));
  const [user, setUser] = useSearchText(filter.user ?? '', (text) => change({ user: text || undefined }));
  return (
    <Group mb="md" gap="sm" align="flex-end">
      <TextInput
        flex={1}
        miw={220}
        type="search"
        label={texts.search}
        leftSection={<Icon name="search" size={16} />}
        value={search}
        onChange={(event) => setSearch(event.currentTarget.value)}
      />
      {access.user_id === null ? (
        <TextInput
          miw={160}
          type="search"
          label={texts.user}
          value={user}
          onChange={(event) => setUser(event.currentTarget.value)}
        />
      ) : null}
      <TimeField asOf={filter.asOf} onChange={(asOf) => change({ asOf })} />
    </Group>
  );
}
