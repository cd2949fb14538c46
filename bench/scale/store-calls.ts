import { createHash } from 'node:crypto';
import { LISTED_DELETION_KINDS } from '#domain/deletion-kinds.ts';
import { COMPRESSION_STATUSES } from '#domain/records/compression.ts';
import { DELETION_STATUSES, REEMBEDDING_STATUSES } from '#domain/statuses.ts';
import type { DataSet } from './fill-data-set.ts';
import type { StoreCall } from './measure-statements.ts';

const PAGE = { after: null, limit: 50 };

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** Collections of all sizes but the largest, the smallest among them. */
function someOf(collectionIds: readonly string[], count: number): string[] {
  const step = Math.max(1, Math.floor((collectionIds.length - 1) / count));
  return collectionIds
    .slice(1)
    .toReversed()
    .filter((_, place) => place % step === 0)
    .slice(0, count);
}

/** The calls of the stores whose cost could grow with the number of rows. */
export function storeCalls(data: DataSet): StoreCall[] {
  const { workspaceId } = data;
  return [
    ...listCalls(data),
    ...uploadCalls(data),
    ...jobCalls(data),
    ...conversationCalls(data),
    ...countCalls(data),
    ...loopCalls(),
  ].map(([what, call]) => ({
    what,
    // Loops serve all workspaces.
    workspaceId: what.startsWith('loop: ') ? null : workspaceId,
    call,
  }));
}

type NamedCall = [what: string, call: StoreCall['call']];

function listCalls({ workspaceId, collectionIds, userId, middleUs }: DataSet): NamedCall[] {
  const whole = { workspaceId, collectionIds: null };
  const limited = (count: number) => ({ workspaceId, collectionIds: someOf(collectionIds, count) });
  const [largest = ''] = collectionIds;
  const memories = { userId: null, memoryType: null, readerId: null, includeSuperseded: false };
  return [
    ['contents of the workspace', ({ contents }) => contents.list(whole, {}, PAGE)],
    ['contents of the largest collection', ({ contents }) => contents.list(whole, { collectionId: largest }, PAGE)],
    ...[2, 20, 100, 1000].map((count): NamedCall => {
      return [
        `contents of a key limited to ${count} collections`,
        ({ contents }) => contents.list(limited(count), {}, PAGE),
      ];
    }),
    [
      'contents of a member, far into the list',
      ({ contents }) => contents.list(limited(20), {}, { limit: 50, after: { createdUs: middleUs, id: largest } }),
    ],
    ...['failed', 'cancelled', 'ready', 'pending'].map((status): NamedCall => {
      return [`contents of the workspace, ${status}`, ({ contents }) => contents.list(whole, { status }, PAGE)];
    }),
    [
      'contents of a collection, cancelled',
      ({ contents }) => contents.list(whole, { collectionId: largest, status: 'cancelled' }, PAGE),
    ],
    ['contents of a member, cancelled', ({ contents }) => contents.list(limited(20), { status: 'cancelled' }, PAGE)],
    ['collections of the workspace', ({ collections }) => collections.list(whole, {}, PAGE)],
    ['the largest collection', ({ collections }) => collections.find(whole, largest)],
    ['chunks of the workspace', ({ chunks }) => chunks.listPublished(whole, {}, PAGE)],
    ...[20, 1000].map((count): NamedCall => {
      return [
        `chunks of a key limited to ${count} collections`,
        ({ chunks }) => chunks.listPublished(limited(count), {}, PAGE),
      ];
    }),
    ['memories of the workspace', ({ memories: store }) => store.list(whole, memories, PAGE)],
    ['memories that a user reads', ({ memories: store }) => store.list(whole, { ...memories, readerId: userId }, PAGE)],
    [
      'memories that a user with few reads',
      ({ memories: store }) => store.list(whole, { ...memories, readerId: 'user-999' }, PAGE),
    ],
    ['memories of type team', ({ memories: store }) => store.list(whole, { ...memories, memoryType: 'team' }, PAGE)],
    [
      'deliveries, failed',
      ({ webhookDeliveries }) => webhookDeliveries.list(whole, { status: 'failed' }, { before: null, limit: 50 }),
    ],
    [
      'deliveries, retrying',
      ({ webhookDeliveries }) => webhookDeliveries.list(whole, { status: 'retrying' }, { before: null, limit: 50 }),
    ],
  ];
}

