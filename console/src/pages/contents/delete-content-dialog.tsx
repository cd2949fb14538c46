import { Button, Group, Loader, Modal, Stack, Table, Text } from '@mantine/core';
import type { Schemas } from '../../api/schemas.ts';
import { useSession } from '../../app/session.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { formatCount } from '../../format/format-count.ts';
import { formatTime } from '../../format/format-time.ts';
import { contentsTexts } from '../../texts/contents-texts.ts';
import { shellTexts } from '../../texts/shell-texts.ts';
import { useDeleteContent, useDeletion } from './use-contents.ts';

const texts = contentsTexts.deletion;

export type DeleteContentProps = { collectionId: string; content: Schemas['Content']; onClose: () => void };

/** Asks, deletes, and then shows the receipt: what was removed, and that nothing is left. */
export function DeleteContentDialog({ collectionId, content, onClose }: DeleteContentProps) {
  const deleting = useDeleteContent(collectionId);
  const title = deleting.data === undefined ? texts.title : texts.receipt;
  return (
    <Modal opened onClose={onClose} title={title} centered>
      {deleting.data === undefined ? (
        <Stack>
          <Text size="sm" className="break-anywhere">
            {texts.explanation(content.name)}
          </Text>
          {deleting.error === null ? null : <ErrorNotice error={deleting.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose} data-autofocus>
              {shellTexts.cancel}
            </Button>
            <Button color="red.9" loading={deleting.isPending} onClick={() => deleting.mutate(content.id)}>
              {texts.submit}
            </Button>
          </Group>
        </Stack>
      ) : (
        <Stack>
          <Receipt deletionId={deleting.data.deletion_id} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {shellTexts.close}
            </Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}

function Receipt({ deletionId }: { deletionId: string }) {
  const mayRead = useSession().may('deletions:read');
  const { data: deletion, error } = useDeletion(deletionId);
  if (!mayRead) return <Text size="sm">{texts.accepted}</Text>;
  if (error !== null) return <ErrorNotice error={error} />;
  const isCompleted = deletion?.status === 'completed';
  return (
    <Stack gap="sm">
      <Group gap="sm" wrap="nowrap" role="status">
        {isCompleted ? null : <Loader size="xs" aria-hidden />}
        <Text size="sm">{isCompleted ? texts.completed : texts.running}</Text>
      </Group>
      {deletion === undefined ? null : <RemovedCounts deletion={deletion} />}
    </Stack>
  );
}

function RemovedCounts({ deletion: { removed, verified_at: verifiedAt } }: { deletion: Schemas['Deletion'] }) {
  const rows = [
    [texts.contents, formatCount(removed.contents)],
    [texts.chunks, formatCount(removed.chunks)],
    [texts.objects, formatCount(removed.index_objects)],
    [texts.files, formatCount(removed.blobs)],
    ...(verifiedAt === null ? [] : [[texts.verified, formatTime(new Date(verifiedAt))]]),
  ] as const;
  return (
    <Table variant="vertical" withTableBorder>
      <Table.Tbody>
        {rows.map(([label, value]) => (
          <Table.Tr key={label}>
            <Table.Th scope="row">{label}</Table.Th>
            <Table.Td>{value}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
