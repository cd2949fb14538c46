import { ActionIcon, Button, Group, Paper, Progress, ScrollArea, Stack, Text } from '@mantine/core';
import { useSession } from '../app/session.tsx';
import { ContentStatus } from '../components/content-status.tsx';
import { Icon } from '../components/icon.tsx';
import { formatCount } from '../format/format-count.ts';
import { uploadsTexts } from '../texts/uploads-texts.ts';
import { isEntrySettled, isUnsent, type UploadEntry } from './upload-entry.ts';
import { uploadStore } from './upload-store.ts';
import { useAddUploads, useUploads } from './use-uploads.ts';

/** Folders may have many thousands of files. What needs attention comes first. */
const MAX_SHOWN = 100;

/** What is being uploaded into this collection, with the progress of each file. */
export function UploadPanel({ collectionId }: { collectionId: string }) {
  const entries = useUploads(collectionId);
  const { may } = useSession();
  const { retry, stop } = useAddUploads(collectionId);
  if (entries.length === 0) return null;
  // With a key that may not read how far uploads are, nothing more is known of what was accepted.
  const isDone = (entry: UploadEntry) => isEntrySettled(entry) || (entry.state === 'accepted' && !may('uploads:read'));
  const done = entries.filter(isDone);
  const title = uploadsTexts.title(done.length, entries.length);
  return (
    <Paper withBorder radius="lg" p="md" mb="md" component="section" aria-label={title}>
      <Group justify="space-between" mb="xs">
        <Text fw={600} size="sm" role="status">
          {title}
        </Text>
        <PanelActions entries={entries} onRetry={retry} onStop={stop} />
      </Group>
      <Progress value={(100 * done.length) / entries.length} size="sm" mb="sm" aria-label={title} />
      <UploadLines entries={entries} onRetry={(entry) => retry([entry])} />
    </Paper>
  );
}

type PanelActionsProps = {
  entries: readonly UploadEntry[];
  onRetry: (failed: readonly UploadEntry[]) => void;
  onStop: () => void;
};

function PanelActions({ entries, onRetry, onStop }: PanelActionsProps) {
  const failed = entries.filter(({ state }) => state === 'failed');
  const sent = entries.filter((entry) => !isUnsent(entry));
  return (
    <Group gap="xs">
      {failed.length > 1 ? (
        <Button variant="default" size="compact-sm" onClick={() => onRetry(failed)}>
          {uploadsTexts.retryAll}
        </Button>
      ) : null}
      {sent.length < entries.length ? (
        <Button variant="default" size="compact-sm" onClick={onStop}>
          {uploadsTexts.stop}
        </Button>
      ) : null}
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={uploadsTexts.dismiss}
        onClick={() => uploadStore.remove(new Set(sent.map(({ id }) => id)))}
      >
        <Icon name="close" size={16} />
      </ActionIcon>
    </Group>
  );
}

type UploadLinesProps = { entries: readonly UploadEntry[]; onRetry: (entry: UploadEntry) => void };

function UploadLines({ entries, onRetry }: UploadLinesProps) {
  const shown = entries.toSorted((one, other) => rankOf(one) - rankOf(other)).slice(0, MAX_SHOWN);
  return (
    <ScrollArea.Autosize mah={260} type="auto">
      <Stack gap={6}>
        {shown.map((entry) => (
          <UploadLine key={entry.id} entry={entry} onRetry={onRetry} />
        ))}
        {entries.length > shown.length ? (
          <Text size="xs" c="dimmed">
            {uploadsTexts.more(formatCount(entries.length - shown.length))}
          </Text>
        ) : null}
      </Stack>
    </ScrollArea.Autosize>
  );
}

function rankOf(entry: UploadEntry): number {
  if (entry.state === 'failed' || entry.status === 'failed') return 0;
  return isEntrySettled(entry) ? 2 : 1;
}

function UploadLine({ entry, onRetry }: { entry: UploadEntry; onRetry: (entry: UploadEntry) => void }) {
  const { name, state, message } = entry;
  return (
    <Stack gap={0}>
      <Group justify="space-between" wrap="nowrap" gap="sm">
        <Text size="sm" truncate miw={0} title={name}>
          {name}
        </Text>
        <Group gap={4} wrap="nowrap" style={{ flex: 'none' }}>
          <UploadState entry={entry} />
          {state === 'failed' ? (
            <ActionIcon variant="subtle" size={24} aria-label={uploadsTexts.retry(name)} onClick={() => onRetry(entry)}>
              <Icon name="restore" size={14} />
            </ActionIcon>
          ) : null}
        </Group>
      </Group>
      {message === null ? null : (
        <Text size="xs" c="dimmed" className="break-anywhere">
          {message}
        </Text>
      )}
    </Stack>
  );
}

function UploadState({ entry: { state, status, sent } }: { entry: UploadEntry }) {
  const { state: texts } = uploadsTexts;
  if (state === 'accepted' && status !== null) return <ContentStatus status={status} />;
  return (
    <Text size="sm" c={state === 'failed' ? 'var(--mantine-color-error)' : 'dimmed'}>
      {state === 'sending' ? `${texts.sending} ${Math.round(100 * sent)} %` : texts[state]}
    </Text>
  );
}
