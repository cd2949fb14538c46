import test from 'ava';
import iconv from 'iconv-lite';
import { readBytes } from '#test/support/fixtures/read-bytes.ts';

const GERMAN = 'Die Straße führt über Köln nach München.\n';

test('reads UTF-8 with damaged characters as UTF-8', async (t) => {
  const damaged = Buffer.concat([Buffer.from(`größe `), Buffer.from([0xff]), Buffer.from(`\n${GERMAN.repeat(5)}`)]);
  const { text, notes } = await readBytes(damaged, { name: 'server.log' });
  t.is(text, `größe \uFFFD\n${GERMAN.repeat(5)}`);
  t.deepEqual(notes, {});
  const cut = await readBytes(Buffer.from('naïve café').subarray(0, -1), { name: 'a.txt' });
  t.is(cut.text, 'naïve caf\uFFFD');
});

const DECLARED: readonly (readonly [declared: string, encoding: string, sentence: string])[] = [
  ['iso-8859-1', 'windows-1252', 'caf\u00e9 \u201cquoted\u201d \u2013 5 \u20ac'],
  ['us-ascii', 'windows-1252', 'caf\u00e9 \u201cquoted\u201d'],
  ['utf-16', 'windows-1252', 'plain caf\u00e9'],
  ['iso-8859-9', 'windows-1254', 'T\u00fcrk\u00e7e \u015f\u011f \u201cquoted\u201d'],
  ['cp850', 'cp850', 'K\u00f6ln'],
];
for (const [declared, encoding, sentence] of DECLARED) {
  test(`decodes a page that declares ${declared} as browsers do`, async (t) => {
    const page = `<html><head><meta charset="${declared}"></head><body><p>${sentence}</p></body></html>`;
    const { text } = await readBytes(iconv.encode(page, encoding), { name: 'page.html' });
    t.is(text, `${sentence}\n`);
  });
}

const DECLARED_IN_XML: readonly (readonly [encoding: string, title: string])[] = [
  ['iso-8859-2', 'Wysyłka zamówień krajowych'],
  ['windows-1250', 'Příliš žluťoučký kůň'],
  ['iso-8859-1', 'Größe und Maße'],
  ['windows-1251', 'Привет мир'],
  ['koi8-r', 'Доставка по России'],
  ['iso-8859-9', 'Şişli şubesi'],
  ['iso-8859-5', 'Заказ'],
];
for (const [encoding, title] of DECLARED_IN_XML) {
  test(`decodes XML and SVG that declare ${encoding} as that`, async (t) => {
    for (const name of ['feed.xml', 'picture.svg', 'feed']) {
      const xml = `<?xml version="1.0" encoding="${encoding}"?>\n<svg><title>${title}</title></svg>`;
      t.true((await readBytes(iconv.encode(xml, encoding), { name })).text.includes(title), name);
    }
  });
}

test('guesses the encoding of XML, SVG and pages that declare a UTF and are none', async (t) => {
  const text = 'Größe und Höhe, schöne Grüße aus Köln';
  for (const encoding of ['utf-8', 'UTF8', 'utf-16'])
    for (const name of ['feed.xml', 'picture.svg', 'page.html']) {
      const declaration =
        name === 'page.html' ? `<meta charset="${encoding}">` : `<?xml version="1.0" encoding="${encoding}"?>`;
      const bytes = iconv.encode(`${declaration}\n<p>${text}</p>`, 'windows-1252');
      t.true((await readBytes(bytes, { name })).text.includes(text), `${name} ${encoding}`);
    }
});

test('decodes ISO-2022-JP', async (t) => {
  const bytes = Buffer.from('\u001b$B$3$l$OF|K\\8l$G$9\u001b(B\n', 'latin1');
  t.is((await readBytes(bytes, { name: 'a.txt' })).text, 'これは日本語です\n');
  const table = Buffer.from('a,b\n\u001b$B$3$l\u001b(B,1\n', 'latin1');
  t.true((await readBytes(table, { name: 'a.csv' })).text.includes('| これ | 1 |'));
});

test('finds the encoding of a table by all of its rows', async (t) => {
  const rows = Array.from({ length: 4000 }, (_, index) => `${index};person ${index};a town number ${index}\n`).join('');
  for (const encoding of ['windows-1252', 'utf-8']) {
    const bytes = iconv.encode(`id;name;city\n${rows}9999;René;München\n`, encoding);
    t.true(bytes.length > 64 * 1024);
    t.true((await readBytes(bytes, { name: 'people.csv' })).text.includes('| 9999 | René | München |'), encoding);
  }
});

test('reads short tables of Cyrillic names and of DOS programs', async (t) => {
  const cyrillic = await readBytes(iconv.encode('Имя;Город\nАнна;Москва\nИван;Тверь\n', 'windows-1251'), {
    name: 'a.csv',
  });
  t.true(cyrillic.text.includes('| Анна | Москва |'));
  const dos = await readBytes(iconv.encode('Name;Ort\nJürgen;Köln\nBjörn;Düsseldorf\n', 'cp850'), { name: 'a.csv' });
  t.true(dos.text.includes('| Jürgen | Köln |'));
});

