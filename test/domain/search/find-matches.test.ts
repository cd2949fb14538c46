import test from 'ava';
import * as fc from 'fast-check';
import { coverageOf, createMatcher, findMatches, readQuery } from '#domain/search/find-matches.ts';

const matched = (text: string, query: string) =>
  findMatches(text, query).map(({ start, end, queryWord }) => [text.slice(start, end), queryWord]);

test('finds other inflections in the language of the text, with the word of the query', (t) => {
  t.deepEqual(matched('The ferries connect both harbours.', 'connections of a ferry'), [
    ['ferries', 'ferry'],
    ['connect', 'connections'],
  ]);
  t.deepEqual(matched('Les chevaux du haras national sont soignés chaque matin.', 'soigner un cheval'), [
    ['chevaux', 'cheval'],
    ['soignés', 'soigner'],
  ]);
  t.deepEqual(matched('Жители города собрались на площади.', 'город'), [['города', 'город']]);
  t.deepEqual(matched('يبيع التجار الكتب في شوارع العاصمة', 'شارع'), [['شوارع', 'شارع']]);
});

/** Tells the language of what stands below it. */
const GERMAN_HEADING =
  'Zuständigkeiten der Abteilungen, die für die Verwaltung der Gebäude und der Grundstücke in der Stadt verantwortlich sind';

test('a text is read in the language of what it was indexed with', (t) => {
  const content = 'Wohnungen: Meier. Schulen: Kunze. Krankenhäuser: Vogt.';
  for (const [query, found] of [
    ['Wohnung', 'Wohnungen'],
    ['Krankenhaus', 'Krankenhäuser'],
  ] as const) {
    const [match] = createMatcher(query).findMatches(content, `${GERMAN_HEADING}\n${content}`);
    t.is(content.slice(match?.start, match?.end), found);
  }
});

test('the word of a query may be what a stemmer leaves of its inflections', (t) => {
  t.deepEqual(matched('Alle fietsen worden door de monteurs gecontroleerd.', 'fiets'), [['fietsen', 'fiets']]);
  t.deepEqual(matched('A városokban új iskolákat építenek.', 'iskola'), [['iskolákat', 'iskola']]);
});

test('several inflections of one word in a query are the same word, of which a text has all or none', (t) => {
  const { words, findMatches: find } = createMatcher('refund Refunds policies policy café cafe 東京都 東京');
  t.deepEqual(
    words.map(({ same }) => same),
    ['refund', 'refund', 'policies', 'policies', 'café', 'café', '東京都', '東京'],
  );
  const found = find('Our policy: refunds at the cafe.').map(({ queryWord }) => queryWord);
  t.deepEqual(found, ['policies', 'refund', 'café']);
});

test('an Arabic noun finds its broken plural', (t) => {
  t.deepEqual(matched('زار المهندسون مدنها', 'مدينة'), [['مدنها', 'مدينة']]);
});

test('finds inflections of Polish and Czech, also when they are typed on another keyboard', (t) => {
  const polish = 'Mieszkańcy zebrali się na rynku, aby omówić budowę nowych szkół w Łodzi.';
  t.deepEqual(matched(polish, 'nowa szkoła'), [
    ['nowych', 'nowa'],
    ['szkół', 'szkoła'],
  ]);
  t.deepEqual(matched('Rybacy naprawiali sieci, zanim burza zniszczyła ich łodzie.', 'lodzie'), [['łodzie', 'lodzie']]);
  t.deepEqual(matched('Pociągi na południe odjeżdżają rano.', 'pociąg'), [['Pociągi', 'pociąg']]);
  const czech = 'Vlaky na jih odjíždějí každé ráno a jízdenky se prodávají v pokladnách nádraží.';
  t.deepEqual(matched(czech, 'jízdenka v pokladně'), [
    ['jízdenky', 'jízdenka'],
    ['pokladnách', 'pokladně'],
  ]);
});

test('stems words in Arabic letters in the language of their text', (t) => {
  t.deepEqual(matched('دانشجویان کتابهای کتابخانه را بردند', 'کتاب'), [['کتابهای', 'کتاب']]);
  t.deepEqual(matched('شهرداری در روستاهای اطراف مدرسه می‌سازد', 'روستا'), [['روستاهای', 'روستا']]);
  t.deepEqual(matched('يبيع التجار الكتب في شوارع العاصمة', 'شارع'), [['شوارع', 'شارع']]);
});

test('finds Hebrew nouns in the plural and behind prefixes, with and without vowel marks', (t) => {
  t.deepEqual(matched('הרכבות לדרום יוצאות בבוקר', 'רכבת'), [['הרכבות', 'רכבת']]);
  t.deepEqual(matched('הכרטיסים נמכרים בקופות התחנה', 'קופה'), [['בקופות', 'קופה']]);
  t.deepEqual(matched('וּבַמִּשְׂרָדִים', 'משרד'), [['וּבַמִּשְׂרָדִים', 'משרד']]);
  t.deepEqual(matched('מכתבים מהמשרד', 'משרדים'), [['מהמשרד', 'משרדים']]);
});

