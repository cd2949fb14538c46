import { Stack, Table, Text } from '@mantine/core';
import type { Schemas } from '../../api/schemas.ts';
import { useSession } from '../../app/session.tsx';
import { ContentStatus } from '../../components/content-status.tsx';
import { ListTable } from '../../components/list-table.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { MoreButton } from '../../components/more-button.tsx';
import { PageSection } from '../../components/page-section.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { formatCount } from '../../format/format-count.ts';
import { contentsTexts } from '../../texts/contents-texts.ts';
import { jobsTexts } from '../../texts/jobs-texts.ts';
import { useUploadContents } from './use-upload.ts';

type UploadedContent = Schemas['UploadProgress']['contents'][number];
const texts = jobsTexts.upload;

/** Everything that the upload contains, with its status. */
export function UploadContents({ upload }: { upload: Schemas['UploadProgress'] }) {
  const list = useUploadContents(upload.id, { isRunning: upload.status === 'running' });
  return (
    <PageSection title={texts.contents}>
      <Loaded query={list}>
        {(contents) =>
          contents.length === 0 ? (
            <Text size="sm" c="dimmed">
              {texts.noContents}
            </Text>
          ) : (
            <Stack>
              <ContentRows collectionId={upload.collection_id} contents={contents} />
              <MoreButton list={list} />
            </Stack>
          )
        }
      </Loaded>
    </PageSection>
  );
}

function ContentRows({ collectionId, contents }: { collectionId: string; contents: readonly UploadedContent[] }) {
  return (
    <ListTable
      actions={null}
      head={
        <>
          <Table.Th>{contentsTexts.column.name}</Table.Th>
          <Table.Th className="only-wide">{contentsTexts.column.status}</Table.Th>
        </>
      }
    >
      {contents.map((content) => (
        <Table.Tr key={content.content_id}>
          <Table.Td>
            <ContentName collectionId={collectionId} content={content} />
          </Table.Td>
          <Table.Td className="only-wide">
            <ContentStatus status={content.status} />
          </Table.Td>
        </Table.Tr>
      ))}
    </ListTable>
  );
}

function ContentName({ collectionId, content }: { collectionId: string; content: UploadedContent }) {
  const { content_id: contentId, name, status, status_message: message, chunks } = content;
  const mayRead = useSession().may('contents:read');
  return (
    <Stack gap={2}>
      {mayRead ? (
        <TextLink
          to="/collections/$collectionId/contents/$contentId"
          params={{ collectionId, contentId }}
          size="sm"
          className="break-anywhere"
        >
          {name}
        </TextLink>
      ) : (
        <Text size="sm" className="break-anywhere">
          {name}
        </Text>
      )}
      <div className="only-narrow">
        <ContentStatus status={status} />
      </div>
      <Text size="xs" c="dimmed" className="break-anywhere">
        {message ?? texts.chunkCount(chunks, formatCount(chunks))}
      </Text>
    </Stack>
  );
}
