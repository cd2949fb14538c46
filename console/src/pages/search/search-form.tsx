import { useEffect, useState } from 'react';
import { Button, Flex, Group, SegmentedControl, Select, Stack, TextInput } from '@mantine/core';
import { CollectionChoice } from '../../components/collection-choice.tsx';
import { Icon } from '../../components/icon.tsx';
import { searchTexts } from '../../texts/search-texts.ts';
import { FilterRows } from './filter-rows.tsx';
import { DEFAULT_RESULTS, RESULT_COUNTS, type SearchChoice } from './search-choice.ts';

const KINDS = (['hybrid', 'keyword', 'vector', 'compare'] as const).map((value) => ({
  value,
  label: searchTexts.types[value],
}));
const COUNTS = RESULT_COUNTS.map(String);

export type SearchFormProps = { choice: SearchChoice; onChange: (change: SearchChoice) => void };

/** What is searched for is taken over on Enter, everything else at once. */
export function SearchForm({ choice, onChange }: SearchFormProps) {
  const { collections = [] } = choice;
  return (
    <Stack gap="md" mb="lg" role="search" aria-label={searchTexts.title}>
      <QueryField
        query={choice.query ?? ''}
        onSearch={(query) => onChange({ query: query === '' ? undefined : query })}
      />
      <Group align="flex-end" gap="md">
        <Stack flex="1 1 18rem" gap={0}>
          <CollectionChoice
            value={collections}
            onChange={(ids) => onChange({ collections: ids.length === 0 ? undefined : ids })}
          />
        </Stack>
        <KindChoice choice={choice} onChange={onChange} />
      </Group>
      <FilterRows choice={choice} onChange={onChange} />
    </Stack>
  );
}

function QueryField({ query, onSearch }: { query: string; onSearch: (query: string) => void }) {
  const [text, setText] = useState(query);
  useEffect(() => setText(query), [query]);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onSearch(text.trim());
      }}
    >
      <Flex gap="xs" align="flex-end">
        <TextInput
          flex={1}
          size="md"
          type="search"
          label={searchTexts.query}
          placeholder={searchTexts.placeholder}
          maxLength={8192}
          data-autofocus
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <Button type="submit" size="md" aria-label={searchTexts.submit}>
          <Icon name="search" />
        </Button>
      </Flex>
    </form>
  );
}

function KindChoice({ choice, onChange }: SearchFormProps) {
  const choose = (value: string) => {
    onChange({ type: value === 'keyword' || value === 'vector' || value === 'compare' ? value : undefined });
  };
  return (
    <Group gap="md" align="flex-end">
      <SegmentedControl aria-label={searchTexts.type} data={KINDS} value={choice.type ?? 'hybrid'} onChange={choose} />
      <Select
        label={searchTexts.results}
        w={88}
        data={COUNTS}
        allowDeselect={false}
        value={String(choice.results ?? DEFAULT_RESULTS)}
        onChange={(value) => onChange({ results: Number(value) === DEFAULT_RESULTS ? undefined : Number(value) })}
      />
    </Group>
  );
}
