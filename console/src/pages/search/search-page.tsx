import { useState } from 'react';
import { Group, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { EmptyState } from '../../components/empty-state.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { type Passage, PassageDrawer } from '../../components/passages/passage-drawer.tsx';
import { searchTexts } from '../../texts/search-texts.ts';
import { CopySearch } from './copy-search.tsx';
import { MissingResult } from './missing-result.tsx';
import { ResultList, type ResultListProps } from './result-list.tsx';
import { SEARCH_TYPES, type SearchChoice } from './search-choice.ts';
import { SearchForm } from './search-form.tsx';
import { searchTypeOf } from './use-search.ts';

const route = getRouteApi('/search');

/** Finds passages in collections, and says why each one was found, or was not. */
export function SearchPage() {
  const choice = route.useSearch();
  const navigate = route.useNavigate();
  const [passage, setPassage] = useState<Passage | null>(null);
  const change = (part: SearchChoice) => {
    void navigate({ search: (before) => ({ ...before, ...part }), replace: part.query === undefined });
  };
  return (
    <>
      <PageHeader title={searchTexts.title} description={searchTexts.description} />
      <SearchForm choice={choice} onChange={change} />
      {choice.query === undefined ? (
        <EmptyState icon="search" title={searchTexts.start.title} advice={searchTexts.start.advice} />
      ) : (
        <Stack gap="md">
          <Group gap="xs">
            <CopySearch choice={choice} />
            <MissingResult choice={choice} />
          </Group>
          <Results choice={choice} onOpen={setPassage} onClear={() => change({ filters: undefined, any: undefined })} />
        </Stack>
      )}
      <PassageDrawer passage={passage} onClose={() => setPassage(null)} />
    </>
  );
}

function Results(props: Omit<ResultListProps, 'type'>) {
  const { choice } = props;
  if (choice.type !== 'compare') return <ResultList {...props} type={searchTypeOf(choice)} />;
  return (
    <SimpleGrid cols={{ base: 1, md: 3 }} spacing="md">
      {SEARCH_TYPES.map((type) => (
        <Stack key={type} gap="xs" component="section" aria-label={searchTexts.types[type]} miw={0}>
          <Title order={2} size="h5">
            {searchTexts.types[type]}
          </Title>
          <Text size="xs" c="dimmed">
            {searchTexts.typeHelp[type]}
          </Text>
          <ResultList {...props} type={type} />
        </Stack>
      ))}
    </SimpleGrid>
  );
}
