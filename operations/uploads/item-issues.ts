import type { ValidationIssue } from '#domain/app-error.ts';
import type { UploadForm, UploadItemFields } from '#domain/records/upload.ts';

/** Problems with more than this many items are summed up, because the list itself would be too large. */
const MAX_LISTED = 20;

type JudgedForm = { [Name in 'items' | 'metadata' | 'crawl' | 'on_duplicate']?: UploadForm[Name] | undefined };

/** Returns the problem of a form that asks for another content with an external id, which only one of a collection has. */
export function keptIdIssues({ items = [], metadata, crawl, on_duplicate: same }: JudgedForm): ValidationIssue[] {
  const isNamed = metadata?.['external_id'] !== undefined || items.some(({ external_id: id }) => id !== undefined);
  // A crawl accepts neither of both.
  if (same !== 'keep' || !isNamed || crawl === true) return [];
  const msg = 'cannot be keep with an external_id, which replaces the content that has it: leave out one of them';
  return [{ loc: ['body', 'on_duplicate'], msg, type: 'conflicting' }];
}

/** Returns the problems of `items`, the fields of the single items of an upload, with the items and with one another. */
export function itemIssues(form: JudgedForm, counts: { items: number }): ValidationIssue[] {
  const { items = [] } = form;
  if (items.length === 0) return [];
  const issueOf = (msg: string, type: string) => ({ loc: ['body', 'items'], msg, type });
  const issues: ValidationIssue[] = [];
  if (items.length !== counts.items) {
    const msg =
      `must have one object for each item: there are ${items.length} objects and ${counts.items} items ` +
      '(files and texts as in the form, then URLs); send {} for an item without fields';
    issues.push(issueOf(msg, 'wrong_count'));
  }
  const named = items.some(({ external_id: id }) => id !== undefined);
  if (named && form.crawl === true) {
    const msg = 'cannot have an external_id with crawl=true: it identifies a single content, but a crawl creates many';
    issues.push(issueOf(msg, 'not_with_crawl'));
  }
  if (named && form.metadata?.['external_id'] !== undefined) {
    const msg = 'have an external_id, and so has metadata: send it in one of both places';
    issues.push(issueOf(msg, 'conflicting'));
  }
  return [...issues, ...repeatedIds(items)];
}

function repeatedIds(items: readonly UploadItemFields[]): ValidationIssue[] {
  const first = new Map<string, number>();
  const issues: ValidationIssue[] = [];
  for (const [index, { external_id: id }] of items.entries()) {
    if (id === undefined) continue;
    const before = first.get(id);
    if (before === undefined) first.set(id, index);
    else if (issues.length < MAX_LISTED) {
      const loc = ['body', 'items', String(index), 'external_id'];
      issues.push({ loc, msg: `is the one of item ${before}, too; each item needs its own`, type: 'repeated' });
    }
  }
  return issues;
}
