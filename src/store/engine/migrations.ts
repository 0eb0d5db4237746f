// The schema, as the list of all migrations in order. `migrate.ts` applies those that a store does not have yet. To change the
// schema, add a migration to the end of the list; never edit one that has landed (`landedMigrations.ts` has their hashes).
import type { Dialect } from './dialect.ts';

/**
 * One step of the schema. `level` counts version numbers: 1 is 0.1.0, 2 is 0.2.0. Replicas are replaced one by one, so a version
 * must work on the schema of its own level and of the next: a migration only adds, and what it makes obsolete is dropped by a
 * migration one level later.
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
  {
    level: 1,
    name: 'webhooks',
    statements: ({ identity, key }) => [
      `insert into revision (topic, n) values ('webhooks', 0)`,
      `create table delivery_policy (
        id bigint primary key, attempts bigint not null, timeout_s bigint not null, wait_s bigint not null,
        days bigint not null, failures bigint not null)`,
      `insert into delivery_policy (id, attempts, timeout_s, wait_s, days, failures) values (1, 3, 10, 5, 5, 5)`,
      `create table webhook (
        seq ${identity}, id ${key} not null unique, folder ${key} not null, name ${key} not null, type ${key} not null,
        hook_name ${key} not null, url text not null, active bigint not null, change_types text not null,
        content_type text not null, sealed text not null, signature_header text not null,
        receiver_signals bigint not null, owner text not null, created_at bigint not null, modified_at bigint not null,
        revision bigint not null, deactivated_reason text, deactivated_at bigint, failures text not null,
        deleted_at bigint)`,
      `create unique index webhook_name on webhook (folder, name, type, hook_name) where deleted_at is null`,
      `create index webhook_deleted on webhook (deleted_at) where deleted_at is not null`,
      `create table webhook_ledger (
        webhook_seq bigint primary key, accepted bigint not null, delivered bigint not null, failed bigint not null,
        discarded bigint not null, last_at bigint, last_kind text, last_status bigint, last_reason text,
        last_success_at bigint, paced_through bigint, paced_at bigint)`,
      `create table event_sequence (
        folder ${key} not null, name ${key} not null, type ${key} not null, n bigint not null,
        primary key (folder, name, type))`,
      `create table event (
        seq ${identity}, id ${key} not null, folder ${key} not null, name ${key} not null, type ${key} not null,
        event_id ${key}, event_type text not null, at bigint not null, sequence bigint not null, body text not null)`,
      `create unique index event_repeat on event (folder, name, type, event_id) where event_id is not null`,
    ],
  },
  {
    level: 1,
    name: 'deliveries',
    statements: ({ identity, roomForChanges }) => [
      // No index has a column that changes when a delivery succeeds, because PostgreSQL would then write an entry in each index.
      `create table delivery (
        id ${identity}, event_seq bigint not null, webhook_seq bigint not null, state text not null, fence bigint not null,
        attempts bigint not null, created_at bigint not null, settled_at bigint, failed_at bigint,
        is_failed bigint not null default 0)${roomForChanges}`,
      `create index delivery_log on delivery (webhook_seq, id)`,
      `create index delivery_failed on delivery (webhook_seq, id) where is_failed = 1`,
      `create index delivery_failed_at on delivery (failed_at) where failed_at is not null`,
      `create index delivery_event on delivery (event_seq)`,
      `create table attempt (
        delivery_id bigint not null, number bigint not null, at bigint not null, duration_ms bigint not null,
        kind text not null, status bigint, reason text not null, answer text not null, url text,
        settles bigint not null default 0, primary key (delivery_id, number))`,
      `create index attempt_settles on attempt (at) where settles = 1`,
    ],
  },
  {
    level: 1,
    name: 'queue',
    statements: ({ identity, key, clustered, roomForChanges }) => [
      `create table queue (
        delivery_id bigint primary key, event_seq bigint not null, webhook_seq bigint not null, created_at bigint not null,
        due_at bigint not null, fence bigint not null, attempts bigint not null, round_attempts bigint not null, failed_at bigint, resend_of text,
        sent_while_inactive bigint not null default 0, owner ${key}, lease_until bigint)${clustered}${roomForChanges}`,
      `create index queue_due on queue (webhook_seq, due_at, delivery_id)`,
      `create index queue_log on queue (webhook_seq, delivery_id)`,
      // Finds the few deliveries that are sent to an inactive webhook among all that it holds.
      `create index queue_sent_while_inactive on queue (webhook_seq, due_at, delivery_id) where sent_while_inactive = 1`,
      // An index of `queue` by owner or lease would have to change with each claim.
      `create table claim (id ${identity}, owner ${key} not null, lease_until bigint not null, deliveries text not null)`,
      `create index claim_lease on claim (lease_until)`,
    ],
  },
  {
    level: 1,
    name: 'jobs',
    statements: ({ key }) => [
      `create table job (
        id ${key} primary key, kind text not null, state text not null, task text, cursor text, done bigint not null,
        total bigint not null, is_cancelled bigint not null, started_by text not null, started_at bigint not null,
        ended_at bigint, owner text, lease_until bigint not null, fence bigint not null)`,
      `create index job_running on job (lease_until) where state = 'running'`,
      `create table job_entry (
        job_id ${key} not null, number bigint not null, at bigint not null, text text not null,
        primary key (job_id, number))`,
    ],
  },
  {
    level: 1,
    name: 'uploads',
    statements: ({ key }) => [
      `create table upload (
        id ${key} primary key, name text not null, description text not null, content_type text not null,
        size bigint not null, owner text not null, created_at bigint not null, used_by ${key}, content text not null)`,
    ],
  },
  {
    level: 1,
    name: 'documents',
    statements: ({ key }) => [`create table document (name ${key} primary key, content text not null)`],
  },
  {
    level: 1,
    name: 'upgrades',
    statements: ({ identity, key }) => [
      `insert into revision (topic, n) values ('jobs', 0), ('versions', 0)`,
      `alter table job add column is_pausing bigint not null default 0`,
      `alter table job add column phase text not null default ''`,
      `alter table job add column ends_at bigint`,
      `create index job_fence on job (fence)`,
      `create index job_active on job (lease_until) where state in ('running', 'undoing')`,
      `alter table job_entry add column code bigint`,
      `create table known_version (id ${key} primary key, at bigint not null, document text not null)`,
      `create table installed_version (
        seq ${identity}, id ${key} not null, at bigint not null, how text not null, who text not null, job_id ${key},
        removed_at bigint, document text not null, images_before text not null)`,
      `create table restore_point (id bigint primary key, name text not null, at bigint not null)`,
    ],
  },
  {
    level: 1,
    name: 'journal',
    statements: ({ key }) => [
      `create table job_journal (
        job_id ${key} not null, number bigint not null, at bigint not null, fence bigint not null, kind text not null,
        entry text not null, primary key (job_id, number))`,
    ],
  },
  {
    level: 1,
    name: 'plans',
    statements: ({ key }) => [
      `create table shown_plan (hash ${key} primary key, at bigint not null, content text not null)`,
    ],
  },
  {
    level: 1,
    name: 'loginAccounts',
    statements: () => [`create index login_failure_account on login_failure (account, at)`],
  },
  {
    level: 1,
    name: 'signedManifests',
    statements: ({ key }) => [
      `create table signed_manifest (hash ${key} primary key, at bigint not null, document text not null)`,
      `alter table known_version add column product text`,
    ],
  },
  {
    level: 1,
    name: 'deliverySearch',
    statements: () => [
      // Until then the receiver asked for no request (Retry-After).
      `alter table webhook_ledger add column paused_until bigint`,
      `create index event_public_id on event (id)`,
    ],
  },
  {
    level: 1,
    name: 'auditSearch',
    statements: () => [`create index audit_who on audit (who, id)`, `create index audit_at on audit (at, id)`],
  },
  {
    level: 1,
    name: 'auditRetention',
    statements: () => [
      `create table audit_retention (
        id bigint primary key, pruned_before bigint not null, owner text, lease_until bigint not null)`,
      `insert into audit_retention (id, pruned_before, lease_until) values (1, 0, 0)`,
    ],
  },
  {
    level: 2,
    name: 'installation',
    statements: ({ key }) => [
      // One row. `version` is that of the server that started last.
      `create table installation (
        id bigint primary key, installation_id ${key} not null, created_at bigint not null, version text not null)`,
    ],
  },
  {
    level: 3,
    name: 'objects',
    statements: ({ key }) => [
      `create table object_bundle (checksum ${key} primary key, at bigint not null, size bigint not null, content text not null)`,
      `create table job_object (
        job_id ${key} not null, digest ${key} not null, content text not null, primary key (job_id, digest))`,
      `alter table installed_version add column objects ${key}`,
    ],
  },
];
