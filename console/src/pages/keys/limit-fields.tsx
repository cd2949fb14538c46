import { MultiSelect, NativeSelect, SimpleGrid, TagsInput, TextInput } from '@mantine/core';
import { keysTexts } from '../../texts/keys-texts.ts';
import type { KeyDraft } from './key-draft.ts';
import { useCollectionChoices } from './use-keys.ts';

const texts = keysTexts.form;
const EXPIRIES = (['never', '7', '30', '90', '365', 'date'] as const).map((value) => ({
  value,
  label: texts.expiry[value],
}));

export type LimitFieldsProps = { draft: KeyDraft; onChange: (change: Partial<KeyDraft>) => void };

/** Where the key can be used, from where, and until when. */
export function LimitFields({ draft, onChange }: LimitFieldsProps) {
  return (
    <>
      <CollectionsField chosen={draft.collections} onChange={(collections) => onChange({ collections })} />
      <TagsInput
        label={texts.addresses}
        description={texts.addressesHelp}
        placeholder={draft.addresses.length === 0 ? texts.addressesPlaceholder : ''}
        value={draft.addresses}
        onChange={(addresses) => onChange({ addresses })}
        acceptValueOnBlur
      />
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <NativeSelect
          label={texts.expires}
          data={EXPIRIES}
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

function CollectionsField({ chosen, onChange }: { chosen: string[]; onChange: (chosen: string[]) => void }) {
  const { data } = useCollectionChoices();
  // A limit of the key that the caller cannot see, or that is beyond the first page, stays as it is.
  const unknown = chosen.filter((id) => data?.every(({ value }) => value !== id) !== false);
  const choices = [...(data ?? []), ...unknown.map((id) => ({ value: id, label: id }))];
  if (choices.length === 0) return null;
  return (
    <MultiSelect
      label={texts.collections}
      description={texts.collectionsHelp}
      data={choices}
      value={chosen}
      onChange={onChange}
      nothingFoundMessage={texts.noCollection}
      searchable
      limit={100}
      hidePickedOptions
    />
  );
}
