import { UndecodableEventError, type EventCodec } from "@hostledger/core";
import type { AppendResult, EventStore } from "@hostledger/store";

import type { Projection } from "../projection.ts";
import { table } from "../tables.ts";

/** Example events for this package's specs: hosting plans are listed, repriced and retired. */
export type PlanEvent =
  | { readonly type: "PlanListed"; readonly data: { readonly planId: number; readonly title: string } }
  | { readonly type: "PlanPriced"; readonly data: { readonly planId: number; readonly priceCents: string } }
  | { readonly type: "PlanRetired"; readonly data: { readonly planId: number } }
  | { readonly type: "PlanPraised"; readonly data: { readonly planId: number } };

export const planTables = {
  plans: table({
    columns: { id: "integer", title: "text", price_cents: "integer?", retired: "boolean", stream: "text" },
    primaryKey: ["id"],
    indexes: [{ columns: ["title"] }, { columns: ["retired", "id"] }],
  }),
};

export const planList: Projection<PlanEvent, typeof planTables> = {
  name: "plan_list",
  version: 1,
  categories: ["plan"],
  tables: planTables,
  handlers: {
    PlanListed: (db, { event, stream }) => {
      const { planId: id, title } = event.data;
      db.insert("plans", { id, title, price_cents: null, retired: false, stream });
    },
    PlanPriced: (db, { event }) => {
      db.update("plans", { id: event.data.planId }, { price_cents: BigInt(event.data.priceCents) });
    },
    PlanRetired: (db, { event }) => {
      db.update("plans", { id: event.data.planId }, { retired: true });
    },
    PlanPraised: "ignored",
  },
};

export const offerTables = {
  offers: table({
    columns: { plan_id: "integer", price_cents: "text", since: "text" },
    primaryKey: ["plan_id", "price_cents"],
    indexes: [{ columns: ["since"] }],
  }),
};

/** Prices on offer: rows are added, replaced and removed. */
export const offerList: Projection<PlanEvent, typeof offerTables> = {
  name: "offer_list",
  version: 1,
  categories: ["plan"],
  tables: offerTables,
  handlers: {
    PlanListed: "ignored",
    PlanPriced: (db, { event, time }) => {
      const { planId, priceCents } = event.data;
      db.upsert("offers", { plan_id: planId, price_cents: priceCents, since: time });
    },
    PlanRetired: (db, { event }) => {
      db.delete("offers", { plan_id: event.data.planId, price_cents: "100" });
    },
    PlanPraised: "ignored",
  },
};

export const listed = (planId: number, title = `Plan ${String(planId)}`): PlanEvent => ({
  type: "PlanListed",
  data: { planId, title },
});
export const priced = (planId: number, priceCents: string): PlanEvent => ({
  type: "PlanPriced",
  data: { planId, priceCents },
});
export const retired = (planId: number): PlanEvent => ({ type: "PlanRetired", data: { planId } });
export const praised = (planId: number): PlanEvent => ({ type: "PlanPraised", data: { planId } });

function knows(storedType: string): boolean {
  return /^Plan(Listed|Priced|Retired|Praised)\.v1$/u.test(storedType);
}

/** A codec that stores plain JSON; `{}` stands for data that breaks its schema. */
export const planCodec: EventCodec<PlanEvent> = {
  versions: new Map(),
  storedType: (type) => `${type}.v1`,
  openData: ({ data }) => data,
  knows,
  decode: (storedType, text) => {
    if (!knows(storedType)) throw new UndecodableEventError(`${storedType} is not known`);
    const data = parse(text);
    const type = storedType.slice(0, -".v1".length);
    if (!isPlanData(data)) throw new UndecodableEventError(`${storedType}: planId is missing`);
    const { planId, title = "", priceCents = "" } = data;
    switch (type) {
      case "PlanListed":
        return listed(planId, title);
      case "PlanPriced":
        return priced(planId, priceCents);
      case "PlanRetired":
        return retired(planId);
      default:
        return praised(planId);
    }
  },
};

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UndecodableEventError("the data is not JSON");
  }
}

interface PlanData {
  readonly planId: number;
  readonly title?: string;
  readonly priceCents?: string;
}

function isPlanData(value: unknown): value is PlanData {
  return typeof value === "object" && value !== null && "planId" in value;
}

export const metadata = JSON.stringify({
  commandId: "c",
  correlationId: "c",
  causationId: "c",
  actor: "staff",
  recordedBy: "test",
});

export async function store(eventStore: EventStore, ...events: readonly PlanEvent[]): Promise<AppendResult> {
  let result: AppendResult = { revision: -1n, position: -1n };
  for (const { type, data } of events) {
    result = await storeRaw(eventStore, `${type}.v1`, JSON.stringify(data), `plan-${String(data.planId)}`);
  }
  return result;
}

export function storeRaw(
  eventStore: EventStore,
  type: string,
  data: string,
  stream = "plan-1",
  metadataText = metadata,
): Promise<AppendResult> {
  const event = { id: crypto.randomUUID(), type, data, metadata: metadataText };
  return eventStore.append(stream, "any", [event]);
}
