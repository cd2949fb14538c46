import { useState } from 'react';
import { ActionIcon, Autocomplete, Flex, Select } from '@mantine/core';
import { Icon } from '../../components/icon.tsx';
import { useSearchText } from '../../components/filters/use-search-text.ts';
import { searchTexts } from '../../texts/search-texts.ts';
import { FILTER_OPERATORS, type FilterRow, SEVERAL_VALUES, takesValue, typedValue } from './filter-row.ts';
import { useFieldValues } from './use-search.ts';

const texts = searchTexts.filters;
/** The fields that every document has; all others are keys of its metadata. */
const FIELDS = ['name', 'type', 'source', 'external_id', 'size', 'created_at', 'content_id', 'chunk.page'];
const OPERATORS = FILTER_OPERATORS.map((value) => ({ value, label: texts.operators[value] }));

export type FilterFieldsProps = {
  row: FilterRow;
  collections: readonly string[];
  onChange: (row: FilterRow) => void;
  onRemove: () => void;
};

/** One filter: a field, a condition and a value. */
export function FilterFields({ row, collections, onChange, onRemove }: FilterFieldsProps) {
  const [field, setField] = useSearchText(row.field, (text) => onChange({ ...row, field: text }));
  return (
    <Flex gap="xs" wrap="wrap" align="flex-end">
      <Autocomplete
        label={texts.field}
        placeholder={texts.fieldPlaceholder}
        flex="1 1 10rem"
        data={FIELDS}
        value={field}
        onChange={setField}
      />
      <Select
        label={texts.operator}
        flex="1 1 10rem"
        data={OPERATORS}
        value={row.operator}
        allowDeselect={false}
        onChange={(value) => onChange({ ...row, operator: FILTER_OPERATORS.find((one) => one === value) ?? '$eq' })}
      />
      {takesValue(row.operator) ? <FilterValue row={row} collections={collections} onChange={onChange} /> : null}
      <ActionIcon variant="subtle" color="gray" size={36} aria-label={texts.remove(row.field)} onClick={onRemove}>
        <Icon name="close" size={16} />
      </ActionIcon>
    </Flex>
  );
}

/** A value, typed or chosen from those that the field has. */
function FilterValue({ row, collections, onChange }: Omit<FilterFieldsProps, 'onRemove'>) {
  const [isUsed, setUsed] = useState(false);
  const { data: found = [] } = useFieldValues(isUsed ? row.field : '', collections);
  const [value, setValue] = useSearchText(row.value, (text) => onChange({ ...row, value: text }));
  const isSeveral = SEVERAL_VALUES.includes(row.operator);
  const counts = new Map(found.map((one) => [typedValue(one.value), one.count]));
  return (
    <Autocomplete
      label={isSeveral ? texts.values : texts.value}
      placeholder={isSeveral ? texts.severalPlaceholder : ''}
      flex="1 1 10rem"
      data={[...counts.keys()]}
      renderOption={({ option }) => texts.count(option.value, counts.get(option.value) ?? 0)}
      value={value}
      onFocus={() => setUsed(true)}
      onChange={setValue}
    />
  );
}
