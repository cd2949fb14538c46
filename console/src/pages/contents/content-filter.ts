import type { Schemas } from '../../api/schemas.ts';
import { contentsTexts } from '../../texts/contents-texts.ts';

export type ContentStatusName = Schemas['Content']['status'];

/** Which contents are shown. By default all. */
export type ContentFilter = { status?: ContentStatusName | undefined; search?: string | undefined };

/** Reads the filter from the address of the page. */
export function contentFilterOf({ status, search }: Record<string, unknown>): ContentFilter {
  return {
    ...(isStatus(status) ? { status } : {}),
    ...(typeof search === 'string' && search !== '' ? { search } : {}),
  };
}

/** True for a name of a status. */
export function isStatus(name: unknown): name is ContentStatusName {
  return typeof name === 'string' && Object.hasOwn(contentsTexts.status, name);
}
