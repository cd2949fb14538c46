import { Stack, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import type { Schemas } from '../../api/schemas.ts';
import { ContentStatus } from '../../components/content-status.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Loading } from '../../components/loading.tsx';
import { MoreButton } from '../../components/more-button.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { formatCount } from '../../format/format-count.ts';
import { formatSize } from '../../format/format-size.ts';
import { contentsTexts } from '../../texts/contents-texts.ts';
import { ChunkedText } from './chunked-text.tsx';
import { type ContentAddress, useContent, useContentChunks, useContentText } from './use-content-text.ts';

const route = getRouteApi('/collections/$collectionId/contents/$contentId');
const texts = contentsTexts.text;
/** A text without chunks is shown up to here. */
const MAX_PLAIN_CHARACTERS = 200_000;

/** A content: the text as it was read, in the pieces that searches find. */
export function ContentTextPage() {
  const address = route.useParams();
  const { data: content, error, refetch } = useContent(address.contentId);
  if (error !== null) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (content === undefined) return <Loading />;
  const { name, type, size, status_message: message } = content;
  const facts = [type, size === null ? null : formatSize(size)].filter((fact) => fact !== null).join(' · ');
  const above = (
    <TextLink to="/collections/$collectionId" params={{ collectionId: address.collectionId }} size="sm">
      {contentsTexts.back}
    </TextLink>
  );
  return (
    <>
      <PageHeader title={name} description={facts} above={above} actions={<ContentStatus status={content.status} />} />
      {message === null ? null : (
        <Text size="sm" mb="md" className="break-anywhere">
          {message}
        </Text>
      )}
      <ContentText address={address} content={content} />
    </>
  );
}

function ContentText({ address, content }: { address: ContentAddress; content: Schemas['Content'] }) {
  const text = useContentText(content.id);
  const list = useContentChunks(address);
  if (text.error !== null) {
    return content.status === 'ready' ? (
      <ErrorNotice error={text.error} onRetry={() => void text.refetch()} />
    ) : (
      <EmptyState icon="document" title={texts.none} advice={text.error.message} />
    );
  }
  if (list.error !== null) return <ErrorNotice error={list.error} onRetry={() => void list.refetch()} />;
  if (text.data === undefined || list.isLoading) return <Loading />;
  const { chunks = [], total = 0 } = list.data ?? {};
  if (chunks.length === 0) return <PlainText text={text.data} />;
  return (
    <Stack>
      <Text size="sm" c="dimmed">
        {texts.explanation} {texts.chunks(formatCount(total))}
      </Text>
      <ChunkedText text={text.data} chunks={chunks} isWhole={!list.hasNextPage} />
      <MoreButton list={list} />
    </Stack>
  );
}

function PlainText({ text }: { text: string }) {
  return (
    <Stack>
      <Text size="sm" c="dimmed">
        {texts.withoutChunks}
      </Text>
      <div className="read-text">{text.slice(0, MAX_PLAIN_CHARACTERS)}</div>
      {text.length > MAX_PLAIN_CHARACTERS ? (
        <Text size="sm" c="dimmed">
          {texts.cut(formatCount(MAX_PLAIN_CHARACTERS))}
        </Text>
      ) : null}
    </Stack>
  );
}
