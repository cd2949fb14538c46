import { Group } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useSession } from '../../app/session.tsx';
import { ChoiceFilter } from '../../components/filters/choice-filter.tsx';
import { SearchField } from '../../components/filters/search-field.tsx';
import { conversationsTexts } from '../../texts/conversations-texts.ts';
import type { ConversationFilter } from './conversation-filter.ts';

const route = getRouteApi('/conversations');
const texts = conversationsTexts.filter;

/** The filter is in the address of the page, so that it can be shared and survives going back. */
export function ConversationFilters({ filter }: { filter: ConversationFilter }) {
  const { access } = useSession();
  const navigate = route.useNavigate();
  const change = (changes: ConversationFilter) => {
    void navigate({ search: (before) => ({ ...before, ...changes }), replace: true });
  };
  return (
    <Group mb="md" gap="sm">
      <SearchField label={texts.search} value={filter.search} onSearch={(search) => change({ search })} />
      {access.user_id === null ? (
        <SearchField label={texts.user} value={filter.user} onSearch={(user) => change({ user })} />
      ) : null}
      <ChoiceFilter
        label={texts.status}
        any={texts.anyStatus}
        names={conversationsTexts.status}
        value={filter.status}
        onChoose={(status) => change({ status })}
      />
    </Group>
  );
}
