import { useCallback, useEffect, useState } from 'react';
import { Center, Overlay, Paper, Stack, Text } from '@mantine/core';
import { FailureDialog } from '../components/dialogs/failure-dialog.tsx';
import { Icon } from '../components/icon.tsx';
import { PlainError } from '../components/plain-error.ts';
import { uploadsTexts } from '../texts/uploads-texts.ts';
import { type Dropped, type DroppedFile, readDropped } from './read-dropped.ts';

/** Takes files and folders that are dropped anywhere in the window, and says what of them cannot be read. */
export function DropArea({ onDrop }: { onDrop: (files: DroppedFile[]) => void }) {
  const [failure, setFailure] = useState<Error | null>(null);
  const take = useCallback(
    (dropped: Dropped) => {
      if (dropped.files.length > 0) onDrop(dropped.files);
      setFailure(failureOf(dropped));
    },
    [onDrop],
  );
  const isOver = useIsOver(take);
  return (
    <>
      {isOver ? <DropOverlay /> : null}
      <FailureDialog error={failure} onClose={() => setFailure(null)} />
    </>
  );
}

function failureOf({ files, unreadable }: Dropped): Error | null {
  if (unreadable.length > 0) return new PlainError(uploadsTexts.unreadable(unreadable));
  return files.length === 0 ? new PlainError(uploadsTexts.nothingDropped) : null;
}

/** Takes what is dropped, and tells whether something is being dragged over the window. */
function useIsOver(onDropped: (dropped: Dropped) => void): boolean {
  const [isOver, setIsOver] = useState(false);
  useEffect(() => {
    const over = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setIsOver(true);
    };
    const leave = (event: DragEvent) => {
      // Between two elements of the window there is always another one.
      if (event.relatedTarget === null) setIsOver(false);
    };
    const drop = (event: DragEvent) => {
      // A text goes into the field that it is dropped on.
      if (event.dataTransfer === null || !hasFiles(event)) return;
      event.preventDefault();
      setIsOver(false);
      void readDropped(event.dataTransfer).then(onDropped);
    };
    // Entering an element, as this overlay when it appears, has to be accepted too: else what is dropped at once is lost.
    const handlers = { dragenter: over, dragover: over, dragleave: leave, drop };
    const entries = Object.entries(handlers) as [string, EventListener][]; // each takes the event of its name
    for (const [name, handler] of entries) window.addEventListener(name, handler);
    return () => {
      for (const [name, handler] of entries) window.removeEventListener(name, handler);
    };
  }, [onDropped]);
  return isOver;
}

function hasFiles({ dataTransfer }: DragEvent): boolean {
  return dataTransfer?.types.includes('Files') === true;
}

function DropOverlay() {
  return (
    <Overlay fixed zIndex={1000} backgroundOpacity={0.4} blur={2}>
      <Center h="100%" p="md">
        <Paper p="xl" radius="lg" shadow="lg" withBorder>
          <Stack align="center">
            <Icon name="upload" size={32} />
            <Text fw={600}>{uploadsTexts.drop}</Text>
          </Stack>
        </Paper>
      </Center>
    </Overlay>
  );
}
