/** The question that a text asks, and how it was recognized. */
export type FoundQuestion = { text: string; source: 'label' | 'conversation' | 'last_sentence' | 'first_sentence' };

/** Only so many characters at the end and at the beginning of a text are searched for its question. */
export const QUESTION_REACH = 4_000;
/** A longer match is not a question but text that contains questions. */
const MAX_QUESTION_CHARACTERS = 1_000;
/** An unlabelled question must end or begin a text: at most this many characters follow or precede it. */
const BARE_REACH = 100;
const MIN_QUESTION_CHARACTERS = 8;

const LABEL =
  /^[\s#>*_-]*(?:user |your |the )?(?:question|query|q|frage|pregunta|domanda|вопрос|問題|问题|質問)[*_\s]*[:：][*_\s]*(\S.*)$/iu;
const ANSWER = /^[\s#>*_-]*(?:answer|a|antwort|réponse|respuesta|risposta|ответ|回答|答え)[*_\s]*[:：][*_\s]*\S/iu;
const TURN = /^[\s>*_]*(user|human|customer|assistant|ai|bot|system|agent)[*_\s]*[:：][*_]*\s*(.*)$/iu;
/** A chat message in JSON; `role` stands before or after `content`. */
const MESSAGE =
  /"role"\s*:\s*"(\w+)"\s*,\s*"content"\s*:\s*"((?:[^"\\]|\\.)*)"|"content"\s*:\s*"((?:[^"\\]|\\.)*)"\s*,\s*"role"\s*:\s*"(\w+)"/gu;
/** What follows a question mark of code or of a URL: `user?.name`, `/docs?page=2`, `<?xml version="1.0"?>`. */
const CODE_BEHIND = String.raw`[?!]*(?:[a-zA-Z0-9:=&/%$]|\.[\w[(]|\[[\w"'$]|["'][a-zA-Z0-9]|(?<=["']\?)>)`;
/** The end of a question: its marks, and what closes them. */
const QUESTION_END = new RegExp(String.raw`(?<=[^.!?。！？\s])(?:[？؟]|\?(?!${CODE_BEHIND}))[?？؟]*["'”’)\]]*`, 'gu');
/** What a sentence before a question ends with. */
const DELIMITER = /[.!?。！？؟\n]/u;

/**
 * Finds the question that a text asks: a line labelled as one, the last turn of a user in a transcript or in JSON, or an
 * unlabelled question at the end, else at the beginning. Questions in the middle belong to the text. Returns null without one.
 */
export function findQuestion(text: string): FoundQuestion | null {
  const isWhole = text.length <= QUESTION_REACH;
  const tail = isWhole ? text : text.slice(-QUESTION_REACH);
  const head = isWhole ? '' : text.slice(0, QUESTION_REACH);
  return (
    labelledQuestion(tail) ??
    labelledQuestion(head) ??
    lastUserTurn(tail) ??
    lastUserMessage(tail) ??
    unlabelledQuestion(tail, 'last_sentence') ??
    unlabelledQuestion(text.slice(0, QUESTION_REACH), 'first_sentence')
  );
}

/** Finds a labelled question. One that is followed by a labelled answer is part of the text, e.g. of a FAQ. */
function labelledQuestion(part: string): FoundQuestion | null {
  const lines = part.split('\n');
  for (let at = lines.length - 1; at >= 0; at -= 1) {
    const [, asked = ''] = LABEL.exec(lines[at] ?? '') ?? [];
    if (asked === '') continue;
    if (lines.slice(at + 1).some((line) => ANSWER.test(line))) return null;
    const paragraph = [asked];
    for (const line of lines.slice(at + 1)) {
      if (line.trim() === '' || /[?？؟]\s*$/u.test(paragraph.at(-1) ?? '')) break;
      paragraph.push(line);
    }
    return toQuestion(paragraph.join('\n'), 'label');
  }
  return null;
}

function lastUserTurn(part: string): FoundQuestion | null {
  const turns: { isUser: boolean; lines: string[] }[] = [];
  for (const line of part.split('\n')) {
    const [, who, said = ''] = TURN.exec(line) ?? [];
    if (who !== undefined) turns.push({ isUser: /^(user|human|customer)$/i.test(who), lines: [said] });
    else turns.at(-1)?.lines.push(line);
  }
  if (turns.length < 2) return null;
  const last = turns.findLast(({ isUser }) => isUser);
  return last ? toQuestion(last.lines.join('\n'), 'conversation') : null;
}

/** Finds the last user message in JSON, in the format of chat model requests. */
function lastUserMessage(part: string): FoundQuestion | null {
  const messages = [...part.matchAll(MESSAGE)].map(([, role, after, before, roleAfter]) => ({
    isUser: (role ?? roleAfter) === 'user',
    content: after ?? before ?? '',
  }));
  const last = messages.findLast(({ isUser }) => isUser);
  if (last === undefined) return null;
  try {
    return toQuestion(String(JSON.parse(`"${last.content}"`)), 'conversation');
  } catch {
    return null;
  }
}

function unlabelledQuestion(part: string, source: 'last_sentence' | 'first_sentence'): FoundQuestion | null {
  const text = part.trim();
  const isLast = source === 'last_sentence';
  const ends = [...text.matchAll(QUESTION_END)]
    .map(({ 0: marks, index }) => ({ index, end: index + marks.length }))
    .filter(({ index }, place, all) => index > (all[place - 1]?.end ?? 0));
  const at = isLast ? ends.length - 1 : 0;
  const one = ends[at];
  if (one === undefined) return null;
  const after = ends[at - 1]?.end ?? 0;
  let start = one.index;
  while (start > after && !DELIMITER.test(text.charAt(start - 1))) start -= 1;
  const beside = isLast ? text.length - one.end : start;
  const isOfUrl = text.slice(0, one.end).split(/\s/).at(-1)?.includes('://');
  return beside > BARE_REACH || isOfUrl ? null : toQuestion(text.slice(start, one.end), source);
}

function toQuestion(text: string, source: FoundQuestion['source']): FoundQuestion | null {
  const asked = text.trim();
  return asked.length < MIN_QUESTION_CHARACTERS || asked.length > MAX_QUESTION_CHARACTERS
    ? null
    : { text: asked, source };
}
