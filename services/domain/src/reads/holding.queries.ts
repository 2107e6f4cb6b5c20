import type { ParameterOf, ReadModelDatabase } from "@hostledger/projections";

import type { DomainSchema } from "./domain.tables.ts";

/** A domain that the registrar should hold. */
export interface HeldDomain {
  readonly domain_id: number;
  readonly domain_name: string;
}

/** Finds the domains that a registrar is asked about. */
export interface HoldingQueries {
  /** Domains after this id that are neither expired nor on their way elsewhere, by id. */
  heldAfter(domainId: number, limit: number): Promise<readonly HeldDomain[]>;
  /** Domains after this id that staff have on their way elsewhere, by id. */
  leavingAfter(domainId: number, limit: number): Promise<readonly HeldDomain[]>;
  /** The greatest id; 0 where there is no domain. */
  lastDomainId(): Promise<number>;
}

/** Prepares the queries, once. */
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
