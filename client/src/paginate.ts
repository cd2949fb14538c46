import { dataOf, type ApiResult } from './data-of.ts';
import type { LociApi } from './loci-api.ts';
import type { paths } from './schema.ts';

type PageOf<Path extends keyof paths> = paths[Path] extends {
  get: { responses: { 200: { content: { 'application/json': infer Page } } } };
}
  ? Page
  : never;

type ParametersOf<Path extends keyof paths> = paths[Path] extends { get: { parameters: infer Parameters } }
  ? Parameters
  : never;

/** Paths whose GET returns a page of a list, with a cursor or with `skip`. */
export type ListPath = {
  [Path in keyof paths]: PageOf<Path> extends { next_cursor: string | null } | { data: Rows; total_count: number }
    ? ParametersOf<Path> extends { query?: { cursor?: string } | { skip?: number } }
      ? Path
      : never
    : never;
}[keyof paths];

/** The entries of a page; the name of their field depends on the list. */
type Rows = readonly unknown[];

/** Type of the entries of the list at this path. */
export type ItemOf<Path extends ListPath> =
  PageOf<Path> extends { data: infer List extends Rows }
    ? List[number]
    : PageOf<Path> extends { chunks: infer List extends Rows }
      ? List[number]
      : PageOf<Path> extends { contents: infer List extends Rows }
        ? List[number]
        : never;

/** Path parameters, filters of the list, and the page size. */
export type ListOptions<Path extends ListPath> = {
  path?: ParametersOf<Path> extends { path?: infer Values } ? Values : never;
  query?: ParametersOf<Path> extends { query?: infer Values } ? Omit<NonNullable<Values>, 'cursor' | 'skip'> : never;
  /** True for a list by which something is decided: it contains all that was written before. Others may be seconds old. */
  isCurrent?: boolean;
  signal?: AbortSignal;
};

/** Headers of a request whose list must contain all that was written before. */
export const CURRENT_LIST: Readonly<Record<string, string>> = { 'Cache-Control': 'no-cache' };

type AnyPage = {
  data?: unknown[];
  chunks?: unknown[];
  contents?: unknown[];
  next_cursor?: string | null;
  total_count?: number;
};
type GetPage = (path: string, init: object) => Promise<ApiResult<AnyPage>>;

/**
 * Yields every entry of a list in its order and requests the next page when needed. Lists without a cursor (conversations)
 * are paged by position: concurrent additions and deletions can repeat or skip entries.
 * @throws LociError if a page cannot be loaded
 */
export async function* paginate<Path extends ListPath>(
  api: LociApi,
  path: Path,
  options: ListOptions<Path> = {},
): AsyncGenerator<ItemOf<Path>, void, undefined> {
  // TypeScript cannot check one call for all paths at once; `ListPath` guarantees that each returns a page.
  const get = api.GET as unknown as GetPage;
  const signal = options.signal ? { signal: options.signal } : {};
  const headers = options.isCurrent === true ? CURRENT_LIST : {};
  let position: { cursor?: string; skip?: number } | null = {};
  let seen = 0;
  while (position !== null) {
    const query: object = { ...options.query, ...position };
    const page: AnyPage = await dataOf(get(path, { params: { path: options.path, query }, headers, ...signal }));
    // The same fields as in `ItemOf`.
    const items = (page.data ?? page.chunks ?? page.contents ?? []) as ItemOf<Path>[];
    yield* items;
    seen += items.length;
    position = nextPosition(page, items.length, seen);
  }
}

function nextPosition(page: AnyPage, count: number, seen: number): { cursor?: string; skip?: number } | null {
  if (page.next_cursor !== undefined) return page.next_cursor === null ? null : { cursor: page.next_cursor };
  return count === 0 || seen >= (page.total_count ?? 0) ? null : { skip: seen };
}
