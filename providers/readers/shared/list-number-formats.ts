/** The characters that stand for 1, 2, 3 … in the formats of WordprocessingML (ECMA-376, part 1, 17.18.59) that count by letters. */
const ALPHABETS: Readonly<Record<string, string>> = {
  aiueoFullWidth: 'アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲン',
  arabicAbjad: 'أبجدهوزحطيكلمنسعفصقرشتثخذضظغ',
  arabicAlpha: 'أبتثجحخدذرزسشصضطظعغفقكلمنهوي',
  chosung: 'ㄱㄴㄷㄹㅁㅂㅅㅇㅈㅊㅋㅌㅍㅎ',
  ganada: '가나다라마바사아자차카타파하',
  hebrew2: 'אבגדהוזחטיכלמנסעפצקרשת',
  ideographTraditional: '甲乙丙丁戊己庚辛壬癸',
  ideographZodiac: '子丑寅卯辰巳午未申酉戌亥',
  irohaFullWidth: 'イロハニホヘトチリヌルヲワカヨタレソツネナラムウヰノオクヤマケフコエテアサキユメミシヱヒモセスン',
  russianLower: 'абвгдежзиклмнопрстуфхцчшщыэюя',
  russianUpper: 'АБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЫЭЮЯ',
  thaiLetters: 'กขคงจฉชซฌญฎฏฐฑฒณดตถทธนบปผฝพฟภมยรลวศษสหฬอฮ',
};
/** The digits 0 to 9 of formats that write decimal numbers. */
const DIGITS: Readonly<Record<string, string>> = {
  decimalFullWidth: '０１２３４５６７８９',
  hindiNumbers: '०१२३४५६७८९',
  ideographDigital: '〇一二三四五六七八九',
  japaneseDigitalTenThousand: '〇一二三四五六七八九',
  koreanDigital: '영일이삼사오육칠팔구',
  thaiNumbers: '๐๑๒๓๔๕๖๗๘๙',
};
/** Characters that are a number in a frame: the first, and the number of the last. */
const FRAMED: Readonly<Record<string, { first: number; last: number }>> = {
  decimalEnclosedCircle: { first: 0x2460, last: 20 },
  decimalEnclosedCircleChinese: { first: 0x2460, last: 20 },
  decimalEnclosedFullstop: { first: 0x2488, last: 20 },
  decimalEnclosedParen: { first: 0x2474, last: 20 },
  ideographEnclosedCircle: { first: 0x3280, last: 10 },
};
/** Formats that count with tens, hundreds and thousands, and whether they write the 1 before a hundred and the zeros between. */
const COUNTING: Readonly<Record<string, { digits: string; units: string; isFull: boolean }>> = {
  chineseCounting: { digits: '零一二三四五六七八九', units: '十百千', isFull: true },
  chineseCountingThousand: { digits: '零一二三四五六七八九', units: '十百千', isFull: true },
  chineseLegalSimplified: { digits: '零壹贰叁肆伍陆柒捌玖', units: '拾佰仟', isFull: true },
  ideographLegalTraditional: { digits: '零壹貳參肆伍陸柒捌玖', units: '拾佰仟', isFull: true },
  japaneseCounting: { digits: '〇一二三四五六七八九', units: '十百千', isFull: false },
  koreanCounting: { digits: '영일이삼사오육칠팔구', units: '십백천', isFull: false },
  taiwaneseCounting: { digits: '零一二三四五六七八九', units: '十百千', isFull: true },
  taiwaneseCountingThousand: { digits: '零一二三四五六七八九', units: '十百千', isFull: true },
};
const MAX_COUNTED = 9999;

/** A number in a format of WordprocessingML, such as `lowerRoman`; a decimal number in one that is unknown. */
export function formatListNumber(number: number, format: string): string {
  switch (format) {
    case 'lowerLetter':
      return letters(number);
    case 'upperLetter':
      return letters(number).toUpperCase();
    case 'lowerRoman':
      return roman(number).toLowerCase();
    case 'upperRoman':
      return roman(number);
    case 'decimalZero':
      return String(number).padStart(2, '0');
    case 'ordinal':
      return ordinal(number);
    case 'numberInDash':
      return `- ${number} -`;
    case 'hebrew1':
      return hebrew(number);
    default:
      return fromTables(number, format);
  }
}

function fromTables(number: number, format: string): string {
  const [alphabet, digits, framed, counting] = [ALPHABETS[format], DIGITS[format], FRAMED[format], COUNTING[format]];
  if (number < 1) return String(number);
  if (alphabet !== undefined) return repeatedLetter(number, Array.from(alphabet));
  if (digits !== undefined) return String(number).replace(/\d/g, (digit) => digits.charAt(Number(digit)));
  if (framed !== undefined && number <= framed.last) return String.fromCharCode(framed.first + number - 1);
  return counting === undefined || number > MAX_COUNTED ? String(number) : counted(number, counting);
}

/** For example 二十一: 21. The 1 before the ten of 10 to 19 is not written. */
function counted(
  number: number,
  { digits, units, isFull }: { digits: string; units: string; isFull: boolean },
): string {
  const places = Array.from(String(number), Number);
  const parts = places.map((digit, index) => {
    const place = places.length - 1 - index;
    if (digit === 0)
      return isFull && places[index - 1] !== 0 && places.slice(index).some((later) => later > 0)
        ? digits.charAt(0)
        : '';
    const isOneWritten = place === 0 || (isFull && !(place === 1 && index === 0));
    return (digit > 1 || isOneWritten ? digits.charAt(digit) : '') + units.charAt(place - 1);
  });
  return parts.join('');
}

/** Hebrew numerals; 15 and 16 are written as 9 + 6 and 9 + 7. */
function hebrew(number: number): string {
  if (number < 1 || number > 999) return String(number);
  let left = number % 100;
  let text = 'ת'.repeat(Math.floor(number / 400)) + ['', 'ק', 'ר', 'ש'][Math.floor(number / 100) % 4];
  if (left === 15 || left === 16) return `${text}ט${left === 15 ? 'ו' : 'ז'}`;
  text += 'יכלמנסעפצ'.charAt(Math.floor(left / 10) - 1);
  left %= 10;
  return text + 'אבגדהוזחט'.charAt(left - 1);
}

function ordinal(number: number): string {
  const isTeen = number % 100 >= 11 && number % 100 <= 13;
  return `${number}${(isTeen ? undefined : ['th', 'st', 'nd', 'rd'][number % 10]) ?? 'th'}`;
}

/** a … z, aa, bb …, the sequence of Word. */
function letters(number: number): string {
  return repeatedLetter(Math.max(1, number), Array.from('abcdefghijklmnopqrstuvwxyz'));
}

function repeatedLetter(number: number, alphabet: readonly string[]): string {
  const index = number - 1;
  const times = Math.min(20, Math.floor(index / alphabet.length) + 1);
  return (alphabet[index % alphabet.length] ?? '').repeat(times);
}

const ROMAN: readonly (readonly [value: number, letters: string])[] = [
  [1000, 'M'],
  [900, 'CM'],
  [500, 'D'],
  [400, 'CD'],
  [100, 'C'],
  [90, 'XC'],
  [50, 'L'],
  [40, 'XL'],
  [10, 'X'],
  [9, 'IX'],
  [5, 'V'],
  [4, 'IV'],
  [1, 'I'],
];

function roman(number: number): string {
  let left = Math.min(Math.max(1, number), 3999);
  let text = '';
  for (const [value, letter] of ROMAN) {
    while (left >= value) {
      text += letter;
      left -= value;
    }
  }
  return text;
}
