import { Select } from '@mantine/core';
import { useCollectionNames } from '../use-collection-names.ts';

export type OneCollectionProps = {
  label: string;
  placeholder: string;
  value: string | undefined;
  onChange: (id: string | undefined) => void;
};

/** Chooses one of the collections that the key reaches. */
export function OneCollection({ label, placeholder, value, onChange }: OneCollectionProps) {
  const { data: names = new Map<string, string>() } = useCollectionNames();
  const known = [...names].map(([id, name]) => ({ value: id, label: name }));
  const unknown = value === undefined || names.has(value) ? [] : [{ value, label: value }];
  return (
    <Select
      w={{ base: '100%', xs: 260 }}
      aria-label={label}
      placeholder={placeholder}
      data={[...known, ...unknown]}
      value={value ?? null}
      onChange={(id) => onChange(id ?? undefined)}
      searchable
      clearable
    />
  );
}