test('finds the parts of words in scripts that are indexed in pairs, and joins overlapping pairs', (t) => {
  t.deepEqual(matched('서울은 대한민국의 수도이며', '수도'), [['수도', '수도']]);
  t.deepEqual(matched('서울은 대한민국의 수도이며', '대한민국'), [['대한민국', '대한민국']]);
  t.deepEqual(matched('東京タワーABC', '東京タワ'), [['東京タワ', '東京タワ']]);
});

test('of a word in pairs of characters, a text has as much as it has pairs', (t) => {
  const coverage = (query: string, text: string) => Number(coverageOf(createMatcher(query), text)?.toFixed(9));
  t.is(coverage('今天的天气怎么样', '昨天的股票大涨了很多'), 0.142857143);
  t.is(coverage('도서관에서', '회사에서 일하는 사람'), 1 / 4);
  t.is(coverage('東京タワー', '東京タワーに行く'), 1);
  // A word of Korean counts as one of English, a Chinese phrase as half as many words as it has characters.
  t.is(coverage('도서관에서 ferry', 'the ferry'), 1 / 2);
  t.is(coverage('重置密码 ferry', 'the ferry'), 0.333333333);
  t.is(coverage('東京都 東京', '東京の天気'), 0.571428571);
  t.is(coverage('refund Refunds policy', 'Our refund'), 1 / 2);
  t.is(coverageOf(createMatcher('?!'), 'anything'), null);
});

test('of a query without spaces, 512 pairs of characters are asked for at most', (t) => {
  const page = Array.from({ length: 8_000 }, (_, index) => String.fromCodePoint(0x4e00 + index)).join('');
  const words = readQuery(`${page} ${page} 東京`);
  t.is(words.flatMap(({ terms }) => terms).length, 512);
  t.is(createMatcher(page).findMatches(page.slice(0, 600))[0]?.end, 513);
});

test('finds words of one character within a text, but not the characters of longer words', (t) => {
  t.deepEqual(matched('我的猫很可爱', '猫'), [['猫', '猫']]);
  t.deepEqual(matched('消費税について', '税'), [['税', '税']]);
  t.deepEqual(matched('책을 읽었다', '책'), [['책', '책']]);
  t.deepEqual(matched('税について', '消費税'), []);
});

test('finds words that are typed without accents, or composed differently', (t) => {
  t.deepEqual(matched('Les écoles du quartier sont fermées pour les vacances.', 'ecole'), [['écoles', 'ecole']]);
  const decomposed = 'Un cafe\u0301 noir';
  t.deepEqual(matched(decomposed, 'caf\u00e9'), [['cafe\u0301', 'caf\u00e9']]);
});

test('finds words in another spelling: wide, narrow, joined, stretched, stressed or with letters of another keyboard', (t) => {
  for (const [text, query, found] of [
    ['the ﬁnance department', 'finance', 'ﬁnance'],
    ['كتب محـــمد رسالة', 'محمد', 'محـــمد'],
    ['Мы стояли у за́мка', 'замком', 'за́мка'],
    ['Поезд в Москву уходит вечером', 'Москва́', 'Москву'],
    ['The city of Łódź is in Poland.', 'Lodz', 'Łódź'],
    ['Det er et smørrebrød med fisk og det smager godt til alle', 'smorrebrod', 'smørrebrød'],
    ['press 1\ufe0f\u20e3 now', '1', '1\ufe0f\u20e3'],
  ] as const)
    t.deepEqual(matched(text, query), [[found, query]]);
  // Wide letters stand where plain ones would; of a narrow letter with its mark, the place of the run is known.
  t.deepEqual(matched('型番はＡＢＣ１２３です', 'abc123'), [['ＡＢＣ１２３', 'abc123']]);
  t.deepEqual(matched('型番はABC123です', 'ＡＢＣ１２３'), [['ABC123', 'ＡＢＣ１２３']]);
  t.deepEqual(matched('ﾊﾟｽﾜｰﾄﾞ 変更', 'パスワード'), [['ﾊﾟｽﾜｰﾄﾞ', 'パスワード']]);
});

test('a sign without a letter is no word', (t) => {
  t.deepEqual(matched('I ❤\ufe0f otters', '☀\ufe0f'), []);
});

test('leaves function words of the query out unless there are no other words', (t) => {
  t.deepEqual(matched('What is the ferry?', 'what is the ferry'), [['ferry', 'ferry']]);
  t.deepEqual(matched('to be or not', 'to be'), [
    ['to', 'to'],
    ['be', 'be'],
  ]);
  t.deepEqual(matched('a ferry', ' ?! '), []);
});

test('returns places of the text in order, without overlaps', (t) => {
  const text = fc.string({ unit: 'grapheme', maxLength: 60 });
  fc.assert(
    fc.property(text, text, (content, query) => {
      let last = 0;
      for (const { start, end } of findMatches(`${content} otter`, `${query} otter`)) {
        t.true(start >= last && end > start && end <= content.length + ' otter'.length);
        last = end;
      }
    }),
    { numRuns: 500 },
  );
});
