import { MultiSelect } from '@mantine/core';
import { passagesTexts } from '../texts/passages-texts.ts';
import { useCollectionNames } from './use-collection-names.ts';

const texts = passagesTexts.collections;
/** As many as a search takes. */
const MAX_COLLECTIONS = 50;

/** Chooses the collections that are searched; none means all that the key reaches. */
export function CollectionChoice({ value, onChange }: { value: readonly string[]; onChange: (ids: string[]) => void }) {
  const { data: names = new Map<string, string>() } = useCollectionNames();
  const known = [...names].map(([id, name]) => ({ value: id, label: name }));
  const unknown = value.filter((id) => !names.has(id)).map((id) => ({ value: id, label: id }));
  return (
    <MultiSelect
      label={texts.label}
      placeholder={value.length === 0 ? texts.all : ''}
      nothingFoundMessage={texts.none}
      data={[...known, ...unknown]}
      value={[...value]}
      onChange={onChange}
      maxValues={MAX_COLLECTIONS}
      searchable
      clearable
      hidePickedOptions
      comboboxProps={{ withinPortal: true }}
      clearButtonProps={{ 'aria-label': texts.clear }}
    />
  );
}
