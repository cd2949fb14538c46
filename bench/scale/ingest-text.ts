import { createHash } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { chunkId } from '#domain/chunking/chunk-id.ts';
import { CreateCollectionRequest } from '#domain/records/collection.ts';
import type { Scope } from '#domain/access/scope.ts';
import type { Stores } from '#store/stores.ts';

export type TextIngestion = { stores: Stores; scope: Scope; collectionId: string; fold: () => Promise<unknown> };

export async function openIngestion(stores: Stores): Promise<TextIngestion> {
  const scope = { workspaceId: await stores.system.insertWorkspace('texts'), collectionIds: null };
  const request = { ...CreateCollectionRequest.parse({ name: 'texts' }), createdBy: 'a benchmark' };
  const space = { provider: 'lexical' as const, model: 'lexical', model_hash: 'x', dimensions: 256 };
  const collectionId = await stores.collections.insert(scope, request, space);
  return {
    stores,
    scope,
    collectionId,
    fold: async () => (stores.system as { foldCounts?: () => Promise<boolean> }).foldCounts?.(),
  };
}

/** What the API and the express activity write of a small text, in their order, in their transactions. */
export async function ingestText({ stores, scope, collectionId }: TextIngestion, number: number): Promise<void> {
  const [id, contentId] = [uuidv7(), uuidv7()];
  const hash = createHash('sha256').update(`${number}`).digest('hex');
  const workflowId = `ingestUpload/${id}`;
  const run = { collectionId, runId: id, contentIds: [contentId] };
  await stores.transaction(async (accepting) => {
    await accepting.collections.lockForUpload(scope, collectionId);
    await accepting.existingContents.findForUpdate(scope, collectionId, { dedupeKeys: [hash], externalIds: [] });
    await accepting.contents.insert(scope, collectionId, [
      {
        id: contentId,
        name: `text ${number}`,
        description: null,
        metadata: {},
        type: 'text/plain',
        size: 200,
        content_hash: hash,
        file_data: {},
        external_id: null,
        source: 'text',
        url: null,
        created_by: 'a benchmark',
        status: 'pending',
      },
    ]);
    const started = { upload_id: id, run_id: id, workflow_id: workflowId, stage: 'pending' as const, reader: 'native' };
    await accepting.runControl.insert(scope, collectionId, [
      { ...started, content_id: contentId, dedupe_key: hash, external_id: null },
    ]);
    const upload = { id, collectionId, contentType: 'text', ingest: true, workflowId, total: 1, errors: [] };
    await accepting.uploads.insert(scope, {
      ...upload,
      createdBy: 'a benchmark',
      contentIds: [contentId],
      isCounted: false,
    });
    const job = { workspace_id: scope.workspaceId, workflow_type: 'ingestUpload', workflow_id: workflowId };
    await accepting.outbox.add(scope, [
      { ...job, task_queue: 'bulk', args: { upload_id: id }, summary: 'text' } as never,
    ]);
  });
  // Its start would be recorded half a second later: by then it has ended.
  await stores.runs.begin(scope, run, { stage: 'reading', upTo: 'splitting', isShown: false });
  const chunk = {
    content_id: contentId,
    version: 1,
    chunk_index: 0,
    content: `text ${number} `.repeat(15),
    context: '',
  };
  const metadata = { page: null, heading_path: [], start: 0, end: 200, tokens: 40 };
  await stores.chunks.insert(scope, run, [
    { ...chunk, id: chunkId({ collectionId, contentId, version: 1, index: 0 }), size: 200, tokens: 40, metadata },
  ]);
  const finished = {
    content_id: contentId,
    version: 1,
    planned_chunks: 1,
    text_sha256: hash,
    text: { key: `${hash}/native/3`, facts: { bytes: 200, pages: [] } },
    file_data: { characters: 200 },
  };
  await stores.runs.finishRead(scope, run, { finished: [finished], isShown: false });
  const config = { chunker: 'structure', embedder: 'lexical/lexical' };
  const contents = [{ content_id: contentId, chunks: 1 }];
  await stores.publications.publish(scope, run, { contents, config, tenant: `${collectionId}-1`, epoch: 0 });
  await stores.outbox.complete(scope, workflowId);
}
