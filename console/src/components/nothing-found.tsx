import { Button } from '@mantine/core';
import { EmptyState } from './empty-state.tsx';

export type NothingFoundProps = { texts: { title: string; advice: string; clear: string }; onClear: () => void };

/** Says that no entry of a list matches its filter, which can be removed. */
export function NothingFound({ texts: { title, advice, clear }, onClear }: NothingFoundProps) {
  const remove = (
    <Button variant="default" onClick={onClear}>
      {clear}
    </Button>
  );
  return <EmptyState icon="search" title={title} advice={advice} action={remove} />;
}
