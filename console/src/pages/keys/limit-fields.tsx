import { NativeSelect, SimpleGrid, TagsInput, TextInput } from '@mantine/core';
import { CollectionsField } from '../../components/collections-field.tsx';
import { keysTexts } from '../../texts/keys-texts.ts';
import { type KeyDraft, offeredExpiries } from './key-draft.ts';

const texts = keysTexts.form;

export type LimitFieldsProps = {
  draft: KeyDraft;
  /** Until when the key may be valid; null for as long as anybody likes. */
  latest: string | null;
  /** Of a new key, empty fields stand for the limits of the caller; otherwise, for no limit. */
  isNew: boolean;
  onChange: (change: Partial<KeyDraft>) => void;
};

/** Where the key can be used, from where, and until when. */
export function LimitFields({ draft, latest, isNew, onChange }: LimitFieldsProps) {
  return (
    <>
      <CollectionsField value={draft.collections} onChange={(collections) => onChange({ collections })} />
      <TagsInput
        label={texts.addresses}
        description={isNew ? texts.addressesHelp : texts.changedAddressesHelp}
        placeholder={draft.addresses.length === 0 ? texts.addressesPlaceholder : ''}
        value={draft.addresses}
        onChange={(addresses) => onChange({ addresses })}
        acceptValueOnBlur
      />
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <NativeSelect
          label={texts.expires}
          data={offeredExpiries(latest).map((value) => ({ value, label: texts.expiry[value] }))}
          value={draft.expiry}
          onChange={(event) => onChange({ expiry: event.currentTarget.value as KeyDraft['expiry'] })}
        />
        {draft.expiry === 'date' ? (
          <TextInput
            type="datetime-local"
            step={1}
            label={texts.date}
            required
            value={draft.date}
            onChange={(event) => onChange({ date: event.currentTarget.value })}
          />
        ) : null}
      </SimpleGrid>
    </>
  );
}
