import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { Collection } from '../../domain/records/collection.ts';
import { idsOf, longText, until, type Flow } from './flow.ts';

const Made = z.looseObject({ id: z.string().optional() });

/** Puts something of every kind into a workspace: what is done, what is under way, what waits, what was deleted. */
export async function furnish(flow: Flow): Promise<void> {
  const { api, workspaceId, collectionId } = flow;
  const create = async (path: string, json: unknown, headers: Record<string, string> = {}) => {
    const answer = await api.send(path, { method: 'POST', json, headers });
    if (answer.status !== 201) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return answer;
  };
  const child = { name: 'below', parent_id: collectionId, embedding: { provider: 'lexical' } };
  const below = await api.post('/collections', Collection, { json: child, status: 201 });
  await create('/collections', { ...child, parent_id: below.id });
  const [gone] = idsOf(await flow.upload(['content', 'The herring shoals.'], ['files', new File(['Two.'], 'b.txt')]));
  await flow.delete(gone);
  await flow.send(['content', 'Only kept.'], ['ingest', 'false']);
  const resting = await flow.send(['files', new File([longText(200)], 'resting.txt')]);
  await flow.control(`/uploads/${resting.upload_id}/pause`);
  await create('/memories', { user_id: 'ada', memory: 'Ada collects fossils.' });
  await create('/messages', { enable_memories: true, content: [{ content: 'I keep bees.', sender_id: 'ada' }] });
  await create('/connections', { integration: 'tracker', integration_type: 'api', credentials: { api_key: 'x' } });
  await create('/api-keys', { permissions: ['collections:read'] }, { 'Idempotency-Key': randomUUID() });
  await create(`/workspaces/${workspaceId}/members`, { user_id: `user-${randomUUID()}` });
  // The message is remembered as well.
  await until(
    () => api.get('/memories', z.object({ data: z.array(Made) })),
    ({ data }) => data.length === 2,
  );
  await flow.send(['files', new File([longText(300)], 'under-way.txt')]);
}
