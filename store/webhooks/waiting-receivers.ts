/** SQL condition of a delivery that is neither delivered nor given up. The partial indexes of the table have the same one. */
export const IS_WAITING = `status in ('pending', 'retrying')`;

/**
 * The statement `receivers` of a `with recursive` query: every receiver with waiting deliveries. It skips from one receiver to
 * the next by the index, so it costs the same however many deliveries wait for each.
 */
export const WAITING_RECEIVERS = `receivers as (
  (select w.receiver_id, w.workspace_id, w.endpoint_id from webhook_deliveries w where w.${IS_WAITING}
   order by w.receiver_id limit 1)
  union all
  select n.receiver_id, n.workspace_id, n.endpoint_id from receivers r cross join lateral (
    select w.receiver_id, w.workspace_id, w.endpoint_id from webhook_deliveries w
    where w.${IS_WAITING} and w.receiver_id > r.receiver_id order by w.receiver_id limit 1) n
)`;
