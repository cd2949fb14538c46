/** The bodies of a request and of its response. Responses that are not JSON are texts. */
export type OperationExample = { body?: unknown; response?: unknown };

/** A page with these records, which is the last one. */
export function lastPageOf<Row>(...data: readonly Row[]) {
  return { data: [...data], total_count: data.length, next_cursor: null, has_more: false };
}

/** The same of a list whose number is counted up to a limit only. */
export function lastBoundedPageOf<Row>(...data: readonly Row[]) {
  return { ...lastPageOf(...data), total_is_exact: true };
}
