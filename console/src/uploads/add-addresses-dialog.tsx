import type { FormEvent } from 'react';
import { Button, Checkbox, Group, Modal, Stack, Textarea } from '@mantine/core';
import { shellTexts } from '../texts/shell-texts.ts';
import { uploadsTexts } from '../texts/uploads-texts.ts';

const texts = uploadsTexts.addresses;

export type AddAddressesProps = {
  isOpen: boolean;
  onClose: () => void;
  onAdd: (addresses: { urls: string[]; crawl: boolean }) => void;
};

export function AddAddressesDialog({ isOpen, onClose, onAdd }: AddAddressesProps) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const addresses = addressesOf(new FormData(event.currentTarget));
    if (addresses.urls.length > 0) onAdd(addresses);
    onClose();
  };
  return (
    <Modal opened={isOpen} onClose={onClose} title={texts.title} centered>
      <form onSubmit={submit}>
        <Stack>
          <Textarea
            label={texts.field}
            description={texts.fieldHelp}
            name="urls"
            autosize
            minRows={3}
            required
            data-autofocus
          />
          <Checkbox label={texts.crawl} name="crawl" />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {shellTexts.cancel}
            </Button>
            <Button type="submit">{texts.submit}</Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

function addressesOf(form: FormData): { urls: string[]; crawl: boolean } {
  const typed = form.get('urls');
  const lines = typeof typed === 'string' ? typed.split('\n') : [];
  return { urls: lines.map((line) => line.trim()).filter((line) => line !== ''), crawl: form.get('crawl') !== null };
}
