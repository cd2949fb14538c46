import { validationError } from '#domain/app-error.ts';
import type { Caller } from '#domain/access/caller.ts';
import { resolveField, type Field } from '#domain/filters/fields.ts';
import { toFilterRecord } from '#domain/filters/filter-record.ts';
import { readsChunk, type Filter, type Scalar } from '#domain/filters/filter.ts';
import { matchesValues } from '#domain/filters/matches-filter.ts';
import { fieldsOfFilter, neededFields, readsMetadata, type NeededFields } from '#domain/filters/needed-fields.ts';
import { recordValues } from '#domain/filters/values-by-path.ts';
import type { FacetCounts } from '#domain/records/search-options.ts';
import { FacetTally } from '#domain/search/facet-tally.ts';
import type { ContentGroup, GroupPage, GroupedContents } from '#store/contents/content-fields.ts';
import { createPause } from '#operations/pause.ts';
import type { Services } from '#operations/services.ts';

/** Contents that are counted for one search, and bytes of their metadata. */
const MAX_COUNTED = 20_000;
const MAX_METADATA_BYTES = 64 * 1024 * 1024;
/** A page of contents whose metadata is read; how large it is, is known after the first page. */
const PAGE_BYTES = 1024 * 1024;
const FIRST_PAGE = 100;
const MAX_PAGE = 2_500;
const NO_VALUES: ReadonlySet<Scalar> = new Set();

type FacetRequest = {
  names: readonly string[];
  filter: Filter | null;
  collectionIds: ReadonlySet<string>;
  signal?: AbortSignal | undefined;
};

/** @throws AppError `validation_failed` when the filter reads chunks, because facets count contents. */
export function requireContentFilter(filter: Filter | null): void {
  if (filter === null || !readsChunk(filter)) return;
  const msg = 'Facets count contents: send filters without chunk.*, or leave facets out';
  throw validationError([{ loc: ['body', 'facets'], msg, type: 'conflicting_fields' }]);
}

/**
 * Counts the published contents of the collections that match the filter by their values of each field, every content once. The
 * database groups them, and reads metadata only if one of the fields is in it.
 * @throws the reason of the signal.
 */
export async function countFacets(
  services: Services,
  caller: Caller,
  request: FacetRequest,
): Promise<Record<string, FacetCounts>> {
  const { names, filter } = request;
  const fields = new Map(names.map((name) => [name, resolveField(name)]));
  const asked = [...fields.values()].filter((field) => field !== null);
  const tallies = new Map(names.map((name) => [name, new FacetTally()]));
  const needed = neededFields([...asked, ...fieldsOfFilter(filter)]);
  const pause = createPause(request.signal);
  let isExact = true;
  for await (const group of publishedGroups(services, caller, { ...request, needed })) {
    if (group === 'too many') {
      isExact = false;
      break;
    }
    await pause();
    const values = recordValues(toFilterRecord(group.fields, {}));
    if (filter !== null && !matchesValues(filter, values)) continue;
    const valuesOf = (field: Field | null | undefined) => (field && values[field.area].get(field.path)) ?? NO_VALUES;
    for (const [name, tally] of tallies) tally.add(valuesOf(fields.get(name)), group.contents);
  }
  return Object.fromEntries([...tallies].map(([name, tally]) => [name, tally.toCounts(isExact)]));
}

/** Each page waits for a slot of searches, in turn with them: neither holds up another workspace for longer than one page. */
async function* publishedGroups(
  services: Services,
  caller: Caller,
  { collectionIds, needed, signal }: FacetRequest & { needed: NeededFields },
): AsyncGenerator<ContentGroup | 'too many'> {
  const { scope } = caller;
  const place = { share: scope.workspaceId, lane: 'express', signal } as const;
  const earlier: string[] = [];
  let limit = readsMetadata(needed) ? FIRST_PAGE : MAX_PAGE;
  const left = { contents: MAX_COUNTED, bytes: MAX_METADATA_BYTES };
  for (const collectionId of collectionIds) {
    for (let after: string | null = null, isLast = false; !isLast;) {
      if (left.contents <= 0 || left.bytes <= 0) {
        yield 'too many';
        return;
      }
      const asked: GroupPage = { collectionId, earlier, needed, after, limit: Math.min(limit, left.contents) };
      const read = () => services.stores.contents.groupPublished(scope, asked);
      const page: GroupedContents = await services.searchSlots.run(read, place);
      yield* page.groups;
      left.contents -= page.groups.reduce((sum, { contents }) => sum + contents, 0);
      left.bytes -= page.bytes;
      limit = nextLimit(asked.limit, page.bytes);
      after = page.last;
      isLast = after === null;
    }
    earlier.push(collectionId);
  }
}

/** As many contents as have metadata of `PAGE_BYTES` if they are like those of the page before, which had `limit`. */
function nextLimit(limit: number, bytes: number): number {
  const fitting = Math.floor((limit * PAGE_BYTES) / Math.max(bytes, 1));
  return Math.max(1, Math.min(MAX_PAGE, limit * 8, fitting));
}
