import { Button, Group, SegmentedControl, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { getRouteApi } from '@tanstack/react-router';
import { useSession } from '../../app/session.tsx';
import { AddButton } from '../../components/add-button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { MoreButton } from '../../components/more-button.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { keysTexts } from '../../texts/keys-texts.ts';
import { KeyDialog } from './key-dialog.tsx';
import { KeyTable } from './key-table.tsx';
import { useKeys } from './use-keys.ts';

const route = getRouteApi('/keys');
const texts = keysTexts;
const STATUSES = [
  { value: 'active', label: texts.filter.active },
  { value: 'all', label: texts.filter.all },
];

/** The API keys of the workspace. */
export function KeysPage() {
  const { may } = useSession();
  const { status } = route.useSearch();
  const navigate = route.useNavigate();
  const [isCreating, { open, close }] = useDisclosure();
  const mayWrite = may('api-keys:write');
  const create = <AddButton label={texts.create} onClick={open} />;
  return (
    <>
      <PageHeader title={texts.title} description={texts.description} actions={mayWrite ? create : null} />
      <Group mb="md">
        <SegmentedControl
          aria-label={texts.filter.label}
          data={STATUSES}
          value={status ?? 'active'}
          onChange={(value) => void navigate({ search: value === 'all' ? { status: 'all' } : {}, replace: true })}
        />
      </Group>
      <KeyList isAll={status === 'all'} onCreate={mayWrite ? open : null} />
      <KeyDialog apiKey={null} isOpen={isCreating} onClose={close} />
    </>
  );
}

function KeyList({ isAll, onCreate }: { isAll: boolean; onCreate: (() => void) | null }) {
  const list = useKeys();
  return (
    <Loaded query={list}>
      {(keys) => {
        const shown = isAll ? keys : keys.filter((key) => key.status === 'active');
        return (
          <Stack>
            {shown.length === 0 ? <NoKeys onCreate={onCreate} /> : <KeyTable keys={shown} />}
            <MoreButton list={list} />
          </Stack>
        );
      }}
    </Loaded>
  );
}

function NoKeys({ onCreate }: { onCreate: (() => void) | null }) {
  const { title, advice, adviceReading } = texts.empty;
  if (onCreate === null) return <EmptyState icon="key" title={title} advice={adviceReading} />;
  return (
    <EmptyState icon="key" title={title} advice={advice} action={<Button onClick={onCreate}>{texts.create}</Button>} />
  );
}
