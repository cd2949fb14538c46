import type { Turn } from './answer-prompt.ts';

type ChatMessage = { role: string; content: string | readonly { text: string }[] | null };

export type ReadChat = {
  /** Text of the last message of a user; null when there is none. */
  query: string | null;
  /** What the application wants of the answer: its messages of role `system` or `developer`; null for nothing. */
  style: string | null;
  /** The messages of users and assistants before the query, oldest first. */
  history: Turn[];
};

const INSTRUCTING_ROLES: ReadonlySet<string> = new Set(['system', 'developer']);
const MAX_TURNS = 12;
/** Of the style and of each message of the history; once the messages together have as many, there are no earlier ones. */
const MAX_CHARACTERS = 12_000;

/** Reads a conversation in the form of the OpenAI API. Of a long one, the last messages count. */
export function readChat(messages: readonly ChatMessage[]): ReadChat {
  const turns = messages.map(({ role, content }) => ({ role, content: textOf(content) }));
  const asked = turns.findLastIndex(({ role, content }) => role === 'user' && content.trim() !== '');
  const instructions = turns.filter(({ role }) => INSTRUCTING_ROLES.has(role)).map(({ content }) => content);
  const style = instructions.join('\n').slice(0, MAX_CHARACTERS).toWellFormed();
  return {
    query: turns[asked]?.content ?? null,
    style: style.trim() === '' ? null : style,
    history: lastTurns(turns.slice(0, Math.max(0, asked))),
  };
}

function lastTurns(turns: readonly Turn[]): Turn[] {
  const last: Turn[] = [];
  let characters = 0;
  for (const turn of turns.toReversed()) {
    if (INSTRUCTING_ROLES.has(turn.role) || turn.content === '') continue;
    if (last.length === MAX_TURNS || characters >= MAX_CHARACTERS) break;
    const content = turn.content.slice(0, MAX_CHARACTERS).toWellFormed();
    characters += content.length;
    last.unshift({ ...turn, content });
  }
  return last;
}

function textOf(content: ChatMessage['content']): string {
  if (content === null) return '';
  return typeof content === 'string' ? content : content.map(({ text }) => text).join('\n');
}
