/**
 * `npm run bench:languages`: recall of a keyword search for inflected words in twenty-three languages, as Weaviate finds them: by the
 * words alone, by English stems and pairs of characters of unspaced scripts (what the service did until this was measured), and by
 * the terms that it uses. Needs no servers.
 */
import { stemmer } from 'stemmer';
import { findMatches } from '#domain/search/find-matches.ts';
import { formatVerdict } from '../statistics.ts';
import { INFLECTED_PAIRS } from './inflected-pairs.ts';
import type { InflectedText } from './inflected-text.ts';

const WORD = /[\p{L}\p{N}\p{M}]+/gu;

type Finds = (text: string, asked: string) => boolean;

const METHODS: readonly { name: string; finds: Finds }[] = [
  { name: 'words', finds: (text, asked) => wordsOf(text).includes(asked.toLowerCase()) },
  { name: 'English stems', finds: (text, asked) => wordsOf(text).map(englishStem).includes(englishStem(asked)) },
  { name: 'terms of the service', finds: (text, asked) => findMatches(text, asked).length > 0 },
];

console.log(`| language | words asked for | ${METHODS.map(({ name }) => name).join(' | ')} | not found |`);
console.log(`|---|---|${METHODS.map(() => '---|').join('')}---|`);
const recalls = Object.entries(INFLECTED_PAIRS).map(([language, texts]) => {
  const shares = METHODS.map(({ finds }) => recallOf(texts, finds));
  const missing = texts.flatMap(({ text, asked }) => asked.filter((word) => !METHODS.at(-1)?.finds(text, word)));
  const count = texts.flatMap(({ asked }) => asked).length;
  console.log(
    `| ${language} | ${count} | ${shares.map((share) => share.toFixed(2)).join(' | ')} | ${missing.join(', ')} |`,
  );
  return shares;
});
const means = METHODS.map((_, at) => recalls.reduce((sum, shares) => sum + (shares[at] ?? 0), 0) / recalls.length);
console.log(`| mean | | ${means.map((share) => share.toFixed(2)).join(' | ')} | |`);
console.log(foreignMatches());
console.log(
  formatVerdict('recall, terms of the service / English stems', (means[2] ?? 0) / (means[1] ?? 1), { atLeast: 2 }),
);

function recallOf(texts: readonly InflectedText[], finds: Finds): number {
  const found = texts.flatMap(({ text, asked }) => asked.map((word) => finds(text, word)));
  return found.filter(Boolean).length / found.length;
}

/** How often a word matches a text in another language. */
function foreignMatches(): string {
  const languages = Object.entries(INFLECTED_PAIRS);
  let pairs = 0;
  let matches = 0;
  for (const [language, texts] of languages) {
    const others = languages.filter(([other]) => other !== language).flatMap(([, each]) => each);
    for (const asked of texts.flatMap((each) => each.asked)) {
      for (const { text } of others) {
        pairs += 1;
        if (findMatches(text, asked).length > 0) matches += 1;
      }
    }
  }
  return `${matches} of ${pairs} pairs of a word and a text in another language match`;
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(WORD) ?? [];
}

function englishStem(word: string): string {
  const plain = word
    .toLowerCase()
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '');
  return /^[a-z]+$/.test(plain) ? stemmer(plain) : plain;
}
