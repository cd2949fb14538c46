import test from 'ava';
import { crawlFormIssues } from '#operations/crawls/crawl-form.ts';

test('each URL is a crawl of its own, and so many of them are an upload', (t) => {
  const problems = (urls: number) =>
    crawlFormIssues({ crawl: true }, { urls, maxPages: 100 }).map(({ loc, type }) => `${loc.join('.')} ${type}`);
  t.deepEqual([49, 50].flatMap(problems), []);
  t.deepEqual(problems(51), ['body.urls too_long']);
});
