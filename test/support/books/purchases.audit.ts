import type { AccountEntry, ChargeEntry } from "./accounts.audit.ts";
import { property, text, type Event, type Report } from "./books-event.ts";
import type { Order, PurchaseBook } from "./purchases.ts";

/**
 * Audits every charge except registrations after all runs have ended: it was ordered, at that price and for that
 * subject, and was either delivered or refunded; and every delivery was paid.
 * @param isRegistration returns true for a registration's charge, which is audited with its name.
 */
export function auditPurchases(
  { orders, deliveries }: PurchaseBook,
  accounts: ReadonlyMap<number, AccountEntry>,
  charges: ReadonlyMap<string, ChargeEntry>,
  isRegistration: (chargeId: string) => boolean,
  report: Report,
): void {
  for (const charge of charges.values()) {
    const { chargeId, refundedBy } = charge;
    if (isRegistration(chargeId)) continue;
    const order = orders.get(chargeId);
    if (order === undefined) report(`${chargeId} was charged without a reservation`);
    else auditCharge(charge, order, accounts, report);
    const delivered = deliveries.get(chargeId);
    if (refundedBy === undefined && delivered === undefined)
      report(`${chargeId} is paid, and neither delivered nor refunded`);
    if (refundedBy !== undefined && delivered !== undefined)
      report(`${chargeId} was refunded, and delivered by ${delivered.place}`);
    if ((refundedBy ?? "ChargeRefunded") !== "ChargeRefunded")
      report(`${chargeId} is no registration, and was refunded as one`);
  }
  for (const { chargeId, accountId, invoiceId, grossCents, place } of deliveries.values()) {
    const charge = charges.get(chargeId);
    if (charge === undefined) {
      report(`${place} delivers what was never paid (${chargeId})`);
      continue;
    }
    const fits =
      charge.accountId === accountId &&
      charge.invoiceId === invoiceId &&
      (grossCents === undefined || charge.grossCents === grossCents);
    if (!fits) report(`${place} names another account, invoice or amount than ${chargeId} has`);
  }
}

function auditCharge(
  { chargeId, accountId, invoiceId, grossCents }: ChargeEntry,
  { prices, ...order }: Order,
  accounts: ReadonlyMap<number, AccountEntry>,
  report: Report,
): void {
  if (order.accountId !== accountId) report(`${chargeId} was charged to account ${String(accountId)}`);
  if (!prices.includes(grossCents))
    report(`${chargeId} was charged with ${String(grossCents)} cents, not ${prices.join(" or ")}`);
  const invoice = accounts.get(accountId)?.documents.find(({ id }) => id === invoiceId);
  const [wanted, found] = [order, invoice].map((of) => JSON.stringify([of?.action, of?.subject]));
  if (wanted !== found) report(`${chargeId} has an invoice for ${found ?? ""}, not for ${wanted ?? ""}`);
}

/**
 * Every server: ordered once, provisioned or not, renewed from one expiry date to the next, and destroyed once.
 *
 * @returns names of those that were set up and are not destroyed, as the nodes know them too.
 */
export function auditServers(storedEvents: readonly Event[], report: Report): ReadonlySet<string> {
  const provisioned = new Set<string>();
  const streams = Map.groupBy(storedEvents, ({ stream }) => stream);
  for (const [stream, events] of streams) {
    if (!stream.startsWith("server-")) continue;
    let status = "absent";
    let expiresAt: string | undefined;
    for (const { type, data, revision } of events) {
      const place = `${stream}@${String(revision)} (${type})`;
      if (type === "ServerOrdered") {
        if (status !== "absent") report(`${place} orders a server that is ${status}`);
        status = "ordered";
      } else if (type === "ServerProvisioned" || type === "ServerOrderFailed") {
        if (status !== "ordered") report(`${place} ends the order of a server that is ${status}`);
        status = type === "ServerProvisioned" ? "provisioned" : "failed";
        expiresAt = type === "ServerProvisioned" ? text(data, "expiresAt") : undefined;
        if (status === "provisioned") provisioned.add(stream);
      } else if (type === "ServerTerminated") {
        if (status !== "provisioned") report(`${place} destroys the machine of a server that is ${status}`);
        status = "terminated";
        provisioned.delete(stream);
      } else if (type === "ServerRenewed") {
        if (status !== "provisioned") report(`${place} renews a server that is ${status}`);
        if (expiresAt !== text(data, "previousExpiresAt"))
          report(
            `${place} renews from ${text(data, "previousExpiresAt")}, it expires ${expiresAt ?? "never"}`,
          );
        expiresAt = text(data, "expiresAt");
      }
    }
    if (status === "ordered") report(`the order of ${stream} has not ended`);
  }
  return provisioned;
}

/** First and last events of the runs, and the outcomes that delivered. */
const runs = [
  { begins: "RenewalRunStarted", ends: "RenewalCompleted", id: "renewalId", delivered: "renewed" },
  { begins: "ServerOrderStarted", ends: "ServerOrderCompleted", id: "orderId", delivered: "provisioned" },
  { begins: "ServerRenewalStarted", ends: "ServerRenewalCompleted", id: "renewalId", delivered: "renewed" },
] as const;

/**
 * Audits that every run of a purchase has ended once, with its last event, in agreement with the events of its
 * domain or server.
 */
export function auditPurchaseRuns(
  storedEvents: readonly Event[],
  { orders, deliveries }: PurchaseBook,
  report: Report,
): void {
  const reported = new Set(
    storedEvents.flatMap(({ type, data }) =>
      type === "DomainRenewed" || type === "DomainRenewalFailed" ? [text(data, "renewalId")] : [],
    ),
  );
  for (const { type, data } of storedEvents) {
    if (type === "DomainRenewalStarted" && !reported.has(text(data, "renewalId")))
      report(`the renewal ${text(data, "renewalId")} has not ended`);
  }
  const streams = Map.groupBy(storedEvents, ({ stream }) => stream);
  for (const [stream, events] of streams) {
    const [first] = events;
    const run = runs.find(({ begins }) => begins === first?.type);
    if (run === undefined || first === undefined) continue;
    const last = events.at(-1);
    const ends = events.filter(({ type }) => type === run.ends);
    if (ends.length !== 1 || last?.type !== run.ends) {
      report(`the run ${stream} stands at ${last?.type ?? "nothing"}`);
      continue;
    }
    const chargeId = text(first.data, run.id);
    // A gift has no charge by which its delivery could be found; its server's own events are audited all the same.
    if (orders.get(chargeId)?.prices.length === 0) continue;
    const outcome = String(property(last.data, "outcome"));
    if ((outcome === run.delivered) !== deliveries.has(chargeId))
      report(
        `the run ${stream} ended as ${outcome}, but ${chargeId} is ${deliveries.has(chargeId) ? "" : "not "}delivered`,
      );
  }
}
