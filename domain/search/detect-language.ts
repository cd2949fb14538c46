import { detectAll } from 'tinyld/light';
import { FUNCTION_WORDS } from './function-words.ts';
import { LATIN_LANGUAGES, STOP_WORDS, type LatinLanguage } from './languages.ts';

/** Only the beginning of a text is read. */
const SAMPLE_CHARACTERS = 400;
/** n-grams decide between languages with as many function words; they are slow, and need no more than this. */
const NGRAM_CHARACTERS = 200;
const MIN_LETTERS = 12;
/** Distinct function words of a language that a text has at least, if they alone decide. */
const MIN_FUNCTION_WORDS = 2;
/** Below this share of certainty, n-grams guess. */
const MIN_ACCURACY = 0.25;
/** A language that leads the next one by this factor needs less. */
const CLEAR_LEAD = 3;
const MIN_LEADING_ACCURACY = 0.08;

/** Languages with this part of the most function words are told apart by n-grams. */
const CLOSE = 0.75;
/** Share of function words among the distinct words, if they alone decide. */
const MIN_SHARE = 0.12;

/** Letters of no other of these languages: the n-grams do not know Czech. */
const CZECH_LETTERS = /[ěřů]/iu;

const WORD = /[\p{L}\p{N}\p{M}]+/gu;
const LATIN_WORD = /^\p{Script=Latin}[\p{Script=Latin}\p{M}]+$/u;

/** The languages in which a word is a function word. */
const LANGUAGES_BY_WORD = new Map<string, LatinLanguage[]>();
for (const language of LATIN_LANGUAGES) {
  for (const word of STOP_WORDS[language]) {
    if (word.length < 2) continue;
    const known = LANGUAGES_BY_WORD.get(word);
    if (known) known.push(language);
    else LANGUAGES_BY_WORD.set(word, [language]);
  }
}

/**
 * Returns the language of a text in Latin letters; null for English and for what cannot be told: names, code, a few words.
 * Function words decide, because code, references and names have none; between languages that share them, n-grams do (tinyld).
 */
export function detectLanguage(text: string): LatinLanguage | null {
  const sample = text.slice(0, SAMPLE_CHARACTERS);
  const all = sample.toLowerCase().normalize('NFC').match(WORD) ?? [];
  const words = new Set(all.filter((word) => LATIN_WORD.test(word)));
  const counts = new Map<LatinLanguage, number>();
  let english = 0;
  let letters = 0;
  for (const word of words) {
    letters += word.length;
    if (FUNCTION_WORDS.has(word)) english += 1;
    for (const language of LANGUAGES_BY_WORD.get(word) ?? []) counts.set(language, (counts.get(language) ?? 0) + 1);
  }
  if (letters < MIN_LETTERS) return null;
  const most = Math.max(0, ...counts.values());
  // English words occur in texts of all languages, and some are words of other languages: `die`, `man`, `war`.
  if (english > 1 && most <= 1.5 * english) return null;
  const likely = LATIN_LANGUAGES.filter((language) => (counts.get(language) ?? 0) >= CLOSE * most);
  const [first] = likely;
  const isCertain = most >= MIN_FUNCTION_WORDS && most >= MIN_SHARE * words.size;
  if (first && likely.length === 1 && isCertain) return first;
  const isCzech = isCertain ? likely.includes('cs') : english === 0;
  if (isCzech && CZECH_LETTERS.test(sample)) return 'cs';
  return detectByNgrams(sample, { likely, isCertain, hasEnglish: english > 0 });
}

function detectByNgrams(
  sample: string,
  { likely, isCertain, hasEnglish }: { likely: readonly LatinLanguage[]; isCertain: boolean; hasEnglish: boolean },
): LatinLanguage | null {
  if (!isCertain && !/\p{Ll}{3,} \p{Ll}{3,}/u.test(sample)) return null;
  const guesses = detectAll(sample.slice(0, NGRAM_CHARACTERS), { only: ['en', ...LATIN_LANGUAGES] });
  if (!isCertain) {
    const [best, next] = guesses;
    const isClear =
      best && best.accuracy >= CLEAR_LEAD * (next?.accuracy ?? 0) && best.accuracy >= MIN_LEADING_ACCURACY;
    const isLikely = best && (hasEnglish ? best.accuracy >= 1 : best.accuracy >= MIN_ACCURACY || isClear);
    return isLikely ? toLatinLanguage(best.lang) : null;
  }
  const guess = guesses.find(({ lang }) => likely.some((language) => language === lang));
  return guess ? toLatinLanguage(guess.lang) : (likely[0] ?? null);
}

function toLatinLanguage(code: string): LatinLanguage | null {
  return LATIN_LANGUAGES.find((language) => language === code) ?? null;
}

const PERSIAN_LETTERS = /[پچژگکی]/gu;
/** Letters of Arabic that Persian has in other forms, and those of Urdu alone. */
const OTHER_LETTERS = /[كيةىأإٹڈڑےں]/gu;

/** Tells whether a text in Arabic letters is Persian: some letters are written in one of the two languages only. */
export function isPersian(text: string): boolean {
  const sample = text.slice(0, SAMPLE_CHARACTERS);
  return (sample.match(PERSIAN_LETTERS)?.length ?? 0) > (sample.match(OTHER_LETTERS)?.length ?? 0);
}
