/** The bodies of a request and of its response. Responses that are not JSON are texts. */
export type OperationExample = { body?: unknown; response?: unknown };

/** A page with these records, which is the last one. */
export function lastPageOf<Row>(...data: readonly Row[]) {
  return { data: [...data], total_count: data.length, next_cursor: null, has_more: false };
}
