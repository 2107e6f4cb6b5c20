import { hostingCodec, parseEuros, UndecodableEventError, type HostingEvent } from "@hostledger/core";
import { ownEvents, type EventStore, type RecordedEvent } from "@hostledger/store";

/** The demo's net prices in euros: registration, renewal, transfer. */
export const demoPrices: Readonly<Record<string, readonly [string, string, string]>> = {
  com: ["10.00", "12.00", "10.00"],
  de: ["6.00", "6.00", "0.00"],
  net: ["12.00", "13.00", "12.00"],
  org: ["11.00", "13.00", "11.00"],
  eu: ["7.00", "8.00", "7.00"],
  io: ["39.00", "45.00", "39.00"],
};

/** The reference of the demo account's first payment. */
export const demoReference = "demo-opening-balance";

/** Existing parts of a demo. Opening a demo takes many commands, and the power may fail between any two. */
export interface DemoProgress {
  readonly prices: ReadonlySet<string>;
  readonly accountId: number | undefined;
  readonly isPaid: boolean;
  /** Ids by title, by code. */
  readonly plans: ReadonlyMap<string, number>;
  readonly regions: ReadonlyMap<string, number>;
  /** `plan-region`, in ids. */
  readonly stock: ReadonlySet<string>;
  /** Ids by the title of the plan; one that is under way is brought to its end when the instance starts. */
  readonly servers: ReadonlyMap<string, number>;
  readonly hasTicket: boolean;
}

/** A whole demo has about fifty events; a store with many more is in use. */
const mostEvents = 200;

/** Reads how far a demo has come. @returns undefined on a store that holds anything that a demo does not make. */
export async function readDemoProgress(store: EventStore): Promise<DemoProgress | undefined> {
  const events = new DemoEvents();
  let count = 0;
  for await (const batch of ownEvents(store)) {
    for (const stored of batch) {
      count += 1;
      if (count > mostEvents) return undefined;
      // Sequences reserve more than is used, and of the time and the installation there may be a word in any store.
      if (/^(sequence|clock|installation)-/.test(stored.stream)) continue;
      const event = ownEvent(stored);
      if (event === undefined) return undefined;
      // The end of an interrupted order depends on the point of the interruption.
      if (!events.take(event) && !/^server(order)?-/.test(stored.stream)) return undefined;
    }
  }
  return events;
}

/** @returns undefined for a foreign event, because other programs may share the store. */
function ownEvent({ type, data }: RecordedEvent): HostingEvent | undefined {
  try {
    return hostingCodec.decode(type, data);
  } catch (error) {
    if (error instanceof UndecodableEventError) return undefined;
    throw error;
  }
}

class DemoEvents implements DemoProgress {
  readonly prices = new Set<string>();
  readonly plans = new Map<string, number>();
  readonly regions = new Map<string, number>();
  readonly stock = new Set<string>();
  readonly servers = new Map<string, number>();
  accountId: number | undefined = undefined;
  isPaid = false;
  hasTicket = false;

  /** @returns false for an event that no demo has. */
  take({ type, data }: HostingEvent): boolean {
    switch (type) {
      case "PriceSet":
        this.prices.add(data.tld);
        return data.registrationCents === String(cents(demoPrices[data.tld]?.[0] ?? "0"));
      case "ExtensionLifeCycleSet":
        return this.prices.has(data.tld);
      case "AccountOpened":
        // Prices come first: an account without them, or a second one, is somebody's own.
        if (this.accountId !== undefined || this.prices.size < Object.keys(demoPrices).length) return false;
        this.accountId = data.accountId;
        return true;
      case "ProfileChanged":
        return data.version === 1;
      case "ReferenceTaken":
        return data.reference === demoReference;
      case "BalanceCredited":
        this.isPaid = data.reference === demoReference;
        return this.isPaid;
      case "PlanAdded":
        this.plans.set(data.title, data.planId);
        return true;
      case "RegionAdded":
        this.regions.set(data.code, data.regionId);
        return true;
      case "StockSet":
        this.stock.add(`${String(data.planId)}-${String(data.regionId)}`);
        return true;
      case "ServerOrderStarted":
        this.servers.set(data.planTitle, data.serverId);
        return true;
      case "ServerOrderFailed":
        for (const [title, serverId] of this.servers)
          if (serverId === data.serverId) this.servers.delete(title);
        return true;
      case "TicketOpened":
        this.hasTicket = true;
        return true;
      // Events that follow from the events above.
      case "InvoiceIssued":
      case "ApiKeyIssued":
      case "DocumentArchived":
      case "TicketNumbered":
        return true;
      default:
        return false;
    }
  }
}

/** An amount of the demo's, in cents. */
export function cents(euros: string): bigint {
  const amount = parseEuros(euros);
  if (!amount.ok) throw new Error(`the demo's amount ${euros} ${amount.error}`);
  return amount.value;
}
