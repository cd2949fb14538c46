import type { ReactNode } from 'react';
import { Accordion, Code, Table } from '@mantine/core';
import type { Schemas } from '../../api/schemas.ts';
import { formatSize } from '../../format/format-size.ts';
import { formatTime } from '../../format/format-time.ts';
import { contentsTexts } from '../../texts/contents-texts.ts';
import { VersionList } from './version-list.tsx';

const texts = contentsTexts.facts;

/** What is known about a content, folded away. */
export function ContentFacts({ collectionId, content }: { collectionId: string; content: Schemas['Content'] }) {
  return (
    <Accordion mb="md" variant="contained" radius="md" keepMounted={false}>
      <Accordion.Item value="facts">
        <Accordion.Control>{texts.title}</Accordion.Control>
        <Accordion.Panel>
          <Table variant="vertical" className="break-anywhere">
            <Table.Tbody>
              {factsOf(content).map(([label, value]) => (
                <Table.Tr key={label}>
                  <Table.Th scope="row" w={160}>
                    {label}
                  </Table.Th>
                  <Table.Td>{value}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Accordion.Panel>
      </Accordion.Item>
      <Accordion.Item value="versions">
        <Accordion.Control>{contentsTexts.versions.title}</Accordion.Control>
        <Accordion.Panel>
          <VersionList collectionId={collectionId} content={content} />
        </Accordion.Panel>
      </Accordion.Item>
    </Accordion>
  );
}

function factsOf(content: Schemas['Content']): (readonly [string, ReactNode])[] {
  const { type, size, created_at: createdS, updated_at: updatedS, file_data: file, metadata } = content;
  const facts: (readonly [string, ReactNode | null])[] = [
    [texts.type, type],
    [texts.size, size === null ? null : formatSize(size)],
    [texts.added, formatTime(new Date(createdS * 1000))],
    [texts.changed, formatTime(new Date(updatedS * 1000))],
    [texts.url, textOf(file['url'])],
    [texts.path, textOf(file['path'])],
    [texts.externalId, content.external_id],
    [texts.hash, content.content_hash],
    [
      texts.metadata,
      Object.keys(metadata).length === 0 ? null : <Code block>{JSON.stringify(metadata, null, 2)}</Code>,
    ],
  ];
  return facts.filter(([, value]) => value !== null);
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
