import { Button, Fieldset, Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { Icon } from '../../components/icon.tsx';
import { searchTexts } from '../../texts/search-texts.ts';
import { FilterFields } from './filter-fields.tsx';
import type { FilterRow } from './filter-row.ts';
import type { SearchChoice } from './search-choice.ts';

const texts = searchTexts.filters;
const NEW_ROW: FilterRow = { field: '', operator: '$eq', value: '' };

export type FilterRowsProps = {
  /** The collections are those whose values are offered. */
  choice: Pick<SearchChoice, 'collections' | 'filters' | 'any'>;
  onChange: (change: Pick<SearchChoice, 'filters' | 'any'>) => void;
};

/** The filters of a search, clicked together row by row. */
export function FilterRows({ choice, onChange }: FilterRowsProps) {
  const { collections = [], filters: rows = [], any: isAny = false } = choice;
  const change = (changed: FilterRow[], any: boolean) => onChange(changeOf(changed, any));
  const add = <AddFilter onAdd={() => change([...rows, NEW_ROW], isAny)} />;
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
            onChange={(changed) => change(rows.with(at, changed), isAny)}
            onRemove={() => change(rows.toSpliced(at, 1), isAny)}
          />
        ))}
        <Group gap="md">
          {add}
          {rows.length < 2 ? null : <MatchChoice isAny={isAny} onChange={(any) => change(rows, any)} />}
        </Group>
        <Text size="xs" c="dimmed">
          {texts.help}
        </Text>
      </Stack>
    </Fieldset>
  );
}

/** What says nothing is left out of the address. */
function changeOf(rows: FilterRow[], isAny: boolean): Pick<SearchChoice, 'filters' | 'any'> {
  return { filters: rows.length === 0 ? undefined : rows, any: isAny && rows.length > 1 ? true : undefined };
}

function AddFilter({ onAdd }: { onAdd: () => void }) {
  return (
    <Button variant="default" size="compact-sm" leftSection={<Icon name="plus" size={14} />} onClick={onAdd}>
      {texts.add}
    </Button>
  );
}

function MatchChoice({ isAny, onChange }: { isAny: boolean; onChange: (isAny: boolean) => void }) {
  return (
    <SegmentedControl
      size="sm"
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
