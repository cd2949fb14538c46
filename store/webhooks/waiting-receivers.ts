/** SQL condition of a delivery that is neither delivered nor given up. The partial indexes of the table have the same one. */
export const IS_WAITING = `status in ('pending', 'retrying')`;

/**
 * The statements `owners` and `receivers` of a `with recursive` query: receivers with waiting deliveries, of each workspace at
 * most `maxOfWorkspace`. Each `webhook_url` may name another receiver, and thousands of one workspace would make the claims of
 * all others slow. Requires the binding `:start`, a random UUID: of a workspace with more receivers, those that follow it are
 * taken, so that each gets its turn.
 *
 * The statements skip from one workspace, and from one receiver, to the next by the index, so they cost the same however many
 * deliveries wait for each.
 */
export function waitingReceivers(maxOfWorkspace: number): string {
  return `owners as (
    (select w.workspace_id from webhook_deliveries w where w.${IS_WAITING} order by w.workspace_id limit 1)
    union all
    select n.workspace_id from owners o cross join lateral (
      select w.workspace_id from webhook_deliveries w
      where w.${IS_WAITING} and w.workspace_id > o.workspace_id order by w.workspace_id limit 1) n
  ), receivers as (
    select r.* from owners o cross join lateral (
      with recursive ${lineOf('later', 'w.receiver_id >= :start::uuid', 'true')},
        ${lineOf('earlier', 'true', 'w.receiver_id < :start::uuid')}
      select * from (select * from later union all select * from earlier) r limit ${maxOfWorkspace}) r
  )`;
}

/** Receivers of workspace `o` in order of their ids, from the first that meets both conditions on, while `continues` holds. */
function lineOf(name: string, begins: string, continues: string): string {
  const next = (condition: string) => `select w.receiver_id, w.workspace_id, w.endpoint_id from webhook_deliveries w
    where w.${IS_WAITING} and w.workspace_id = o.workspace_id and ${condition} and ${continues}
    order by w.receiver_id limit 1`;
  return `${name} as (
    (${next(begins)})
    union all
    select n.* from ${name} r cross join lateral (${next('w.receiver_id > r.receiver_id')}) n
  )`;
}
