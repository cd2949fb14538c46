import { type RefObject, useRef } from 'react';
import { Button, Menu } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Icon } from '../components/icon.tsx';
import { uploadsTexts } from '../texts/uploads-texts.ts';
import { AddAddressesDialog } from './add-addresses-dialog.tsx';
import { chosenFiles, type DroppedFile } from './read-dropped.ts';
import { useAddUploads } from './use-uploads.ts';

/** Adds files, a folder or web addresses to a collection. */
export function AddMenu({ collectionId, onFiles }: { collectionId: string; onFiles: (files: DroppedFile[]) => void }) {
  const { add } = useAddUploads(collectionId);
  const [isAskingAddresses, { open, close }] = useDisclosure();
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  return (
    <>
      <Menu position="bottom-end" withinPortal>
        <Menu.Target>
          <Button leftSection={<Icon name="plus" size={16} />}>{uploadsTexts.add}</Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<Icon name="document" size={16} />} onClick={() => files.current?.click()}>
            {uploadsTexts.files}
          </Menu.Item>
          <Menu.Item leftSection={<Icon name="folder" size={16} />} onClick={() => folder.current?.click()}>
            {uploadsTexts.folder}
          </Menu.Item>
          <Menu.Item leftSection={<Icon name="link" size={16} />} onClick={open}>
            {uploadsTexts.address}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <FileInput input={files} onFiles={onFiles} isFolder={false} />
      <FileInput input={folder} onFiles={onFiles} isFolder />
      <AddAddressesDialog
        isOpen={isAskingAddresses}
        onClose={close}
        onAdd={({ urls, crawl }) => add(urls.map((url) => ({ name: url, source: { kind: 'url', url, crawl } })))}
      />
    </>
  );
}

type FileInputProps = {
  input: RefObject<HTMLInputElement | null>;
  onFiles: (files: DroppedFile[]) => void;
  isFolder: boolean;
};

/** The browser's dialog to choose files; what is seen is the menu. */
function FileInput({ input, onFiles, isFolder }: FileInputProps) {
  return (
    <input
      ref={input}
      type="file"
      multiple
      hidden
      aria-label={isFolder ? uploadsTexts.folder : uploadsTexts.files}
      {...(isFolder ? { webkitdirectory: '' } : {})}
      onChange={(event) => {
        onFiles(chosenFiles(event.currentTarget.files));
        // The same file may be chosen again.
        event.currentTarget.value = '';
      }}
    />
  );
}
