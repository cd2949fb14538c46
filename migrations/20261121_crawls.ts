import type { Knex } from 'knex';

/**
 * Crawls and their frontier. What a slice of a crawl does to a page is one transaction under the lock of the crawl's row, which
 * names the slice that may write (`slice`): a worker that died loses nothing, one that stalled doubles nothing. The pages of a
 * crawl that is over are what the next one of the same site compares with.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table crawls (
      id uuid primary key,
      workspace_id uuid not null references workspaces,
      collection_id uuid not null references collections,
      upload_id uuid not null references uploads,
      start_content_id uuid not null,
      start_url text not null,
      origin text not null,
      max_pages int not null,
      max_depth int not null,
      page_options jsonb not null,
      state text not null default 'running' check (state in ('running', 'completed', 'cancelled', 'failed')),
      message text,
      paused boolean not null default false,
      slice uuid,
      robots text,
      delay_ms int,
      fetches int not null default 0,
      taken int not null default 0,
      settled int not null default 0,
      found int not null default 2,
      counts jsonb,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now()
    );
    create index on crawls (upload_id);
    create index on crawls (collection_id, start_content_id);

    create table crawl_pages (
      crawl_id uuid not null references crawls,
      url_hash text not null,
      workspace_id uuid not null,
      collection_id uuid not null,
      kind text not null check (kind in ('robots', 'page', 'sitemap')),
      url text not null,
      path_hash text,
      depth int not null,
      hops smallint not null default 0,
      found bigint generated always as identity,
      found_on uuid,
      is_start boolean not null default false,
      state text not null default 'waiting'
        check (state in ('waiting', 'fetched', 'unchanged', 'failed', 'gone', 'skipped')),
      reason text,
      attempts smallint not null default 0,
      not_before timestamptz not null default now(),
      yields_to text,
      settled int,
      content_id uuid,
      etag text,
      last_modified text,
      content_hash text,
      primary key (crawl_id, url_hash)
    );
    create index on crawl_pages (crawl_id, depth, attempts, found) where state = 'waiting';
    create index on crawl_pages (crawl_id, settled);
    create index on crawl_pages (crawl_id, path_hash) where path_hash is not null;
    create index on crawl_pages (collection_id, url_hash);
    create index on crawl_pages (content_id);

    -- When a host may be asked next, by whichever worker, crawl or workspace, and how often. The host is named by a hash.
    create table host_turns (
      host_hash text primary key,
      next_at timestamptz not null,
      every_ms int not null
    );

    -- Of a crawled page only what it is about is read, not what surrounds it.
    alter table content_collections add column main_text boolean not null default false;
  `);
}

export async function down(): Promise<void> {
  throw new Error('Migrations only go forward: restore a backup to go back.');
}
