import { Table, Text } from '@mantine/core';
import type { Schemas } from '../../api/schemas.ts';
import { useSession } from '../../app/session.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { formatCount } from '../../format/format-count.ts';
import { formatTime } from '../../format/format-time.ts';
import { contentsTexts } from '../../texts/contents-texts.ts';
import { useContentVersions } from './use-content-text.ts';

const texts = contentsTexts.versions;
type Version = Schemas['ContentVersion'];

/** When each version of a content was published, and by which upload. */
export function VersionList({ collectionId, content }: { collectionId: string; content: Schemas['Content'] }) {
  const { data, error, refetch } = useContentVersions(collectionId, content);
  if (error !== null && data === undefined) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (data === undefined || data.length === 0) return null;
  return (
    <>
      <Text size="sm" c="dimmed" mb="xs">
        {texts.explanation}
      </Text>
      <Table aria-label={texts.title}>
        <Table.Tbody>
          {data.map((version, at) => (
            <VersionRow key={version.version} version={version} before={data[at + 1]} />
          ))}
        </Table.Tbody>
      </Table>
    </>
  );
}

function VersionRow({ version, before }: { version: Version; before: Version | undefined }) {
  const { may } = useSession();
  const { version: number, published_at: publishedS, replaced_at: replacedS, upload_id: uploadId, chunks } = version;
  const isSameText = before !== undefined && before.text_sha256 === version.text_sha256;
  return (
    <Table.Tr>
      <Table.Th scope="row" w={160}>
        {texts.number(number)}
        <Text size="xs" c="dimmed">
          {replacedS === null ? texts.present : texts.replaced(formatTime(new Date(replacedS * 1000)))}
        </Text>
      </Table.Th>
      <Table.Td>
        {publishedS === null ? texts.unknown : texts.published(formatTime(new Date(publishedS * 1000)))}
        <Text size="xs" c="dimmed">
          {texts.chunks(chunks, formatCount(chunks))} {isSameText ? texts.sameText : null}
        </Text>
        {uploadId === null || !may('uploads:read') ? null : (
          <TextLink to="/jobs/$uploadId" params={{ uploadId }} size="xs">
            {texts.upload}
          </TextLink>
        )}
      </Table.Td>
    </Table.Tr>
  );
}
