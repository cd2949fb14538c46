import { Group, SegmentedControl, TextInput } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useSession } from '../../app/session.tsx';
import { SearchField } from '../../components/search-field.tsx';
import { useSearchText } from '../../components/use-search-text.ts';
import { conversationsTexts } from '../../texts/conversations-texts.ts';
import type { ConversationFilter } from './conversation-filter.ts';

const route = getRouteApi('/conversations');
const texts = conversationsTexts.filter;
const STATUSES = (['all', 'active', 'ended', 'archived'] as const).map((value) => ({ value, label: texts[value] }));

/** The filter is in the address of the page, so that it can be shared and survives going back. */
export function ConversationFilters({ filter }: { filter: ConversationFilter }) {
  const { access } = useSession();
  const navigate = route.useNavigate();
  const change = (changes: ConversationFilter) => {
    void navigate({ search: (before) => ({ ...before, ...changes }), replace: true });
  };
  const [user, setUser] = useSearchText(filter.user ?? '', (text) => change({ user: text || undefined }));
  return (
    <Group mb="md" gap="sm">
      <SearchField label={texts.search} value={filter.search} onSearch={(search) => change({ search })} />
      {access.user_id === null ? (
        <TextInput
          miw={160}
          type="search"
          aria-label={texts.user}
          placeholder={texts.user}
          value={user}
          onChange={(event) => setUser(event.currentTarget.value)}
        />
      ) : null}
      <SegmentedControl
        aria-label={texts.status}
        data={STATUSES}
        value={filter.status ?? 'all'}
        onChange={(status) => change({ status: status === 'all' ? undefined : status })}
      />
    </Group>
  );
}
