import type { Dialect } from './engine.ts';

/**
 * A migration only adds. Its level is the release that brought it: a release works on its own level and on the next,
 * so what a migration replaces is dropped one level later, and replicas can be exchanged one by one.
 */
export interface Migration {
  readonly level: number;
  readonly name: string;
  readonly statements: (dialect: Dialect) => readonly string[];
}

export const SCHEMA_MIGRATION =
  'create table if not exists schema_migration (name text primary key, level bigint not null, applied_at bigint not null)';

export const migrations: readonly Migration[] = [
  {
    level: 1,
    name: 'foundation',
    statements: ({ identity, key }) => [
      `create table revision (topic ${key} primary key, n bigint not null)`,
      `insert into revision (topic, n) values ('access', 0), ('catalog', 0), ('mode', 0)`,
      `create table mode (id bigint primary key, is_read_only bigint not null, message text not null, set_by text not null)`,
      `insert into mode (id, is_read_only, message, set_by) values (1, 0, '', 'hand')`,
      `create table outbox (
        id ${identity}, at bigint not null, type text not null,
        folder ${key}, name ${key}, service_type ${key}, data text not null)`,
      `create table audit (
        id ${identity}, at bigint not null, who text not null, address text not null, request_id text not null,
        action text not null, target ${key} not null, before_state text, after_state text)`,
      `create index audit_target on audit (target, id)`,
    ],
  },
  {
    level: 1,
    name: 'access',
    statements: ({ identity, key }) => [
      `create table account (
        username ${key} primary key, full_name text not null, role text not null, password_hash text not null,
        created_at bigint not null, modified_at bigint not null)`,
      `create table token (
        hash ${key} primary key, id ${key} not null unique, kind text not null, name text not null,
        username ${key} not null, role text not null, only_service ${key}, binding_client text, binding_value text,
        created_at bigint not null, expires_at bigint not null, last_used_at bigint)`,
      `create index token_username on token (username)`,
      `create index token_expires on token (expires_at)`,
      `create table login_address (address ${key} primary key, at bigint not null)`,
      `create table login_failure (id ${identity}, account ${key} not null, address ${key} not null, at bigint not null)`,
      `create index login_failure_address on login_failure (address, at)`,
      `create index login_failure_at on login_failure (at)`,
    ],
  },
  {
    level: 1,
    name: 'catalog',
    statements: ({ identity, key }) => [
      `create table folder (
        name ${key} primary key, description text not null, created_at bigint not null, catalog_revision bigint not null)`,
      `create table service (
        folder ${key} not null, name ${key} not null, type ${key} not null,
        description text not null, capabilities text not null, parent_type text not null, url text not null,
        access text not null, state text not null, owner text not null,
        created_at bigint not null, modified_at bigint not null, revision bigint not null,
        catalog_revision bigint not null, primary key (folder, name, type))`,
      `create index folder_catalog_revision on folder (catalog_revision)`,
      `create index service_catalog_revision on service (catalog_revision)`,
      `create table catalog_removed (
        id ${identity}, folder ${key} not null, name ${key} not null, type ${key} not null,
        catalog_revision bigint not null, at bigint not null)`,
      `create index catalog_removed_revision on catalog_removed (catalog_revision)`,
      `create index catalog_removed_at on catalog_removed (at)`,
    ],
  },
];
