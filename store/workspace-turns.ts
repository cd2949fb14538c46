/** Rows that wait for a loop of the worker. The conditions are about the row `v`. */
export type WaitingRows = { table: string; isWaiting: string; isDue: string; dueAt: string };

/**
 * Statements of a `with recursive` query that claims rows of all workspaces in turn. The last one, `turns`, has up to
 * `:maxWorkspaces` workspaces with due rows, without those of `:except`, and how many of `:limit` rows each may claim: `share`.
 * They are chosen at random, so that each gets its turn however many there are and however many processes claim.
 *
 * `table` needs an index of (workspace_id, `dueAt`) that has the waiting rows only. By that it skips from one workspace to the
 * next, so it costs the same however many rows wait for each. No other index has the order that it asks for.
 *
 * A claim takes the rows of a workspace by `limit :limit` within `limit t.share`. The planner knows the first number only; for
 * the second it would expect a tenth of all rows, and estimate costs at which Postgres may compile the statement.
 */
export function workspaceTurns({ table, isWaiting, isDue, dueAt }: WaitingRows): string {
  return `waiting as (
    (select v.workspace_id from ${table} v where ${isWaiting} order by v.workspace_id, v.${dueAt} limit 1)
    union all
    select n.workspace_id from waiting w cross join lateral (
      select v.workspace_id from ${table} v where ${isWaiting} and v.workspace_id > w.workspace_id
      order by v.workspace_id, v.${dueAt} limit 1) n
  ), chosen as (
    select w.workspace_id from waiting w cross join lateral (
      select from ${table} v where v.workspace_id = w.workspace_id and ${isDue} order by v.${dueAt} limit 1) first
    where w.workspace_id <> all(:except::uuid[]) order by random() limit :maxWorkspaces
  ), turns as (
    select workspace_id, greatest(1, :limit::int / count(*) over ()) as share from chosen
  )`;
}
