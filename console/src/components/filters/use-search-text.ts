import { useDebouncedCallback } from '@mantine/hooks';
import { useFieldText } from './use-field-text.ts';

const PAUSE_MS = 300;

/** The text of a field that searches as somebody types: `onSearch` is called after a short pause. */
export function useSearchText(current: string, onSearch: (text: string) => void): [string, (text: string) => void] {
  const search = useDebouncedCallback((typed: string) => {
    expect(typed);
    onSearch(typed);
  }, PAUSE_MS);
  // What was typed before another value came is not searched for any more.
  const { text, setText, expect } = useFieldText(current, () => search.cancel());
  return [
    text,
    (typed) => {
      setText(typed);
      search(typed.trim());
    },
  ];
}
