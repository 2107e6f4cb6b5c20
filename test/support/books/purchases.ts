import type { Document, Subject } from "./document.ts";
import { cents, number, property, text, type Event, type Report } from "./books-event.ts";

/** An order besides registrations, folded from its events. */
export interface Order {
  readonly chargeId: string;
  readonly accountId: number;
  readonly action: Document["action"];
  readonly subject: Subject;
  /** Allowed prices in cents: one, or two if only the account knows whether VAT is added. */
  readonly prices: readonly bigint[];
}

/** The delivery of a charge. */
export interface Delivery {
  readonly chargeId: string;
  readonly accountId: number;
  readonly invoiceId: number;
  /** Undefined if the event lacks it. */
  readonly grossCents: bigint | undefined;
  /** The event's place. */
  readonly place: string;
}

/** Orders and deliveries by charge. */
export interface PurchaseBook {
  readonly orders: ReadonlyMap<string, Order>;
  readonly deliveries: ReadonlyMap<string, Delivery>;
}

/** Reads the orders and the deliveries of domain renewals, servers and server renewals. */
export function readPurchases(events: readonly Event[], report: Report): PurchaseBook {
  const orders = new Map<string, Order>();
  const deliveries = new Map<string, Delivery>();
  for (const event of events) {
    const order = orderIn(event);
    if (order !== undefined) {
      if (orders.has(order.chargeId)) report(`${order.chargeId} was ordered twice`);
      orders.set(order.chargeId, order);
    }
    const delivery = deliveryIn(event);
    if (delivery !== undefined) {
      if (deliveries.has(delivery.chargeId)) report(`${delivery.chargeId} was delivered twice`);
      deliveries.set(delivery.chargeId, delivery);
    }
  }
  return { orders, deliveries };
}

function orderIn({ type, data }: Event): Order | undefined {
  switch (type) {
    case "DomainRenewalStarted": {
      const years = number(data, "years");
      const net = cents(data, "yearNetCents") * BigInt(years);
      return {
        chargeId: text(data, "renewalId"),
        accountId: number(data, "accountId"),
        action: "renewal",
        subject: { duration: years, domainId: number(data, "domainId"), serverId: null, planId: null },
        prices: [net, net + (net * 19n + 50n) / 100n],
      };
    }
    case "ServerOrderStarted": {
      const price = cents(data, "monthGrossCents") * BigInt(number(data, "months"));
      const isGift = property(data, "grossCents") === null;
      return { ...serverOrder(data, "orderId"), action: "purchase", prices: isGift ? [] : [price] };
    }
    case "ServerRenewalStarted":
      return { ...serverOrder(data, "renewalId"), action: "renewal", prices: [renewalPrice(data)] };
    default:
      return undefined;
  }
}

function serverOrder(data: unknown, id: string): Pick<Order, "chargeId" | "accountId" | "subject"> {
  return {
    chargeId: text(data, id),
    accountId: number(data, "accountId"),
    subject: {
      duration: number(data, "months"),
      domainId: null,
      serverId: number(data, "serverId"),
      planId: number(data, "planId"),
    },
  };
}

/** `plan.price × duration × (1 − discount) × (1.10 if suspended)`, rounded half up once (specification §1). */
function renewalPrice(data: unknown): bigint {
  const months = number(data, "months");
  const discount = months === 3 ? 5n : months === 6 ? 10n : months === 12 ? 15n : 0n;
  const surcharge = number(data, "surchargePercent") === 0 ? 0n : 10n;
  const exact = cents(data, "monthGrossCents") * BigInt(months) * (100n - discount) * (100n + surcharge);
  return (exact + 5_000n) / 10_000n;
}

function deliveryIn({ type, data, stream, revision }: Event): Delivery | undefined {
  const isDelivery = ["DomainRenewed", "ServerProvisioned", "ServerRenewed"].includes(type);
  // A gift, and a server that was brought along, have no charge.
  if (!isDelivery || property(data, "chargeId") === null) return undefined;
  return {
    chargeId: text(data, "chargeId"),
    accountId: number(data, "accountId"),
    invoiceId: number(data, "invoiceId"),
    grossCents: type === "ServerProvisioned" ? undefined : cents(data, "grossCents"),
    place: `${stream}@${String(revision)} (${type})`,
  };
}
