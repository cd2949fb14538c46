import { Button, Stack, Text } from '@mantine/core';
import type { Schemas } from '../../api/schemas.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { FailedCollections } from '../../components/passages/failed-collections.tsx';
import { Loaded } from '../../components/loaded.tsx';
import type { Passage } from '../../components/passages/passage-drawer.tsx';
import { useCollectionNames } from '../../components/use-collection-names.ts';
import { searchTexts } from '../../texts/search-texts.ts';
import { ResultCard } from './result-card.tsx';
import type { SearchChoice, SearchType } from './search-choice.ts';
import { useSearch } from './use-search.ts';

const MS = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });

export type ResultListProps = {
  choice: SearchChoice;
  type: SearchType;
  onOpen: (passage: Passage) => void;
  /** Removes the filters. */
  onClear: () => void;
};

/** The results of one kind of search. */
export function ResultList(props: ResultListProps) {
  const search = useSearch(props.choice, props.type);
  return (
    <Loaded query={search}>{(found) => <Results {...props} found={found} isOld={search.isPlaceholderData} />}</Loaded>
  );
}

/** `isOld`: they are those of the search before, until the new ones are there. */
type ResultsProps = ResultListProps & { found: Schemas['SearchResponse']; isOld: boolean };

function Results({ choice, type, onOpen, onClear, found, isOld }: ResultsProps) {
  const { data: names } = useCollectionNames();
  const { results, execution_time_ms: tookMs, failed_collections: failed = [] } = found;
  const isOfOne = choice.collections?.length === 1;
  return (
    <Stack gap="sm" style={{ opacity: isOld ? 0.6 : 1 }} aria-busy={isOld}>
      <Text size="sm" c="dimmed" role="status">
        {searchTexts.count(results.length, MS.format(tookMs))}
      </Text>
      <FailedCollections failed={failed} names={names} />
      {results.length === 0 ? <NothingFound choice={choice} onClear={onClear} /> : null}
      <Stack gap="sm" component="ol" m={0} p={0} style={{ listStyle: 'none' }}>
        {results.map((result, at) => (
          <ResultCard
            key={`${result.collection_id} ${result.chunk.id}`}
            rank={at + 1}
            type={type}
            result={result}
            collection={isOfOne ? undefined : names?.get(result.collection_id)}
            onOpen={onOpen}
          />
        ))}
      </Stack>
    </Stack>
  );
}

function NothingFound({ choice, onClear }: Pick<ResultListProps, 'choice' | 'onClear'>) {
  const { title, advice, clear } = searchTexts.nothing;
  const remove = (
    <Button variant="default" onClick={onClear}>
      {clear}
    </Button>
  );
  return (
    <EmptyState icon="search" title={title} advice={advice} action={choice.filters === undefined ? null : remove} />
  );
}
