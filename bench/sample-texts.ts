/** Generates English texts: a number always gives the same text, and different numbers give different texts. */

const SUBJECTS = (
  'engineer harbour library turbine orchard committee satellite glacier teacher engine bridge museum river factory ' +
  'telescope hospital merchant forest reactor village orchestra printer compiler surgeon lighthouse battery reservoir ' +
  'senate archive laboratory tractor pilot vaccine canal database volcano theatre antenna pension tariff'
).split(' ');
const VERBS = (
  'inspects repairs replaces measures records crosses supplies rejects approves delays restores describes compares ' +
  'cools heats floods lifts protects empties connects examines postpones finances translates copies divides'
).split(' ');
const ADJECTIVES = (
  'old narrow electric wooden northern quiet public damaged heavy early frozen hidden steep modern shallow foreign ' +
  'abandoned careful expensive local rusty temporary yellow official rapid distant'
).split(' ');
const CIRCUMSTANCES = (
  'before the winter|after a short meeting|without any warning|during the third inspection|in spite of the rain|' +
  'for less money than planned|under a new contract|as the council had asked|near the southern border|twice a year|' +
  'because the pressure fell|at the lowest temperature|while the pump was running|according to the report'
).split('|');

/** Returns a sentence of about 60 to 90 bytes. */
function sentence(random: () => number): string {
  const pick = (words: readonly string[]): string => words[Math.floor(random() * words.length)] ?? '';
  const object = () => `${pick(ADJECTIVES)} ${pick(SUBJECTS)}`;
  return `The ${object()} ${pick(VERBS)} the ${object()} ${pick(CIRCUMSTANCES)}.`;
}

/** Returns the text with this number, cut to exactly `bytes` bytes. */
export function sampleText(number: number, bytes: number): string {
  const random = generator(number);
  let text = `Note ${number}.`;
  while (text.length < bytes) text += ` ${sentence(random)}`;
  return text.slice(0, bytes);
}

/** Returns the question with this number; texts and questions share a vocabulary. */
export function sampleQuestion(number: number): string {
  const random = generator(0x5eed + number);
  return `${sentence(random)} ${sentence(random)} (${number})`;
}

/** Mulberry32: a small generator of uniformly distributed numbers from 0 to 1. */
function generator(seed: number): () => number {
  let state = Math.imul(seed + 1, 0x9e3779b1);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
