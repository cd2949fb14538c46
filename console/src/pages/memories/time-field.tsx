import type { ChangeEvent } from 'react';
import { Button, TextInput } from '@mantine/core';
import { useFieldText } from '../../components/filters/use-field-text.ts';
import { localTimeOf } from '../../format/local-time.ts';
import { memoriesTexts } from '../../texts/memories-texts.ts';

const texts = memoriesTexts.filter;
/** Below it, somebody is still typing the year: `2` is the year 2. */
const MIN_YEAR = 1970;
/** Browsers take years of six digits without it. */
const MAX_TIME = '9999-12-31T23:59:59';
const MAX_YEAR = 9999;

export type TimeFieldProps = { asOf: string | undefined; onChange: (asOf: string | undefined) => void };

/** Goes back to a time in the past. */
export function TimeField({ asOf, onChange }: TimeFieldProps) {
  const { text, setText, expect } = useFieldText(asOf === undefined ? '' : localTimeOf(new Date(asOf)));
  const change = ({ currentTarget: { value, validity } }: ChangeEvent<HTMLInputElement>) => {
    setText(value);
    const time = timeOf(value);
    // Without one of its parts, a time has no value either, but it is not empty.
    if (time === null && (value !== '' || validity.badInput)) return;
    expect(time === null ? '' : localTimeOf(time));
    onChange(time?.toISOString());
  };
  return (
    <>
      <TextInput
        miw={200}
        type="datetime-local"
        step={1}
        max={MAX_TIME}
        label={texts.asOf}
        value={text}
        onChange={change}
      />
      {asOf === undefined ? null : (
        <Button variant="default" onClick={() => onChange(undefined)}>
          {texts.now}
        </Button>
      )}
    </>
  );
}

/** The time that was typed, in the viewer's zone; null while it is not complete. */
function timeOf(text: string): Date | null {
  const time = new Date(text);
  const year = time.getFullYear();
  return year >= MIN_YEAR && year <= MAX_YEAR ? time : null;
}
