import { DeciderCommandHandler } from "@event-driven-io/emmett";
import { getPostgreSQLEventStore } from "@event-driven-io/emmett-postgresql";
import { account, type AccountCommand, type AccountEvent, type AccountState } from "@hostledger/core";
import { Pool } from "pg";

import type { CommandSink } from "./accounts.ts";
import { startPostgres } from "./postgres.ts";

/** Emmett's command handler over a PostgreSQL of its own. */
export interface Emmett extends CommandSink {
  /** Server settings that decide the durability of a commit. */
  readonly settings: string;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Starts PostgreSQL on a free port with its own defaults, and Emmett's store with its own: ten connections. */
export async function startEmmett(directory: string): Promise<Emmett> {
  const postgres = await startPostgres(directory);
  // The same as Emmett's own. Its end does not wait for the connections', and PostgreSQL may hang up on one sooner.
  const pool = new Pool({ connectionString: postgres.url, max: 10 });
  pool.on("error", () => undefined);
  const store = getPostgreSQLEventStore(postgres.url, {
    connectionOptions: { pool },
    schema: { autoMigration: "None" },
  });
  await pool.query(store.schema.sql());
  const handle = DeciderCommandHandler<AccountState, AccountCommand, AccountEvent>({
    initialState: () => account.initialState,
    evolve: account.evolve,
    decide(command, state) {
      const decision = account.decide(command, state);
      if (!decision.accepted) throw new Error(decision.rejection.message);
      return [...decision.events];
    },
    // Emmett does not retry on its own, and two callers may use one account.
    retry: { onVersionConflict: 20 },
  });
  return {
    settings: postgres.settings,
    async execute({ category }, id, command) {
      await handle(store, `${category}-${id}`, command);
      return { accepted: true };
    },
    async [Symbol.asyncDispose]() {
      await store.close();
      await pool.end();
      await postgres.stop();
    },
  };
}
