import { Group, Stack, Table, Text } from '@mantine/core';
import type { Schemas } from '../../api/schemas.ts';
import { useSession } from '../../app/session.tsx';
import { ListTable } from '../../components/list-table.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { Time } from '../../components/time.tsx';
import { UploadProgress } from '../../components/jobs/upload-progress.tsx';
import { UploadStatus } from '../../components/jobs/upload-status.tsx';
import { useCollectionNames } from '../../components/use-collection-names.ts';
import { useWorkflowAddress } from '../../components/service/use-workflow-address.ts';
import { formatCount } from '../../format/format-count.ts';
import { jobsTexts } from '../../texts/jobs-texts.ts';
import { UploadMenu } from './upload-menu.tsx';

type Upload = Schemas['UploadSummary'];
const { column } = jobsTexts;

export function UploadTable({ uploads }: { uploads: readonly Upload[] }) {
  const hasMenu = useHasMenu();
  return (
    <ListTable
      actions={hasMenu ? column.actions : null}
      head={
        <>
          <Table.Th>{column.name}</Table.Th>
          <Table.Th className="only-wide">{column.status}</Table.Th>
          <Table.Th className="only-wide">{column.progress}</Table.Th>
          <Table.Th className="only-wide">{column.sent}</Table.Th>
        </>
      }
    >
      {uploads.map((upload) => (
        <UploadRow key={upload.id} upload={upload} hasMenu={hasMenu} />
      ))}
    </ListTable>
  );
}

/** Who may neither steer uploads nor see the Temporal UI has no menus. */
function useHasMenu(): boolean {
  const { may } = useSession();
  const hasWorkflows = useWorkflowAddress()('any') !== null;
  return hasWorkflows || may('uploads:write');
}

function UploadRow({ upload, hasMenu }: { upload: Upload; hasMenu: boolean }) {
  const { name, status, created_at: createdAt } = upload;
  const title = name ?? jobsTexts.nameless;
  return (
    <Table.Tr>
      <Table.Td>
        <UploadName upload={upload} title={title} />
      </Table.Td>
      <Table.Td className="only-wide">
        <UploadStatus status={status} />
      </Table.Td>
      <Table.Td className="only-wide" miw={160}>
        <UploadProgress upload={upload} name={title} />
      </Table.Td>
      <Table.Td className="only-wide" style={{ whiteSpace: 'nowrap' }}>
        <Time at={createdAt} />
      </Table.Td>
      {hasMenu ? (
        <Table.Td>
          <UploadMenu upload={upload} title={title} />
        </Table.Td>
      ) : null}
    </Table.Tr>
  );
}

function UploadName({ upload, title }: { upload: Upload; title: string }) {
  const { id, collection_id: collectionId, status, successful_uploads: accepted, crawls } = upload;
  const collection = useCollectionNames().data?.get(collectionId);
  const facts = [
    ...(accepted > 1 ? [jobsTexts.more(formatCount(accepted - 1))] : []),
    ...(crawls > 0 ? [jobsTexts.crawls(crawls)] : []),
    ...(collection === undefined ? [] : [collection]),
  ].join(' · ');
  return (
    <Stack gap={2}>
      <TextLink to="/jobs/$uploadId" params={{ uploadId: id }} size="sm" fw={600} className="break-anywhere">
        {title}
      </TextLink>
      {facts === '' ? null : (
        <Text size="xs" c="dimmed" className="break-anywhere">
          {facts}
        </Text>
      )}
      <Group className="only-narrow" gap="sm">
        <UploadStatus status={status} />
        <UploadProgress upload={upload} name={title} />
      </Group>
    </Stack>
  );
}
