import { Select } from '@mantine/core';
import { keyOf } from './is-key.ts';

export type ChoiceFilterProps<Key extends string> = {
  label: string;
  /** What is shown while nothing is chosen. */
  any: string;
  /** The choices with their names, in this order. */
  names: Readonly<Record<Key, string>>;
  value: Key | undefined;
  onChoose: (value: Key | undefined) => void;
  width?: number;
};

/** Filters a list by one of a few names; `undefined` stands for no filter. */
export function ChoiceFilter<Key extends string>(props: ChoiceFilterProps<Key>) {
  const { label, any, names, value, onChoose, width = 200 } = props;
  return (
    <Select
      w={{ base: '100%', xs: width }}
      aria-label={label}
      placeholder={any}
      data={Object.entries<string>(names).map(([key, name]) => ({ value: key, label: name }))}
      value={value ?? null}
      onChange={(chosen) => onChoose(keyOf(names, chosen))}
      clearable
    />
  );
}
