import type { ParameterOf, ReadModelDatabase } from "@hostledger/read";

import type { DomainSchema } from "./domain.tables.ts";

/** A domain that should be at the registrar. */
export interface HeldDomain {
  readonly domain_id: number;
  readonly domain_name: string;
}

/** Queries of domains to compare with a registrar. */
export interface HoldingQueries {
  /** Returns domains above this id that are neither expired nor leaving, by id. */
  heldAfter(domainId: number, limit: number): Promise<readonly HeldDomain[]>;
  /** Returns domains above this id that staff released to another registrar, by id. */
  leavingAfter(domainId: number, limit: number): Promise<readonly HeldDomain[]>;
  /** Returns the greatest id; 0 without domains. */
  lastDomainId(): Promise<number>;
}

export function holdingQueries(database: ReadModelDatabase<DomainSchema>): HoldingQueries {
  const held = database.prepared((db, parameter: ParameterOf<{ domainId: number; limit: number }>) =>
    db
      .selectFrom("domains")
      .select(["id as domain_id", "domain_name"])
      .where("id", ">", parameter("domainId"))
      .where("expired", "=", 0)
      .where("transferring", "=", 0)
      .orderBy("id")
      .limit(parameter("limit")),
  );
  const leaving = database.prepared((db, parameter: ParameterOf<{ domainId: number; limit: number }>) =>
    db
      .selectFrom("domains")
      .select(["id as domain_id", "domain_name"])
      .where("id", ">", parameter("domainId"))
      .where("transferring", "=", 1)
      .orderBy("id")
      .limit(parameter("limit")),
  );
  const last = database.prepared((db) =>
    db.selectFrom("domains").select("id").orderBy("id", "desc").limit(1),
  );
  return {
    heldAfter: (domainId, limit) => held.all({ domainId, limit }),
    leavingAfter: (domainId, limit) => leaving.all({ domainId, limit }),
    lastDomainId: async () => (await last.first({}))?.id ?? 0,
  };
}
