import type { Schemas } from '../../api/schemas.ts';
import { addressText } from '../../components/filters/address-text.ts';
import { isKey } from '../../components/filters/is-key.ts';
import { contentsTexts } from '../../texts/contents-texts.ts';

export type ContentStatusName = Schemas['Content']['status'];

/** Which contents are shown. By default all. */
export type ContentFilter = { status?: ContentStatusName | undefined; search?: string | undefined };

/** Reads the filter from the address of the page. */
export function contentFilterOf({ status, search }: Record<string, unknown>): ContentFilter {
  return {
    ...(isKey(contentsTexts.status, status) ? { status } : {}),
    search: addressText(search),
  };
}
