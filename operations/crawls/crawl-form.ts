import type { ValidationIssue } from '#domain/app-error.ts';
import type { UploadForm } from '#domain/records/upload.ts';

/** Each URL of an upload starts a separate crawl. */
const MAX_CRAWLS = 50;

/** Fields of an upload that concern crawls, already validated one by one; fields with a wrong shape are absent. */
export type CrawlForm = {
  [Name in 'crawl' | 'max_pages' | 'max_depth' | 'on_duplicate' | 'metadata']?: UploadForm[Name] | undefined;
};

/** Returns the problems of the crawl fields of an upload: missing, too large, or in conflict with one another. */
export function crawlFormIssues(
  form: CrawlForm,
  { urls, maxPages }: { urls: number; maxPages: number },
): ValidationIssue[] {
  const issueOf = (field: string, msg: string, type: string) => ({ loc: ['body', field], msg, type });
  if (form.crawl !== true) {
    return (['max_pages', 'max_depth'] as const)
      .filter((field) => (form[field] ?? null) !== null)
      .map((field) => issueOf(field, 'requires crawl=true', 'without_crawl'));
  }
  const issues: ValidationIssue[] = [];
  if (urls > MAX_CRAWLS) issues.push(issueOf('urls', `may be at most ${MAX_CRAWLS} with crawl=true`, 'too_long'));
  if (urls === 0) issues.push(issueOf('crawl', 'requires at least one URL to start from: send urls', 'missing_url'));
  if ((form.max_pages ?? 0) > maxPages) {
    issues.push(issueOf('max_pages', `may be at most ${maxPages}`, 'too_big'));
  }
  if (form.on_duplicate === 'keep') {
    const msg = 'cannot be keep with crawl=true: a crawl updates the pages that the collection already has';
    issues.push(issueOf('on_duplicate', msg, 'not_with_crawl'));
  }
  if (form.metadata?.['external_id'] !== undefined) {
    issues.push({
      loc: ['body', 'metadata', 'external_id'],
      msg: 'identifies a single content, but a crawl creates many: leave it out',
      type: 'not_with_crawl',
    });
  }
  return issues;
}