function uploadCalls({ workspaceId, collectionIds, uploadId, middleUs }: DataSet): NamedCall[] {
  const whole = { workspaceId, collectionIds: null };
  const [largest = ''] = collectionIds;
  const dedupeKeys = Array.from({ length: 100 }, (_, number) => sha256(`${number}`));
  const ended = { collectionId: largest, runId: uploadId };
  const limited = { workspaceId, collectionIds: someOf(collectionIds, 20) };
  const newest = { before: null, limit: 50 };
  const smallest = collectionIds.at(-1);
  const middle = { createdUs: middleUs, id: uploadId };
  return [
    [
      'contents that an upload repeats',
      ({ existingContents }) => existingContents.findIds(whole, largest, { dedupeKeys, externalIds: [] }),
    ],
    ['what a run has still to do', ({ runs }) => runs.listPending(whole, ended, { after: null, limit: 500 })],
    ['progress of an upload of the largest collection', ({ uploads }) => uploads.progress(whole, uploadId)],
    ['manifest of this upload', ({ uploads }) => uploads.manifest(whole, uploadId, PAGE)],
    [
      'cancelled contents of this upload',
      ({ uploads }) => uploads.manifest(whole, uploadId, { ...PAGE, status: 'cancelled' }),
    ],
    ['uploads of the workspace', ({ uploadLists }) => uploadLists.list(whole, newest)],
    ['uploads, far into the list', ({ uploadLists }) => uploadLists.list(whole, { ...newest, before: middle })],
    [
      'uploads of the smallest collection',
      ({ uploadLists }) => uploadLists.list(whole, { ...newest, collectionId: smallest }),
    ],
    ['uploads of a key limited to 20 collections', ({ uploadLists }) => uploadLists.list(limited, newest)],
  ];
}

function jobCalls({ workspaceId, collectionIds, middleUs, uploadId }: DataSet): NamedCall[] {
  const whole = { workspaceId, collectionIds: null };
  const limited = { workspaceId, collectionIds: collectionIds.slice(0, 20) };
  const page = { before: null, limit: 50 };
  const middle = { limit: 50, before: { createdUs: middleUs, id: uploadId } };
  const reader = { principal: 'creator-1', userId: 'user-1' };
  const all = { kinds: LISTED_DELETION_KINDS, statuses: DELETION_STATUSES, page };
  const changes = { collectionId: undefined, statuses: REEMBEDDING_STATUSES, page };
  const jobs = { createdBy: null, statuses: COMPRESSION_STATUSES, page };
  return [
    ['deletions of the workspace', ({ deletions }) => deletions.list(whole, reader, all)],
    ['deletions, far into the list', ({ deletions }) => deletions.list(whole, reader, { ...all, page: middle })],
    ['deletions of collections', ({ deletions }) => deletions.list(whole, reader, { ...all, kinds: ['collection'] })],
    ['deletions, pending', ({ deletions }) => deletions.list(whole, reader, { ...all, statuses: ['pending'] })],
    ['deletions that a member reads', ({ deletions }) => deletions.list(limited, reader, all)],
    [
      'deletions that a member reads, running',
      ({ deletions }) => deletions.list(limited, reader, { ...all, statuses: ['running'] }),
    ],
    ['compressions of the workspace', ({ compressions }) => compressions.list(whole, jobs)],
    ['compressions, failed', ({ compressions }) => compressions.list(whole, { ...jobs, statuses: ['failed'] })],
    ['compressions of a member', ({ compressions }) => compressions.list(whole, { ...jobs, createdBy: 'creator-1' })],
    ['changes of embedders', ({ reembeddings }) => reembeddings.list(whole, changes)],
    ['changes of embedders that a member reads', ({ reembeddings }) => reembeddings.list(limited, changes)],
    [
      'changes of embedders, failed',
      ({ reembeddings }) => reembeddings.list(whole, { ...changes, statuses: ['failed'] }),
    ],
  ];
}

