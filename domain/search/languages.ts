import { stemmer as arabic } from '@orama/stemmers/arabic';
import { stemmer as danish } from '@orama/stemmers/danish';
import { stemmer as dutch } from '@orama/stemmers/dutch';
import { stemmer as finnish } from '@orama/stemmers/finnish';
import { stemmer as french } from '@orama/stemmers/french';
import { stemmer as german } from '@orama/stemmers/german';
import { stemmer as greek } from '@orama/stemmers/greek';
import { stemmer as hungarian } from '@orama/stemmers/hungarian';
import { stemmer as hindi } from '@orama/stemmers/indian';
import { stemmer as italian } from '@orama/stemmers/italian';
import { stemmer as norwegian } from '@orama/stemmers/norwegian';
import { stemmer as portuguese } from '@orama/stemmers/portuguese';
import { stemmer as romanian } from '@orama/stemmers/romanian';
import { stemmer as russian } from '@orama/stemmers/russian';
import { stemmer as spanish } from '@orama/stemmers/spanish';
import { stemmer as swedish } from '@orama/stemmers/swedish';
import { stemmer as turkish } from '@orama/stemmers/turkish';
import { stopwords as danishWords } from '@orama/stopwords/danish';
import { stopwords as dutchWords } from '@orama/stopwords/dutch';
import { stopwords as finnishWords } from '@orama/stopwords/finnish';
import { stopwords as frenchWords } from '@orama/stopwords/french';
import { stopwords as germanWords } from '@orama/stopwords/german';
import { stopwords as hungarianWords } from '@orama/stopwords/hungarian';
import { stopwords as italianWords } from '@orama/stopwords/italian';
import { stopwords as norwegianWords } from '@orama/stopwords/norwegian';
import { stopwords as portugueseWords } from '@orama/stopwords/portuguese';
import { stopwords as romanianWords } from '@orama/stopwords/romanian';
import { stopwords as spanishWords } from '@orama/stopwords/spanish';
import { stopwords as swedishWords } from '@orama/stopwords/swedish';
import { stopwords as turkishWords } from '@orama/stopwords/turkish';
import { createStemmer } from 'multilingual-stemmer';
import { CZECH_WORDS, POLISH_WORDS } from './function-words.ts';

/** Languages in Latin letters that are stemmed, beside English. */
export const LATIN_LANGUAGES = [
  ...(['de', 'fr', 'es', 'it', 'pt', 'nl', 'sv', 'no', 'da', 'fi', 'tr', 'hu', 'ro'] as const),
  ...(['pl', 'cs'] as const),
] as const;
export type LatinLanguage = (typeof LATIN_LANGUAGES)[number];
/** Languages that their script tells, Arabic and Persian by the letters of the text; others in the same script are stemmed like them. */
export type ScriptLanguage = 'ru' | 'el' | 'ar' | 'fa' | 'he' | 'hi';
export type StemmedLanguage = LatinLanguage | ScriptLanguage;
/** Hebrew words have several stems (`hebrew-stem.ts`). */
type SnowballLanguage = Exclude<StemmedLanguage, 'he'>;

/**
 * Snowball stemmers (snowballstem.org). They expect lower case, with the accents of the language. Those of Polish,
 * Czech and Persian are new in Snowball 3.1, which the library of the others does not have; they are WebAssembly and a third as fast.
 */
export const STEMMERS: Readonly<Record<SnowballLanguage, (word: string) => string>> = {
  de: german,
  fr: french,
  es: spanish,
  it: italian,
  pt: portuguese,
  nl: dutch,
  sv: swedish,
  no: norwegian,
  da: danish,
  fi: finnish,
  tr: turkish,
  hu: hungarian,
  // The stemmer knows the letters with a cedilla, which older texts have instead of a comma.
  ro: (word) => romanian(word.replaceAll('ș', 'ş').replaceAll('ț', 'ţ')),
  ru: russian,
  el: greek,
  ar: arabic,
  hi: hindi,
  pl: createStemmer('pl'),
  cs: createStemmer('cs'),
  fa: createStemmer('fa'),
};

/** Frequent words that say little about the topic of a text. */
export const STOP_WORDS: Readonly<Record<LatinLanguage, ReadonlySet<string>>> = {
  de: new Set(germanWords),
  fr: new Set(frenchWords),
  es: new Set(spanishWords),
  it: new Set(italianWords),
  pt: new Set(portugueseWords),
  nl: new Set(dutchWords),
  sv: new Set(swedishWords),
  no: new Set(norwegianWords),
  da: new Set(danishWords),
  fi: new Set(finnishWords),
  tr: new Set(turkishWords),
  hu: new Set(hungarianWords),
  ro: new Set(romanianWords),
  pl: POLISH_WORDS,
  cs: CZECH_WORDS,
};

const SCRIPTS: readonly [RegExp, readonly ScriptLanguage[]][] = [
  [/^[\p{Script=Cyrillic}\p{M}]+$/u, ['ru']],
  [/^[\p{Script=Greek}\p{M}]+$/u, ['el']],
  [/^[\p{Script=Arabic}\p{M}]+$/u, ['ar', 'fa']],
  [/^[\p{Script=Hebrew}\p{M}]+$/u, ['he']],
  [/^[\p{Script=Devanagari}\p{M}]+$/u, ['hi']],
];

/** Returns the languages whose stemmers serve a word that is not in Latin letters, the usual one first; none for other scripts. */
export function languagesOfScript(word: string): readonly ScriptLanguage[] {
  return SCRIPTS.find(([script]) => script.test(word))?.[1] ?? [];
}
