import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { EmptyState } from '../components/empty-state.tsx';
import { shellTexts } from '../texts/shell-texts.ts';

const texts = shellTexts.notFound;

export function NotFound() {
  const back = (
    <Button component={Link} to="/" variant="default">
      {texts.back}
    </Button>
  );
  return <EmptyState icon="search" title={texts.title} advice={texts.advice} action={back} />;
}
