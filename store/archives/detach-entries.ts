import { query, type Database } from '#store/postgres.ts';

/** A content whose row has been removed, and the archive that contained it. */
export type GoneContent = { id: string; part_of: string | null };

/**
 * Turns entries whose archive no longer exists into independent contents, when they remain in another collection. An entry that
 * is being deleted somewhere stays attached, because its deletion finds it through its archive: the content that the user
 * deleted, or the archive that contained that content.
 */
export async function detachEntries(
  transaction: Database,
  { workspaceId, gone }: { workspaceId: string; gone: readonly GoneContent[] },
): Promise<void> {
  if (gone.length === 0) return;
  await query(
    transaction,
    `with recursive input as (select * from jsonb_to_recordset(:gone::jsonb) as x(id uuid, part_of uuid)
     ), up(id, finder, step) as (
       select id, id, 0 from input
       union all select up.id, input.part_of, up.step + 1 from up join input on input.id = up.finder
       where input.part_of is not null and not exists (
         select 1 from deletions d where d.subject_id = up.finder and d.workspace_id = :workspaceId and d.status <> 'completed')
     ), gone as (
       select distinct on (id) id, finder from up order by id, step desc
     ), own(id, root, finder) as (
       select t.id, t.id, case when exists (
           select 1 from content_collections cc where cc.content_id = t.id and cc.stage = 'deleting') then gone.finder end
       from contents t join gone on t.part_of = gone.id where t.workspace_id = :workspaceId
       union all select t.id, own.root, null::uuid from contents t join own on t.part_of = own.id
     )
     update contents t set part_root = nullif(own.root, t.id),
       part_of = case when own.root = t.id then own.finder else t.part_of end,
       linked_to = case when own.root = t.id then null else t.linked_to end
     from own where own.id = t.id`,
    { workspaceId, gone: JSON.stringify(gone) },
  );
}