const NAMES: readonly (readonly [encodings: readonly string[], names: readonly string[]])[] = [
  [
    ['windows-1251', 'koi8-r'],
    ['Иванов Пётр', 'Смирнова Анна', 'Кузнецов Олег', 'Попова Мария', 'Волков Денис'],
  ],
  [['windows-1251'], ['Шевченко Їжак', 'Ковальчук Євген', 'Бойко Ґалина']],
  [
    ['windows-1250', 'iso-8859-2'],
    ['Łukasz Żak', 'Małgorzata Wójcik', 'Paweł Dąbrowski', 'Ślusarczyk Ewa'],
  ],
  [
    ['windows-1250', 'iso-8859-2'],
    ['Jiří Dvořák', 'Šárka Říhová', 'Žaneta Čermáková'],
  ],
  [['windows-1253'], ['Γιώργος Παπαδόπουλος', 'Μαρία Νικολάου', 'Ελένη Κώστα']],
  [['windows-1254'], ['Şule Çağlar', 'Gülşen Işık', 'Oğuz Yılmaz']],
  [['windows-1255'], ['משה כהן', 'רחל לוי', 'דוד מזרחי']],
  [['windows-1256'], ['محمد علي', 'فاطمة الزهراء', 'أحمد حسن']],
  [['windows-1252'], ['René Lefèvre', 'Zoé Côté', 'José Muñoz', 'Jürgen Weiß', 'Åsa Sjöberg', 'Søren Kjær']],
  [['shift_jis'], ['山田太郎', '鈴木花子', '佐藤一郎', '高橋']],
  [['gb18030'], ['张伟', '王芳', '李娜', '刘洋']],
  [['big5'], ['陳大文', '林美玲']],
  [['euc-kr'], ['홍길동', '김철수', '이영희']],
];
for (const [encodings, names] of NAMES)
  for (const encoding of encodings)
    test(`finds that ${names[0]} is ${encoding} in tables and logs that are otherwise ASCII`, async (t) => {
      for (const count of [3, 30, 300]) {
        const nameOf = (index: number): string => names[index % names.length] ?? '';
        const rows = Array.from(
          { length: count },
          (_, index) => `${index};${nameOf(index)};user${index}@example.com;+7 900 123-45;Premium subscription;active`,
        );
        const csv = `id;name;email;phone;product;status\r\n${rows.join('\r\n')}`;
        const table = await readBytes(iconv.encode(csv, encoding), { name: 'customers.csv' });
        const lines = Array.from(
          { length: count },
          (_, index) => `2024-01-01 10:00 INFO order ${index} created for customer ${nameOf(index)} in region north`,
        );
        const log = await readBytes(iconv.encode(lines.join('\n'), encoding), { name: 'orders.log' });
        for (const name of names.slice(0, count)) {
          t.true(table.text.includes(`| ${name} |`), `${name} in a table of ${count} rows`);
          t.true(log.text.includes(`customer ${name} in`), `${name} in a log of ${count} lines`);
        }
      }
    });

const SIGNS: readonly string[] = [
  'Nombre;Dirección;Piso\nPeña;C/ Mayor 5;2º A\nMuñoz;C/ Colón 7;1ª\n',
  'El artículo 3.º de la ley española, n.º 5, se aplicará también este año.',
  'Área: 20 m²; Piso 2º; Puerta 3ºA',
  'Art. 1º A administração pública não poderá. § 2º São órgãos. 3ª Região',
  'Avenida Brasil nº 10, São Paulo',
  'La società è al 2º piano, n° 5. Perché? Città, qualità',
  'Això és el català. Les accions són açò: països, qüestió, núvol, col·legi, pàgina. Què és?',
  'Nº 5',
  'Dicke 5 µm, Fläche 20 m², Länge 3 m',
  'Thickness 5µm, the cost is 30¢ each, 20°C',
  'Dose: 50 µg, 20 µl at 37 °C ± 0.5',
  'MyProduct™ costs £5, €6; © 2020',
];
for (const sample of SIGNS) {
  test(`reads the signs and letters of "${sample.split('\n')[0]}" in windows-1252`, async (t) => {
    t.is((await readBytes(iconv.encode(sample, 'windows-1252'), { name: 'a.txt' })).text, sample);
  });
}

test('reads the separator that the first line of a table names', async (t) => {
  const { text, notes } = await readBytes('\uFEFFsep=;\r\nName;Age, years\r\nAnn;30, about\r\n', { name: 'a.csv' });
  t.is(text, '| Name | Age, years |\n| --- | --- |\n| Ann | 30, about |\n');
  t.is(notes['row_count'], 1);
});
