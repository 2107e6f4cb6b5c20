import type { ParameterOf, ReadModelDatabase } from "@hostledger/projections";

import type { DomainSchema } from "./domain.tables.ts";

/** A domain that the registrar should hold. */
export interface HeldDomain {
  readonly domain_id: number;
  readonly domain_name: string;
}

/** Finds the domains that a registrar is asked about. */
export interface HoldingQueries {
  /** Domains after this id that are neither expired nor on their way elsewhere nor being renewed, by id. */
  heldAfter(domainId: number, limit: number): Promise<readonly HeldDomain[]>;
  /** Domains after this id that staff have on their way elsewhere, by id; none that its registry withholds, or that is being renewed. */
  leavingAfter(domainId: number, limit: number): Promise<readonly HeldDomain[]>;
  /** The greatest id; 0 where there is no domain. */
  lastDomainId(): Promise<number>;
}

/** Prepares the queries, once. */
export function holdingQueries(database: ReadModelDatabase<DomainSchema>): HoldingQueries {
  const held = database.prepared((db, parameter: ParameterOf<{ domainId: number; limit: number }>) =>
    db
      .selectFrom("life_cycles")
      .select(["domain_id", "domain_name"])
      .where("domain_id", ">", parameter("domainId"))
      .where("expired", "=", 0)
      .where("transferring", "=", 0)
      .where("renewing", "=", 0)
      .orderBy("domain_id")
      .limit(parameter("limit")),
  );
  const leaving = database.prepared((db, parameter: ParameterOf<{ domainId: number; limit: number }>) =>
    db
      .selectFrom("life_cycles")
      .select(["domain_id", "domain_name"])
      .where("domain_id", ">", parameter("domainId"))
      .where("transferring", "=", 1)
      .where("withheld", "=", 0)
      .where("renewing", "=", 0)
      .orderBy("domain_id")
      .limit(parameter("limit")),
  );
  const last = database.prepared((db) =>
    db.selectFrom("life_cycles").select("domain_id").orderBy("domain_id", "desc").limit(1),
  );
  return {
    heldAfter: (domainId, limit) => held.all({ domainId, limit }),
    leavingAfter: (domainId, limit) => leaving.all({ domainId, limit }),
    lastDomainId: async () => (await last.first({}))?.domain_id ?? 0,
  };
}
