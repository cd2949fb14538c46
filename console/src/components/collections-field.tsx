import { MultiSelect } from '@mantine/core';
import { shellTexts } from '../texts/shell-texts.ts';
import { useCollectionNames } from './use-collection-names.ts';

export type CollectionsFieldProps = { value: readonly string[]; onChange: (ids: string[]) => void };

/** Limits something to collections that the caller reaches; none means all of them. */
export function CollectionsField({ value, onChange }: CollectionsFieldProps) {
  const { data: names } = useCollectionNames();
  const known = [...(names ?? [])].map(([id, name]) => ({ value: id, label: name }));
  // A limit that the caller cannot see, or that is beyond the first page, stays as it is.
  const unknown = value.filter((id) => names?.has(id) !== true).map((id) => ({ value: id, label: id }));
  const texts = shellTexts.onlyCollections;
  if (known.length + unknown.length === 0) return null;
  return (
    <MultiSelect
      label={texts.label}
      description={texts.help}
      data={[...known, ...unknown]}
      value={[...value]}
      onChange={onChange}
      nothingFoundMessage={texts.none}
      searchable
      limit={100}
      hidePickedOptions
    />
  );
}
