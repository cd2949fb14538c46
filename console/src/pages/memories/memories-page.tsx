import { Alert, Button, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { getRouteApi } from '@tanstack/react-router';
import type { Schemas } from '../../api/schemas.ts';
import { useSession } from '../../app/session.tsx';
import { AddButton } from '../../components/add-button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { MoreButton } from '../../components/more-button.tsx';
import { NothingFound } from '../../components/nothing-found.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { formatTime } from '../../format/format-time.ts';
import { memoriesTexts } from '../../texts/memories-texts.ts';
import { MemoryDialog } from './memory-dialog.tsx';
import type { MemoryFilter } from './memory-filter.ts';
import { MemoryFilters } from './memory-filters.tsx';
import { MemoryTable } from './memory-table.tsx';
import { MAX_FOUND, useMemories } from './use-memories.ts';

const route = getRouteApi('/memories');
const texts = memoriesTexts;

/** What is remembered, now or at a time in the past. */
export function MemoriesPage() {
  const { may } = useSession();
  const filter = route.useSearch();
  const [isCreating, { open, close }] = useDisclosure();
  const mayWrite = may('memories:write');
  const create = <AddButton label={texts.create} onClick={open} />;
  return (
    <>
      <PageHeader title={texts.title} description={texts.description} actions={mayWrite ? create : null} />
      <MemoryFilters filter={filter} />
      <MemoryList filter={filter} onCreate={mayWrite ? open : null} />
      <MemoryDialog memory={null} user={filter.user} isOpen={isCreating} onClose={close} />
    </>
  );
}

function MemoryList({ filter, onCreate }: { filter: MemoryFilter; onCreate: (() => void) | null }) {
  const list = useMemories(filter);
  return (
    <Loaded query={list}>
      {(memories) =>
        memories.length === 0 ? (
          <NoMemories filter={filter} onCreate={onCreate} />
        ) : (
          <Stack>
            <FoundMemories memories={memories} filter={filter} />
            <MoreButton list={list} />
          </Stack>
        )
      }
    </Loaded>
  );
}

type FoundMemoriesProps = { memories: readonly Schemas['MemoryRecord'][]; filter: MemoryFilter };

function FoundMemories({ memories, filter: { search, asOf } }: FoundMemoriesProps) {
  return (
    <>
      {asOf === undefined ? null : <Alert color="gray">{texts.past(formatTime(new Date(asOf)))}</Alert>}
      <MemoryTable memories={memories} isPast={asOf !== undefined} />
      {memories.length < MAX_FOUND || (search ?? asOf) === undefined ? null : (
        <Text size="sm" c="dimmed">
          {search === undefined ? texts.latest(MAX_FOUND) : texts.best(MAX_FOUND)}
        </Text>
      )}
    </>
  );
}

function NoMemories({ filter, onCreate }: { filter: MemoryFilter; onCreate: (() => void) | null }) {
  const navigate = route.useNavigate();
  if ((filter.search ?? filter.user ?? filter.asOf) !== undefined) {
    return <NothingFound texts={texts.nothingFound} onClear={() => void navigate({ search: {} })} />;
  }
  const { title, advice, adviceReading } = texts.empty;
  if (onCreate === null) return <EmptyState icon="memory" title={title} advice={adviceReading} />;
  const create = <Button onClick={onCreate}>{texts.create}</Button>;
  return <EmptyState icon="memory" title={title} advice={advice} action={create} />;
}
