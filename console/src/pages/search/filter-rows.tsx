import { Button, Fieldset, Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { Icon } from '../../components/icon.tsx';
import { searchTexts } from '../../texts/search-texts.ts';
import { FilterFields } from './filter-fields.tsx';
import type { FilterRow } from './filter-row.ts';

const texts = searchTexts.filters;
const NEW_ROW: FilterRow = { field: '', operator: '$eq', value: '' };

export type FilterRowsProps = {
  rows: readonly FilterRow[];
  isAny: boolean;
  /** Collections whose values are offered. */
  collections: readonly string[];
  onChange: (rows: FilterRow[], isAny: boolean) => void;
};

/** The filters of a search, clicked together row by row. */
export function FilterRows({ rows, isAny, collections, onChange }: FilterRowsProps) {
  const add = (
    <Button
      variant="default"
      size="compact-sm"
      leftSection={<Icon name="plus" size={14} />}
      onClick={() => onChange([...rows, NEW_ROW], isAny)}
    >
      {texts.add}
    </Button>
  );
  if (rows.length === 0) return <div>{add}</div>;
  return (
    <Fieldset legend={texts.title} radius="lg">
      <Stack gap="sm">
        {rows.map((row, at) => (
          <FilterFields
            // Rows have no identity but their place.
            key={at}
            row={row}
            collections={collections}
            onChange={(changed) => onChange(rows.with(at, changed), isAny)}
            onRemove={() => onChange(rows.toSpliced(at, 1), isAny)}
          />
        ))}
        <Group gap="md">
          {add}
          {rows.length < 2 ? null : <MatchChoice isAny={isAny} onChange={(any) => onChange([...rows], any)} />}
        </Group>
        <Text size="xs" c="dimmed">
          {texts.help}
        </Text>
      </Stack>
    </Fieldset>
  );
}

function MatchChoice({ isAny, onChange }: { isAny: boolean; onChange: (isAny: boolean) => void }) {
  return (
    <SegmentedControl
      size="xs"
      aria-label={texts.match}
      data={[
        { value: 'all', label: texts.all },
        { value: 'any', label: texts.any },
      ]}
      value={isAny ? 'any' : 'all'}
      onChange={(value) => onChange(value === 'any')}
    />
  );
}
