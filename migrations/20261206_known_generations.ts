import type { Knex } from 'knex';

/**
 * Processes of releases that know one index of a collection only must not write about a collection that has or had another one: what
 * they publish, count as indexed or project is in the old index alone. They do not say what newer ones say in the same
 * transaction (`KNOWS_GENERATIONS`), and are refused with a code that they take for a passing failure: they try again until a newer
 * process does it. The lock keeps the switch waiting for a transaction that began before there was a second index.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create or replace function require_known_generations() returns trigger language plpgsql as $$
    begin
      for attempt in 1..2 loop
        if exists (select from index_generations g where g.collection_id = new.collection_id and g.number > 1) then
          raise exception using errcode = 'object_not_in_prerequisite_state',
            message = 'The embedder of this collection was or is being changed, which this release does not know. Stop this process.',
            hint = 'A process of the new release will do what this one was about to do.';
        end if;
        perform from index_generations where collection_id = new.collection_id and status = 'active' for key share;
      end loop;
      return new;
    end $$;

    create or replace trigger require_known_generations
      before update of active_version, indexed_chunks, projecting on content_collections for each row
      when (coalesce(current_setting('loci.knows_generations', true), '') = '' and (
        new.indexed_chunks > old.indexed_chunks or (old.projecting and not new.projecting)
        or (new.active_version is not null and new.active_version is distinct from old.active_version)))
      execute function require_known_generations();
  `);
}

export async function down(): Promise<void> {
  throw new Error('Migrations only go forward: restore a backup to go back.');
}
