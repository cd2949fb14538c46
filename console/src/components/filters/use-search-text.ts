import { useEffect, useState } from 'react';
import { useDebouncedCallback } from '@mantine/hooks';

const PAUSE_MS = 300;

/** The text of a field that searches as somebody types: `onSearch` is called after a short pause. */
export function useSearchText(current: string, onSearch: (text: string) => void): [string, (text: string) => void] {
  const [text, setText] = useState(current);
  const search = useDebouncedCallback(onSearch, PAUSE_MS);
  // Going back, or removing the filter elsewhere, changes the field.
  useEffect(() => setText(current), [current]);
  return [
    text,
    (typed) => {
      setText(typed);
      search(typed.trim());
    },
  ];
}
