import { Badge, Button, Group, Paper, Stack, Text } from '@mantine/core';
import type { Schemas } from '../../api/schemas.ts';
import { useSession } from '../../app/session.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { formatTime } from '../../format/format-time.ts';
import { Dialog } from '../../components/dialogs/dialog.tsx';
import { memoriesTexts } from '../../texts/memories-texts.ts';
import { Topics } from './topics.tsx';
import { useMemoryHistory, useSaveMemory } from './use-memories.ts';

const texts = memoriesTexts.versions;

export type HistoryDialogProps = { memory: Schemas['MemoryRecord']; isOpen: boolean; onClose: () => void };

/** The versions of a memory, of which an earlier one can be made the current one again. */
export function HistoryDialog({ memory, isOpen, onClose }: HistoryDialogProps) {
  return (
    <Dialog opened={isOpen} onClose={onClose} title={texts.title} size="lg">
      <Versions id={memory.memory_id} onRestored={onClose} />
    </Dialog>
  );
}

function Versions({ id, onRestored }: { id: string; onRestored: () => void }) {
  const saving = useSaveMemory();
  const restore = ({ user_id, memory, topics, metadata }: Schemas['MemoryVersion']) =>
    saving.mutate({ id, body: { user_id, memory, topics, metadata } }, { onSuccess: onRestored });
  return (
    <Stack>
      {saving.error === null ? null : <ErrorNotice error={saving.error} />}
      <Loaded query={useMemoryHistory(id)}>
        {({ data: versions }) =>
          versions.map((version) => (
            <Version
              key={version.version}
              version={version}
              isWaiting={saving.isPending}
              onRestore={() => restore(version)}
            />
          ))
        }
      </Loaded>
    </Stack>
  );
}

type VersionProps = { version: Schemas['MemoryVersion']; isWaiting: boolean; onRestore: () => void };

function Version({ version, isWaiting, onRestore }: VersionProps) {
  const { may } = useSession();
  const { version: number, memory, topics, valid_from: from, valid_to: to } = version;
  return (
    <Paper withBorder p="sm" component="article" aria-label={texts.version(number)}>
      <Stack gap="xs">
        <Group gap="xs" justify="space-between">
          <Text size="sm" fw={600}>
            {texts.version(number)}
          </Text>
          {to === null ? <Badge variant="default">{texts.current}</Badge> : null}
        </Group>
        <Text size="sm" className="break-anywhere" style={{ whiteSpace: 'pre-wrap' }}>
          {memory}
        </Text>
        <Topics topics={topics} />
        <Group justify="space-between" gap="xs">
          <Text size="xs" c="dimmed">
            {texts.from} {formatTime(new Date(from))}
            {to === null ? '' : ` ${texts.to} ${formatTime(new Date(to))}`}
          </Text>
          {to !== null && may('memories:write') ? (
            <Button size="compact-sm" variant="default" loading={isWaiting} onClick={onRestore}>
              {texts.restore}
            </Button>
          ) : null}
        </Group>
      </Stack>
    </Paper>
  );
}