function conversationCalls({ workspaceId, collectionIds, uploadId }: DataSet): NamedCall[] {
  const whole = { workspaceId, collectionIds: null };
  const page = { skip: 0, limit: 50 };
  const byTitle = { readerId: null, title: { text: 'zebra', key: 'zebra' } };
  const about = { readerId: null, collectionId: collectionIds.at(-1) };
  return [
    ['conversations of the workspace', ({ conversations }) => conversations.list(whole, { readerId: null }, page)],
    ['conversations by title', ({ conversations }) => conversations.list(whole, byTitle, page)],
    ['conversations about the smallest collection', ({ conversations }) => conversations.list(whole, about, page)],
    ['count: conversations by title', ({ conversations }) => conversations.count(whole, byTitle)],
    ['jobs of an upload', ({ outbox }) => outbox.hasForUpload(whole, uploadId)],
  ];
}

function countCalls({ workspaceId, collectionIds, userId }: DataSet): NamedCall[] {
  const whole = { workspaceId, collectionIds: null };
  const limited = { workspaceId, collectionIds: someOf(collectionIds, 20) };
  const many = { workspaceId, collectionIds: someOf(collectionIds, 1000) };
  const [largest = ''] = collectionIds;
  const memories = { userId: null, memoryType: null, readerId: null, includeSuperseded: false };
  return [
    ['count: contents of the workspace', ({ contents }) => contents.count(whole, {})],
    ['count: contents of the largest collection', ({ contents }) => contents.count(whole, { collectionId: largest })],
    ['count: contents of a key limited to 20 collections', ({ contents }) => contents.count(limited, {})],
    ['count: contents of a key limited to 1000 collections', ({ contents }) => contents.count(many, {})],
    ['count: contents, ready', ({ contents }) => contents.count(whole, { status: 'ready' })],
    ['count: contents, cancelled', ({ contents }) => contents.count(whole, { status: 'cancelled' })],
    ['count: chunks of the workspace', ({ chunks }) => chunks.countPublished(whole, {})],
    [
      'count: chunks of the largest collection',
      ({ chunks }) => chunks.countPublished(whole, { collectionId: largest }),
    ],
    ['count: chunks of a key limited to 20 collections', ({ chunks }) => chunks.countPublished(limited, {})],
    ['count: memories of the workspace', ({ memories: store }) => store.count(whole, memories)],
    [
      'count: memories that a user reads',
      ({ memories: store }) => store.count(whole, { ...memories, readerId: userId }),
    ],
    ['count: deliveries', ({ webhookDeliveries }) => webhookDeliveries.count(whole, {})],
    ['count: deliveries, failed', ({ webhookDeliveries }) => webhookDeliveries.count(whole, { status: 'failed' })],
  ];
}

const DUE_MEMORIES = { limit: 100, maxCharacters: 65_536, maxWorkspaces: 8, except: [] };

function loopCalls(): NamedCall[] {
  return [
    ['loop: residues that are due', ({ system }) => system.claimDueResidues(20, 1_000)],
    ['loop: stored answers that expired', ({ system }) => system.purgeIdempotencyKeys(1_000)],
    ['loop: conversations that are being deleted', ({ system }) => system.listDeletingConversations(10)],
    ['loop: log of deliveries', ({ webhookUpkeep }) => webhookUpkeep.purge(864e5 * 365, 1000)],
    ['loop: outbox', ({ system }) => system.claimDueStarts(20)],
    ['loop: memories to index', ({ memoryProjections }) => memoryProjections.claimDue(DUE_MEMORIES)],
  ];
}
