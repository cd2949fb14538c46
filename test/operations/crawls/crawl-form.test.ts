import test from 'ava';
import { crawlFormIssues } from '#operations/crawls/crawl-form.ts';

test('each URL starts its own crawl, and an upload accepts a limited number of them', (t) => {
  const problems = (urls: number) =>
    crawlFormIssues({ crawl: true }, { urls, maxPages: 100 }).map(({ loc, type }) => `${loc.join('.')} ${type}`);
  t.deepEqual([49, 50].flatMap(problems), []);
  t.deepEqual(problems(51), ['body.urls too_long']);
});
