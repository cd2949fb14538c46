import { randomUUID } from 'node:crypto';
import test from 'ava';
import type { Page } from 'playwright-core';
import { Conversation } from '#domain/records/conversation.ts';
import { DEEP_MARKDOWN, HOSTILE_MARKDOWN } from '#test/support/fixtures/hostile-texts.ts';
import { apiClient } from '#test/support/harness/api-client.ts';
import { testStack } from '#test/support/harness/stack.ts';
import { axeViolations, openConsole, widthBeyondWindow } from './open-console.ts';

const { apiKey } = testStack();
const NARROW = { viewport: { width: 390, height: 844 } };

/** What Markdown never makes, or loads or runs something. */
const FORBIDDEN = 'img, script, style, iframe, form, object, embed, link, base, button, input, details, svg';

test('no Markdown of a stored message runs or loads anything, and links say where they lead', async (t) => {
  const id = await conversationOf(HOSTILE_MARKDOWN);
  await using console = await openConsole({ apiKey, path: `/conversations/${id}`, browser: NARROW });
  const { page, problems } = console;
  const texts = page.locator('.markdown');
  await texts.nth(HOSTILE_MARKDOWN.length - 1).waitFor();
  t.is(await texts.count(), HOSTILE_MARKDOWN.length);
  t.is(await texts.locator(FORBIDDEN).count(), 0);
  for (const link of await linksOf(page)) {
    t.regex(link.href, /^(?:https?:\/\/|mailto:)/);
    t.deepEqual(
      { ...link, href: '', title: '' },
      { href: '', title: '', target: '_blank', rel: 'noopener noreferrer nofollow' },
    );
    t.is(link.title, link.href);
  }
  t.deepEqual(await handlersOf(page), []);
  await texts.getByText('microsoft.com (t.co)').waitFor();
  await texts.getByText('good.example/?evil.example (evil.example)').waitFor();
  await texts.getByText('https://good.example@evil.example/ (evil.example)').waitFor();
  await texts.getByText('mail (eve@evil.example)').waitFor();
  await texts.getByText('<img src=x onerror=alert(1)><svg/onload=alert(1)>').waitFor();
  t.is(await widthBeyondWindow(page), 0);
  t.deepEqual(await axeViolations(page), []);
  t.deepEqual(problems, []);
});

test('Markdown that is too deep or too long to be parsed is shown as it is, and keeps nobody from the others', async (t) => {
  const long = '**word** '.repeat(20_000);
  const id = await conversationOf([...DEEP_MARKDOWN, long, 'a **last** word']);
  await using console = await openConsole({ apiKey, path: `/conversations/${id}` });
  const { page, problems } = console;
  await page.locator('.markdown strong').getByText('last').waitFor();
  const whole = page.getByRole('button', { name: /^Show all/ });
  for (let left = await whole.count(); left > 0; left -= 1) await whole.first().click();
  await whole.first().waitFor({ state: 'detached' });
  const shown = await page.locator('.markdown').allInnerTexts();
  t.deepEqual(
    shown.map((text) => text.replaceAll(/\s/g, '')),
    [...DEEP_MARKDOWN, long, 'a last word'].map((text) => text.replaceAll(/\s/g, '')),
  );
  t.deepEqual(problems, []);
});

test('what a program stores as the citations of an answer opens nothing but passages', async (t) => {
  const places = [
    { number: 1, at: 0, chunk_id: '../../../console', content_id: '..', start: -5, end: 9e9 },
    { number: 2, at: 4, chunk_id: randomUUID(), content_id: randomUUID(), start: 4, end: 2 },
    { number: '3', at: {}, chunk_id: 7 },
    null,
  ];
  const id = await conversationOf(['[1] [2] [3] <b>bold</b>'], {
    answer: { method: 'model', citations: places },
  });
  await using console = await openConsole({ apiKey, path: `/conversations/${id}` });
  const { page, problems } = console;
  const message = page.locator('.markdown');
  await message.getByText('[3] <b>bold</b>').waitFor();
  for (const number of [1, 2]) {
    await message.getByRole('button', { name: `Source ${number}: ` }).click();
    await page
      .getByRole('dialog')
      .getByText(/no longer there|does not exist|must be/i)
      .waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  }
  t.deepEqual(problems, []);
});

/** Starts a conversation in which an assistant has said this. */
async function conversationOf(texts: readonly string[], meta_data: object = {}): Promise<string> {
  const api = apiClient(apiKey);
  const { id } = await api.post('/conversations', Conversation, { json: { title: 'Markdown' }, status: 201 });
  const content = texts.map((text) => ({ content: text, role: 'assistant', meta_data }));
  const { status } = await api.send('/messages', { method: 'POST', json: { conversation_id: id, content } });
  if (status !== 201) throw new Error(`messages: ${status}`);
  return id;
}

type Link = { href: string; title: string; target: string; rel: string };

const linksOf = async (page: Page) =>
  page.evaluate<Link[]>(`[...document.querySelectorAll('.markdown a')].map((link) => ({
    href: link.getAttribute('href'), title: link.title, target: link.target, rel: link.rel,
  }))`);

/** The attributes of texts that would run or load something. */
const handlersOf = async (page: Page) =>
  page.evaluate<string[]>(`[...document.querySelectorAll('.markdown *')]
    .flatMap((element) => element.getAttributeNames()).filter((name) => /^on|^src|action$/.test(name))`);
