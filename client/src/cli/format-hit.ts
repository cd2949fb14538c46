import type { components } from '../schema.ts';
import { matchingSentence } from './matching-sentence.ts';
import { oneLine } from './printable.ts';

type Hit = components['schemas']['SearchResult'];

const MAX_SNIPPET_CHARACTERS = 300;

/** Formats a result of a search: its source, page and headings, the sentence that matches, and why it was found. */
export function formatHit(hit: Hit, { rank, query }: { rank: number; query: string }): string {
  const { score, source, content, content_id, explain } = hit;
  const place = placeOf(hit.chunk);
  return [
    `${rank}. ${oneLine(source)}  (${score.toFixed(3)}, ${content_id})`,
    ...(place === '' ? [] : [`   ${place}`]),
    `   ${matchingSentence(content, query, MAX_SNIPPET_CHARACTERS)}`,
    ...(explain === undefined ? [] : [`   ${explanationOf(explain)}`]),
  ].join('\n');
}

/** Returns the page and the headings of a chunk. */
function placeOf(chunk: unknown): string {
  const page = fieldOf(chunk, 'page');
  const path = fieldOf(chunk, 'heading_path');
  const headings = Array.isArray(path) ? path.filter((title) => typeof title === 'string') : [];
  return [
    ...(typeof page === 'number' ? [`page ${page}`] : []),
    ...(headings.length > 0 ? [oneLine(headings.join(' > '), 120)] : []),
  ].join(', ');
}

function explanationOf(explain: object): string {
  return ['keyword', 'vector', 'rerank']
    .flatMap((name) => {
      const leg = fieldOf(explain, name);
      const [rank, score] = [fieldOf(leg, 'rank'), fieldOf(leg, 'score')];
      const isKnown = typeof rank === 'number' && typeof score === 'number';
      // A model that was not asked, or not given the hit, says nothing.
      if (!isKnown) return name === 'rerank' ? [] : [`${name}: not among the first 100`];
      return `${name}: rank ${rank}, score ${score.toFixed(3)}`;
    })
    .join('; ');
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
