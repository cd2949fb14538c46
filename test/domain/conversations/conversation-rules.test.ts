import test from 'ava';
import { nextConversationStatus } from '#domain/conversations/conversation-status.ts';
import { isSummaryDue } from '#domain/conversations/conversation-jobs.ts';
import { titleKey } from '#domain/conversations/title-key.ts';

test('allows status changes in one direction only', (t) => {
  t.is(nextConversationStatus('active', 'end'), 'ended');
  t.is(nextConversationStatus('ended', 'end'), 'ended');
  t.is(nextConversationStatus('archived', 'end'), null);
  for (const status of ['active', 'ended', 'archived'] as const)
    t.is(nextConversationStatus(status, 'archive'), 'archived');
});

test('summarises by growth, less often the longer a conversation is', (t) => {
  t.deepEqual(
    [1, 2, 3].map((messages) => isSummaryDue(messages, 0)),
    [false, true, true],
  );
  t.deepEqual(
    [3, 4].map((messages) => isSummaryDue(messages, 2)),
    [false, true],
  );
  t.deepEqual(
    [124, 125].map((messages) => isSummaryDue(messages, 100)),
    [false, true],
  );
});

test('derives ASCII title keys that are equal for titles that read alike', (t) => {
  t.is(titleKey('  Crème  BRÛLÉE!'), 'creme brulee');
  t.is(titleKey('ｆｕｌｌ'), 'full');
  t.regex(titleKey('東京 Ёлки'), /^[a-z0-9]{6} [a-z0-9]{12}$/);
  t.is(titleKey('ЁЛКИ'), titleKey('ёлки'));
  t.is(titleKey('?! — …'), '');
});
