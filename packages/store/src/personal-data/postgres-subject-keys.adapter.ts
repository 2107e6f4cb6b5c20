import { randomBytes } from "node:crypto";

import { TemporarilyUnavailableError } from "@hostledger/core";
import {
  cannotBeAsked,
  findsNoTable,
  postgresSentence,
  PostgresSessions,
  shownAddress,
} from "@hostledger/runtime/postgres";
import type pg from "pg";

import {
  keyBytes,
  readKey,
  retainedKeyOf,
  retainedLimit,
  SubjectKeyError,
  type RetainedFilter,
  type RetainedKey,
  type SubjectKey,
  type SubjectKeys,
} from "./subject-keys.port.ts";

/** A separate schema, because read models can be dropped and rebuilt, but keys cannot. */
const schema = `
  create schema if not exists hostledger_keys;
  create table if not exists hostledger_keys.subject_keys (subject text primary key, key bytea);
  create table if not exists hostledger_keys.erasures (id integer primary key check (id = 1), until text not null);
  create table if not exists hostledger_keys.store_mark (id integer primary key check (id = 1), first_fact text not null);
`;

/** Advisory lock for creating the schema; all processes must use this arbitrary number. */
const schemaLock = 7_203_114_466;

/** The second connection answers queries while the first destroys keys. */
const connections = 2;

interface KeyRow {
  readonly subject: string;
  readonly key: Uint8Array | null;
}

/** Opens the subject keys in PostgreSQL. @throws SubjectKeyError if PostgreSQL cannot be reached or used. */
export async function openPostgresSubjectKeys({ url }: { readonly url: string }): Promise<SubjectKeys> {
  const sessions = new PostgresSessions(
    {
      connectionString: url,
      application_name: "hostledger-keys",
      connectionTimeoutMillis: 3_000,
      query_timeout: 10_000,
    },
    connections,
  );
  try {
    await makeSchema(sessions);
  } catch (error) {
    await sessions.close();
    throw new SubjectKeyError(
      `The keys of personal data in PostgreSQL at ${shownAddress(url)}: ${postgresSentence(error)}.`,
      { cause: error },
    );
  }
  return new PostgresSubjectKeys(sessions);
}

async function makeSchema(sessions: PostgresSessions): Promise<void> {
  await sessions.query({
    text: `begin; select pg_advisory_xact_lock(${String(schemaLock)}); ${schema} commit;`,
  });
}

class PostgresSubjectKeys implements SubjectKeys {
  readonly #sessions: PostgresSessions;
  /** True once the database contained keys; a database without keys must then be the wrong one. */
  #hadKeys = false;

  constructor(sessions: PostgresSessions) {
    this.#sessions = sessions;
  }

  async find(subjects: readonly string[]): Promise<ReadonlyMap<string, SubjectKey>> {
    const found = new Map<string, SubjectKey>();
    for (const { subject, key: stored } of await this.#stored(subjects)) {
      const key = readKey(stored);
      if (key !== undefined) found.set(subject, key);
    }
    return found;
  }

  async obtain(subject: string): Promise<SubjectKey> {
    const known = (await this.find([subject])).get(subject);
    if (known !== undefined) return known;
    await this.#query(
      `insert into hostledger_keys.subject_keys select $1, $2
        where not $3 or exists (select from hostledger_keys.subject_keys) on conflict do nothing`,
      [subject, randomBytes(keyBytes), this.#hadKeys],
    );
    const [stored] = await this.#stored([subject]);
    if (stored === undefined)
      throw new TemporarilyUnavailableError(
        "hostledger_keys in PostgreSQL had keys and has none now: its data is missing, and no key is made there until it is back",
      );
    const key = readKey(stored.key);
    if (key === undefined) throw new SubjectKeyError(`the key of ${subject} in PostgreSQL is damaged`);
    return key;
  }

  async destroy(subject: string): Promise<boolean> {
    const [stored] = await this.#stored([subject]);
    await this.#query(
      "insert into hostledger_keys.subject_keys values ($1, null) on conflict (subject) do update set key = null",
      [subject],
    );
    // The old version of the row stays on disk until the table is vacuumed.
    await this.#query("vacuum hostledger_keys.subject_keys");
    return stored !== undefined && stored.key !== null;
  }

  async retained({
    accountId,
    throughYear = 9_999,
    except = [],
  }: RetainedFilter): Promise<readonly RetainedKey[]> {
    const rows = await this.#query<{ subject: string }>(
      `select subject from hostledger_keys.subject_keys
        where subject like $1 and key is not null and right(subject, 4)::int <= $2
          and split_part(subject, '-', 2)::bigint <> all ($3::bigint[])
        order by right(subject, 4), subject limit $4`,
      [
        `retention-${accountId === undefined ? "%" : String(accountId)}-____`,
        throughYear,
        [...except],
        retainedLimit,
      ],
    );
    return rows.map(({ subject }) => retainedKeyOf(subject));
  }

  async erasuresUntil(): Promise<string | undefined> {
    const rows = await this.#query<{ until: string }>("select until from hostledger_keys.erasures");
    return rows[0]?.until;
  }

  async markErasuresUntil(mark: string): Promise<void> {
    await this.#query(
      "insert into hostledger_keys.erasures values (1, $1) on conflict (id) do update set until = excluded.until",
      [mark],
    );
  }

  async firstEvent(): Promise<string | undefined> {
    const rows = await this.#query<{ first_fact: string }>(
      "select first_fact from hostledger_keys.store_mark",
    );
    return rows[0]?.first_fact;
  }

  async markFirstEvent(id: string): Promise<void> {
    await this.#query("insert into hostledger_keys.store_mark values (1, $1) on conflict do nothing", [id]);
  }

  close(): Promise<void> {
    return this.#sessions.close();
  }

  async #stored(subjects: readonly string[]): Promise<readonly KeyRow[]> {
    const rows = await this.#query<KeyRow>(
      "select subject, key from hostledger_keys.subject_keys where subject = any($1)",
      [subjects],
    );
    this.#hadKeys ||= rows.length > 0;
    return rows;
  }

  /** @throws TemporarilyUnavailableError if PostgreSQL is unreachable, or its tables are missing and must be restored. */
  async #query<Row extends pg.QueryResultRow>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    try {
      return (await this.#sessions.query<Row>({ text, values: [...values] })).rows;
    } catch (error) {
      if (!cannotBeAsked(error) && !findsNoTable(error)) throw error;
      throw new TemporarilyUnavailableError("the keys of personal data cannot be read from PostgreSQL now", {
        cause: error,
      });
    }
  }
}
