import test from 'ava';
import { detectLanguage, isPersian } from '#domain/search/detect-language.ts';

const SENTENCES = {
  de: 'Der Gemeinderat hat die neuen Verträge mit den Lieferanten gestern beschlossen.',
  fr: 'Le conseil municipal a approuvé les nouvelles règles dans les rues du centre.',
  es: 'La biblioteca presta libros y películas a todos los vecinos que lo pidan.',
  it: 'Le fatture devono essere inviate entro trenta giorni dalla consegna dei prodotti.',
  pt: 'Os passageiros devem apresentar os bilhetes e os documentos antes do embarque.',
  nl: 'De bewoners van de wijk klagen over de vrachtwagens die elke ochtend stoppen.',
  sv: 'Läraren samlade in böckerna och gav eleverna nya uppgifter till måndagen.',
  fi: 'Kaupungissa avattiin uusia kirjastoja, joissa asukkaat voivat lainata kirjoja ja elokuvia.',
  tr: 'Köydeki evler depremden sonra yeniden yapıldı ve çocuklar okullarına döndü.',
  hu: 'A városokban új iskolákat építenek, és a gyerekek busszal járnak az órákra.',
  ro: 'Copiii din sat merg la școală cu autobuzele cumpărate de primărie anul trecut.',
  pl: 'Mieszkańcy miasta zebrali się na rynku, aby omówić budowę nowych szkół i szpitali.',
  cs: 'Obyvatelé města se sešli na náměstí, aby projednali stavbu nových škol a nemocnic.',
};

test('recognizes the language of a sentence', (t) => {
  for (const [language, sentence] of Object.entries(SENTENCES)) t.is(detectLanguage(sentence), language as never);
});

test('recognizes short sentences that have few function words', (t) => {
  t.is(detectLanguage('Opettajat keskustelivat oppilaiden kanssa uusista tietokoneista.'), 'fi');
  t.is(detectLanguage('As crianças brincam'), 'pt');
  t.is(detectLanguage('Les chevaux du haras'), 'fr');
  t.is(detectLanguage('Copiii se joacă în parc'), 'ro');
  t.is(detectLanguage('Faktury je třeba uhradit do třiceti dnů od převzetí zboží.'), 'cs');
  t.is(detectLanguage('Otevírací doba přístavů'), 'cs');
});

test('tells Persian from Arabic and Urdu by their letters', (t) => {
  t.true(isPersian('دانشجویان کتابهای کتابخانه را به خانه‌هایشان بردند.'));
  t.false(isPersian('يبيع التجار الكتب والمجلات في شوارع العاصمة كل يوم جمعة.'));
  t.false(isPersian('شہر کے لوگوں نے نئے اسکولوں کے بارے میں بات کی۔'));
  t.false(isPersian('The bridges were closed.'));
});

test('takes English, names, code and references for no other language', (t) => {
  for (const text of [
    'The bridges were closed because inspectors found cracks in several columns.',
    'Magic Square (Algorithm 118)\n\nCACM December, 1962\n\nThacher Jr., H. C.\n\nCA621220 JB March 17, 1978  4:20 PM',
    'const total = items.reduce((sum, item) => sum + item.price, 0); return total;',
    'John Smith, Mary Jones, Pedro Almeida',
    'Die another day: a man at war, an era in the past',
    'E4711b',
    '',
  ])
    t.is(detectLanguage(text), null, text);
});
