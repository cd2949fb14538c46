import { Button, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { getRouteApi } from '@tanstack/react-router';
import { useSession } from '../../app/session.tsx';
import { AddButton } from '../../components/add-button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { MoreButton } from '../../components/more-button.tsx';
import { NothingFound } from '../../components/nothing-found.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { conversationsTexts } from '../../texts/conversations-texts.ts';
import type { ConversationFilter } from './conversation-filter.ts';
import { ConversationFilters } from './conversation-filters.tsx';
import { ConversationTable } from './conversation-table.tsx';
import { StartDialog } from './start-dialog.tsx';
import { useConversations } from './use-conversations.ts';

const route = getRouteApi('/conversations');
const texts = conversationsTexts;

/** The conversations that the caller may read, newest first. */
export function ConversationsPage() {
  const { may } = useSession();
  const filter = route.useSearch();
  const [isStarting, { open, close }] = useDisclosure();
  // Sending a message without a conversation starts one as well.
  const mayStart = may('conversations:write') || may('messages:write');
  const start = <AddButton label={texts.start} onClick={open} />;
  return (
    <>
      <PageHeader title={texts.title} description={texts.description} actions={mayStart ? start : null} />
      <ConversationFilters filter={filter} />
      <ConversationList filter={filter} onStart={mayStart ? open : null} />
      <StartDialog user={filter.user} isOpen={isStarting} onClose={close} />
    </>
  );
}

function ConversationList({ filter, onStart }: { filter: ConversationFilter; onStart: (() => void) | null }) {
  const list = useConversations(filter);
  return (
    <Loaded query={list}>
      {(conversations) =>
        conversations.length === 0 ? (
          <NoConversations filter={filter} onStart={onStart} />
        ) : (
          <Stack>
            <ConversationTable conversations={conversations} />
            <MoreButton list={list} />
          </Stack>
        )
      }
    </Loaded>
  );
}

function NoConversations({ filter, onStart }: { filter: ConversationFilter; onStart: (() => void) | null }) {
  const navigate = route.useNavigate();
  if ((filter.search ?? filter.user ?? filter.status) !== undefined) {
    return <NothingFound texts={texts.nothingFound} onClear={() => void navigate({ search: {} })} />;
  }
  const { title, advice, adviceReading } = texts.empty;
  if (onStart === null) return <EmptyState icon="conversation" title={title} advice={adviceReading} />;
  const start = <Button onClick={onStart}>{texts.start}</Button>;
  return <EmptyState icon="conversation" title={title} advice={advice} action={start} />;
}
