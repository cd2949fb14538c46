import type { ValidationIssue } from '#domain/app-error.ts';
import type { UploadForm } from '#domain/records/upload.ts';

/** Each URL of an upload is a crawl of its own. */
const MAX_CRAWLS = 50;

/** Fields that say what to crawl, and those that go with it or do not. Fields whose shape is wrong are left out. */
export type CrawlForm = {
  [Name in 'crawl' | 'max_pages' | 'max_depth' | 'on_duplicate' | 'metadata']?: UploadForm[Name] | undefined;
};

/** What is wrong with the fields of a crawl. */
export function crawlFormIssues(
  form: CrawlForm,
  { urls, maxPages }: { urls: number; maxPages: number },
): ValidationIssue[] {
  const issueOf = (field: string, msg: string, type: string) => ({ loc: ['body', field], msg, type });
  if (form.crawl !== true) {
    return (['max_pages', 'max_depth'] as const)
      .filter((field) => (form[field] ?? null) !== null)
      .map((field) => issueOf(field, 'is for crawls: send crawl=true with it', 'without_crawl'));
  }
  const issues: ValidationIssue[] = [];
  if (urls > MAX_CRAWLS) issues.push(issueOf('urls', `may be at most ${MAX_CRAWLS} with crawl=true`, 'too_long'));
  if (urls === 0) issues.push(issueOf('crawl', 'needs a URL to start from: send urls', 'missing_url'));
  if ((form.max_pages ?? 0) > maxPages) {
    issues.push(issueOf('max_pages', `may be at most ${maxPages}`, 'too_big'));
  }
  if (form.on_duplicate === 'keep') {
    const msg = 'cannot be keep with crawl=true: a crawl brings the pages that are there up to date';
    issues.push(issueOf('on_duplicate', msg, 'not_with_crawl'));
  }
  if (form.metadata?.['external_id'] !== undefined) {
    issues.push({
      loc: ['body', 'metadata', 'external_id'],
      msg: 'names one content, and a crawl takes many: leave it out',
      type: 'not_with_crawl',
    });
  }
  return issues;
}
