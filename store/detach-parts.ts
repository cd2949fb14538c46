import { query, type Database } from './postgres.ts';

/** Parts that live on in a collection where the whole they came out of does not: they stand for themselves from now on. */
export async function detachParts(
  transaction: Database,
  gone: { workspaceId: string; contentIds: readonly string[] },
): Promise<void> {
  if (gone.contentIds.length === 0) return;
  await query(
    transaction,
    `with recursive own(id, root) as (
       select id, id from contents where part_of = any(:contentIds::uuid[]) and workspace_id = :workspaceId
       union all select t.id, own.root from contents t join own on t.part_of = own.id
     )
     update contents t set part_root = nullif(own.root, t.id), part_of = case when own.root = t.id then null else t.part_of end,
       linked_to = case when own.root = t.id then null else t.linked_to end
     from own where own.id = t.id`,
    gone,
  );
}
