/** What a text asks of whoever reads it, and by what that was told. */
export type FoundQuestion = { text: string; source: 'label' | 'conversation' | 'last_sentence' | 'first_sentence' };

/** A question stands at the end or at the beginning: so many characters are looked at. */
export const QUESTION_REACH = 4_000;
/** A longer one is a text in which questions occur. */
const LONGEST_QUESTION = 1_000;
/** A question that nothing names as one is the last thing of a text, or the first: no more than so many characters come after it, or before. */
const BARE_REACH = 100;
const SHORTEST_QUESTION = 8;

const LABEL =
  /^[\s#>*_-]*(?:user |your |the )?(?:question|query|q|frage|pregunta|domanda|вопрос|問題|问题|質問)[*_\s]*[:：][*_\s]*(\S.*)$/iu;
const ANSWER = /^[\s#>*_-]*(?:answer|a|antwort|réponse|respuesta|risposta|ответ|回答|答え)[*_\s]*[:：][*_\s]*\S/iu;
const TURN = /^[\s>*_]*(user|human|customer|assistant|ai|bot|system|agent)[*_\s]*[:：][*_]*\s*(.*)$/iu;
/** A message in JSON, its role before its content or after. */
const MESSAGE =
  /"role"\s*:\s*"(\w+)"\s*,\s*"content"\s*:\s*"((?:[^"\\]|\\.)*)"|"content"\s*:\s*"((?:[^"\\]|\\.)*)"\s*,\s*"role"\s*:\s*"(\w+)"/gu;
const ASKED = /[^.!?。！？\n]*[^.!?。！？\s][?？؟]+["'”’)\]]*/gu;

/**
 * The question that a text is sent with, or null: a line that is called one, the last turn of a user in a transcript or in JSON, or a
 * bare question at the end, else at the beginning. Questions in the middle belong to the text.
 */
export function findQuestion(text: string): FoundQuestion | null {
  const isWhole = text.length <= QUESTION_REACH;
  const tail = isWhole ? text : text.slice(-QUESTION_REACH);
  const head = isWhole ? '' : text.slice(0, QUESTION_REACH);
  return (
    labelled(tail) ??
    labelled(head) ??
    lastTurn(tail) ??
    lastMessage(tail) ??
    bare(tail, 'last_sentence') ??
    bare(text.slice(0, QUESTION_REACH), 'first_sentence')
  );
}

/** A question that is answered below is part of the text: a list of questions and answers. */
function labelled(part: string): FoundQuestion | null {
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
    return found(paragraph.join('\n'), 'label');
  }
  return null;
}

function lastTurn(part: string): FoundQuestion | null {
  const turns: { isUser: boolean; lines: string[] }[] = [];
  for (const line of part.split('\n')) {
    const [, who, said = ''] = TURN.exec(line) ?? [];
    if (who !== undefined) turns.push({ isUser: /^(user|human|customer)$/i.test(who), lines: [said] });
    else turns.at(-1)?.lines.push(line);
  }
  if (turns.length < 2) return null;
  const last = turns.findLast(({ isUser }) => isUser);
  return last ? found(last.lines.join('\n'), 'conversation') : null;
}

/** The last message of a user in JSON, as chat models are sent them. */
function lastMessage(part: string): FoundQuestion | null {
  const messages = [...part.matchAll(MESSAGE)].map(([, role, after, before, roleAfter]) => ({
    isUser: (role ?? roleAfter) === 'user',
    content: after ?? before ?? '',
  }));
  const last = messages.findLast(({ isUser }) => isUser);
  if (last === undefined) return null;
  try {
    return found(String(JSON.parse(`"${last.content}"`)), 'conversation');
  } catch {
    return null;
  }
}

function bare(part: string, source: 'last_sentence' | 'first_sentence'): FoundQuestion | null {
  const text = part.trim();
  const isLast = source === 'last_sentence';
  const asked = [...text.matchAll(ASKED)];
  const one = isLast ? asked.at(-1) : asked[0];
  if (one === undefined) return null;
  const beside = isLast ? text.length - one.index - one[0].length : one.index;
  return beside > BARE_REACH ? null : found(one[0], source);
}

function found(text: string, source: FoundQuestion['source']): FoundQuestion | null {
  const asked = text.trim();
  return asked.length < SHORTEST_QUESTION || asked.length > LONGEST_QUESTION ? null : { text: asked, source };
}
