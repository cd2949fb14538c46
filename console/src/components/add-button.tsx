import { Button } from '@mantine/core';
import { Icon } from './icon.tsx';

/** The main action of a page that lists something: it adds another one. */
export function AddButton({ label, onClick }: { label: string; onClick: () => void }) {
  return (
    <Button leftSection={<Icon name="plus" size={16} />} onClick={onClick}>
      {label}
    </Button>
  );
}
