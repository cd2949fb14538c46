import { Center, Loader } from '@mantine/core';
import { shellTexts } from '../texts/shell-texts.ts';

export function Loading() {
  return (
    <Center py={64}>
      <Loader size="sm" aria-label={shellTexts.loading} role="status" />
    </Center>
  );
}
