import { TextInput } from '@mantine/core';
import { Icon } from '../icon.tsx';
import { useSearchText } from './use-search-text.ts';

export type SearchFieldProps = {
  label: string;
  value: string | undefined;
  onSearch: (text: string | undefined) => void;
};

/** Filters a list by text, as somebody types; `undefined` stands for no filter. */
export function SearchField({ label, value, onSearch }: SearchFieldProps) {
  const [text, setText] = useSearchText(value ?? '', (typed) => onSearch(typed === '' ? undefined : typed));
  return (
    <TextInput
      flex={1}
      miw={200}
      maw={360}
      type="search"
      aria-label={label}
      placeholder={label}
      leftSection={<Icon name="search" size={16} />}
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
    />
  );
}
