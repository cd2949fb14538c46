import type { components } from '../schema.ts';
import { oneLine } from './printable.ts';

type Missing = components['schemas']['MissingResult'];
type Place = Missing['keyword'];

/** Formats why a search does not have a content: the reason, and what was seen on the way. */
export function formatMissing(missing: Missing): string {
  const { reason, message, content, filters, terms, keyword, vector, relevance, lost_to: lostTo } = missing;
  return [
    `${oneLine(content.name)}: ${reason.replaceAll('_', ' ')}. ${oneLine(message, 1000)}`,
    ...filters.map((check) => `   ${check.holds ? 'holds' : 'fails'}: ${oneLine(check.condition)}${seenOf(check)}`),
    ...terms.map(
      ({ word, found }) => `   ${oneLine(word)}: ${found.length === 0 ? 'not in it' : oneLine(found.join(', '))}`,
    ),
    ...placeOf('keyword', keyword),
    ...placeOf('vector', vector),
    ...(relevance === null ? [] : [`   relevance ${relevance.toFixed(2)}`]),
    ...lostTo.map(
      (one) => `   lost to ${one.rank}. ${oneLine(one.source)}  (${one.score.toFixed(3)}, ${one.content_id})`,
    ),
  ].join('\n');
}

function seenOf({ seen }: Missing['filters'][number]): string {
  return seen.map(({ field, values }) => `; ${oneLine(field)}: ${oneLine(JSON.stringify(values))}`).join('');
}

function placeOf(name: string, place: Place): string[] {
  if (place === null) return [];
  if (!place.is_matched) return [`   ${name}: not matched`];
  const rank = place.rank === null ? 'beyond rank 1,000' : `rank ${place.rank}`;
  return [`   ${name}: ${rank}${place.score === null ? '' : `, score ${place.score.toFixed(3)}`}`];
}
