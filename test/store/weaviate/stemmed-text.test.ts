import test from 'ava';
import * as fc from 'fast-check';
import { readQuery } from '#domain/search/find-matches.ts';
import { STOP_WORDS } from '#domain/search/languages.ts';
import { keywordQuery, stemmedText } from '#store/weaviate/stemmed-text.ts';

test('stems, folds and marks shadow terms, and keeps words with digits whole', (t) => {
  t.is(stemmedText('Connections, connected: ÉCOLES! E4711b'), 'ƾconnect ƾconnect ƾecol ƾe4711b');
});

test('splits scripts without spaces into overlapping pairs and words of one character, and keeps the words around them', (t) => {
  t.is(stemmedText('東京タワーABC 本'), 'ƾ東 ƾ東京 ƾ京 ƾ京タ ƾタワ ƾワー ƾabc ƾ本');
  t.is(keywordQuery('東京タワー 本'), '東京タワー 本 ƾ東京 ƾ京タ ƾタワ ƾワー ƾ本');
});

test('stems a text in its language, by script, and pairs Hangul', (t) => {
  t.is(
    stemmedText('Les chevaux sont dans la cour de la ferme'),
    'ƾfrƾle ƾfrƾcheval ƾfrƾsont ƾfrƾdan ƾfrƾla ƾfrƾcour ƾfrƾde ƾfrƾla ƾfrƾferm',
  );
  t.is(stemmedText('города'), 'ƾruƾгород');
  t.is(stemmedText('수도이며'), 'ƾ수 ƾ수도 ƾ도 ƾ도이 ƾ이 ƾ이며 ƾ며');
});

test('a query also has the terms of objects that were indexed when only English was stemmed', (t) => {
  const asked = (query: string) => new Set(keywordQuery(query).split(' '));
  t.true(asked('chevaux').has('ƾchevaux'));
  t.true(asked('города').has('ƾгорода'));
  t.true(asked('수도이며').has('ƾ수도이며'));
});

test('queries significant words in both properties, as spelled and as shadow terms', (t) => {
  const asked = keywordQuery('What is the Connection?').split(' ');
  t.deepEqual(asked.slice(0, 2), ['Connection', 'ƾconnect']);
  t.true(
    asked.slice(2).every((term) => /^ƾ[a-z]{2}ƾconnect/.test(term)),
    'the stems in other languages',
  );
  t.deepEqual(keywordQuery('to be').split(' ').slice(0, 3), ['to', 'be', 'ƾto']);
  t.is(keywordQuery(' ?! '), '');
});

test('limits a long query to its first 128 words', (t) => {
  t.is(keywordQuery(Array.from({ length: 500 }, (_, index) => `word${index}`).join(' ')).split(' ').length, 256);
});

/** Any text without the marker character, which no living alphabet contains. */
const ordinary = fc.string({ unit: 'grapheme', maxLength: 40 }).filter((text) => !text.includes('ƾ'));

test('a query has a term of every word of a text that contains it', (t) => {
  const functionWords = new Set(Object.values(STOP_WORDS).flatMap((words) => [...words]));
  fc.assert(
    fc.property(ordinary, (query) => {
      const indexed = new Set(stemmedText(`before ${query} after`).split(' '));
      for (const { word, terms } of readQuery(query)) {
        if (functionWords.has(word.toLowerCase())) continue;
        t.true(
          terms.some((term) => indexed.has(term)),
          word,
        );
      }
    }),
    { numRuns: 2_000 },
  );
});

test('stems every sequence of letters of a language, inflected or not', (t) => {
  const alphabets = [
    'aąbcćdeęhijklłmnńoóprsśtuwyzźż',
    'aábcčdďeéěhiíklmnňoóprřsštťuúůvyýzž',
    'ابپتجچحخدرزژسشعغفقکگلمنوهی',
    'אבגדהוזחטיכךלמםנןסעפףצץקרשת',
  ];
  for (const letters of alphabets) {
    const word = fc
      .array(fc.constantFrom(...letters.split('')), { minLength: 1, maxLength: 45 })
      .map((each) => each.join(''));
    fc.assert(fc.property(word, (each) => t.true(stemmedText(`${each} ${each}`).length > 2)));
  }
});

/** How Weaviate cuts a text that is tokenized by `word`. */
const tokensOf = (text: string) => text.split(/[^\p{L}\p{N}]+/u).filter((token) => token !== '');

test('the tokenizer of the index keeps every term whole, whatever the script', (t) => {
  const blocks = [
    0x300, 0x400, 0x590, 0x600, 0x900, 0x980, 0xb80, 0xe00, 0xe80, 0x1000, 0x1780, 0x3040, 0xfb50, 0xfe70, 0xff00,
  ];
  const inBlock = (first: number) =>
    fc.integer({ min: first, max: first + 0x7f }).map((code) => String.fromCodePoint(code));
  const words = fc.oneof(
    ...blocks.map((first) => fc.string({ unit: inBlock(first), maxLength: 20 })),
    fc.string({ unit: 'binary', maxLength: 20 }),
  );
  const text = fc.array(words, { maxLength: 4 }).map((all) => `${all.join(' ')} end`);
  fc.assert(
    fc.property(text, (each) => t.deepEqual(tokensOf(stemmedText(each)), stemmedText(each).split(' '))),
    { numRuns: 2_000 },
  );
});

test('a word with vowel signs has its own term, and shares none with words of the same consonants', (t) => {
  const sharedTokens = (query: string, text: string) => {
    const indexed = new Set([...tokensOf(text), ...tokensOf(stemmedText(text))]);
    return tokensOf(keywordQuery(query)).filter((token) => indexed.has(token));
  };
  for (const [query, own, other] of [
    ['बिजली', 'बिजली का बिल', 'जल संरक्षण के लिए नए नियम'],
    ['जल', 'जल संरक्षण', 'बिजली का बिल'],
    ['किताब', 'नई किताबें', 'तब बारिश के कारण मैच रद्द हो गया'],
    ['প্রিন্টার', 'প্রিন্টার চালু করুন', 'আজ ঢাকায় বৃষ্টি হতে পারে'],
    ['அச்சுப்பொறி', 'அச்சுப்பொறி வேலை செய்யவில்லை', 'இன்று சென்னையில் மழை பெய்தது'],
    ['กิน', 'กินข้าว', 'รถไฟฟ้าสายใหม่เปิดให้บริการ'],
    ['ပုံ', 'ပုံနှိပ်စက်', 'ယနေ့ မိုးရွာမည်'],
  ] as const) {
    t.not(sharedTokens(query, own).length, 0, query);
    t.deepEqual(sharedTokens(query, other), [], query);
  }
});

test('a query has the terms of objects that were indexed when marks, wide forms and letters such as ø stayed as they are', (t) => {
  const asked = (query: string) => new Set(keywordQuery(query).split(' '));
  // The tokenizer made two words of `ƾhiƾबिजल`.
  t.true(asked('बिजली').has('ƾhiƾब'));
  t.true(asked('जल').has('ƾhiƾजल'));
  t.false(asked('กิน').has('ƾ'));
  t.true(asked('กิน').has('ƾก'));
  t.true(asked('ＡＢＣ１').has('ƾａｂｃ１'));
  t.true(asked('smørrebrød').has('ƾsmørrebrød'));
  t.true(asked('smørrebrød').has('ƾdaƾsmørrebrød'));
});
