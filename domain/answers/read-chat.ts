import { recentTexts } from '#domain/conversations/recent-texts.ts';
import { cutToTokens } from '#domain/chunking/estimate-tokens.ts';
import type { Turn } from './answer-prompt.ts';

type Part = { type: string; text?: string | undefined };
type ChatMessage = { role: string; content?: string | readonly Part[] | null | undefined };

export type ReadChat = {
  /** Text of the last message of a user; null when there is none. */
  query: string | null;
  /** The type of a part of that message that is not text, such as `image_url`; null when it can be read as a whole. */
  unreadPart: string | null;
  /** What the application wants of the answer: its messages of role `system` or `developer`; null for nothing. */
  style: string | null;
  /** The messages of users and assistants before the query, oldest first. */
  history: Turn[];
};

const INSTRUCTING_ROLES: ReadonlySet<string> = new Set(['system', 'developer']);
const MAX_STYLE_TOKENS = 4_000;
/** What of a conversation is taken into account: messages, and the tokens of their texts together. */
export const HISTORY_LIMITS = { count: 12, tokens: 4_000 };

/** Reads a conversation in the form of the OpenAI API. Of a long one, the last messages count. */
export function readChat(messages: readonly ChatMessage[]): ReadChat {
  const turns = messages.map(({ role, content }) => ({ role, content: textOf(content) }));
  const unreadParts = messages.map(({ content }) => unreadPartOf(content));
  const asked = turns.findLastIndex(
    ({ role, content }, index) => role === 'user' && (content.trim() !== '' || unreadParts[index] !== null),
  );
  const instructions = turns.filter(({ role }) => INSTRUCTING_ROLES.has(role)).map(({ content }) => content);
  const style = cutToTokens(instructions.join('\n'), MAX_STYLE_TOKENS).toWellFormed();
  return {
    query: turns[asked]?.content ?? null,
    unreadPart: unreadParts[asked] ?? null,
    style: style.trim() === '' ? null : style,
    history: lastTurns(turns.slice(0, Math.max(0, asked))),
  };
}

function lastTurns(turns: readonly Turn[]): Turn[] {
  const said = turns.filter(({ role, content }) => !INSTRUCTING_ROLES.has(role) && content !== '');
  return recentTexts(said, HISTORY_LIMITS).map((turn) => ({ ...turn, content: turn.content.toWellFormed() }));
}

/** Parts that are not text are left out. */
function textOf(content: ChatMessage['content']): string {
  if (content === null || content === undefined) return '';
  if (typeof content === 'string') return content;
  return content.flatMap(({ type, text }) => (type === 'text' && text !== undefined ? [text] : [])).join('\n');
}

function unreadPartOf(content: ChatMessage['content']): string | null {
  return Array.isArray(content) ? (content.find(({ type }) => type !== 'text')?.type ?? null) : null;
}
