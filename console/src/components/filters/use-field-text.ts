import { useEffect, useRef, useState } from 'react';

export type FieldText = {
  text: string;
  setText: (text: string) => void;
  /** Says which value the filter is about to have because of this field. */
  expect: (value: string) => void;
};

/**
 * The text of a field whose value is kept elsewhere, such as in the address of the page. It stays as it was typed while the value
 * follows it, and changes with values that come from elsewhere: by going back, or by removing the filter.
 */
export function useFieldText(current: string, onReplaced?: () => void): FieldText {
  const [text, setText] = useState(current);
  /** In order; some may be passed over. */
  const expected = useRef<string[]>([]);
  const known = useRef(current);
  useEffect(() => {
    if (known.current === current) return;
    known.current = current;
    const at = expected.current.indexOf(current);
    expected.current = at === -1 ? [] : expected.current.slice(at + 1);
    if (at !== -1) return;
    setText(current);
    onReplaced?.();
  }, [current, onReplaced]);
  const expect = (value: string) => {
    if (value !== (expected.current.at(-1) ?? known.current)) expected.current.push(value);
  };
  return { text, setText, expect };
}
