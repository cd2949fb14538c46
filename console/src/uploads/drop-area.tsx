import { useEffect, useState } from 'react';
import { Center, Overlay, Paper, Stack, Text } from '@mantine/core';
import { Icon } from '../components/icon.tsx';
import { uploadsTexts } from '../texts/uploads-texts.ts';
import { type DroppedFile, readDropped } from './read-dropped.ts';

/** Takes files and folders that are dropped anywhere in the window. */
export function DropArea({ onDrop }: { onDrop: (files: DroppedFile[]) => void }) {
  const [isOver, setIsOver] = useState(false);
  useEffect(() => {
    const over = (event: DragEvent) => {
      if (event.dataTransfer?.types.includes('Files') !== true) return;
      event.preventDefault();
      setIsOver(true);
    };
    const leave = (event: DragEvent) => {
      // Between two elements of the window there is always another one.
      if (event.relatedTarget === null) setIsOver(false);
    };
    const drop = (event: DragEvent) => {
      if (event.dataTransfer === null) return;
      event.preventDefault();
      setIsOver(false);
      void readDropped(event.dataTransfer).then(onDrop);
    };
    // Entering an element, as this overlay when it appears, has to be accepted too: else what is dropped at once is lost.
    const handlers = { dragenter: over, dragover: over, dragleave: leave, drop };
    const entries = Object.entries(handlers) as [string, EventListener][]; // each takes the event of its name
    for (const [name, handler] of entries) window.addEventListener(name, handler);
    return () => {
      for (const [name, handler] of entries) window.removeEventListener(name, handler);
    };
  }, [onDrop]);
  if (!isOver) return null;
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
