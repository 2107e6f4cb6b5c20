import { periodOf } from "../account/document-terms.ts";
import type { PaidOrderDefinition } from "./paid-order/paid-order.definition.ts";
import type { RegistrarRegistration } from "./registration.process.ts";
import { inquirySchedule, settlementSchedule } from "./retry-schedule.ts";
import { transferRunEvents, type TransferEvent, type TransferRunStarted } from "./transfer.events.ts";

/** The subject of a transfer run, from its first event. */
export type Transfer = TransferRunStarted["data"];

/**
 * Transfers a name from another registrar to us. The reservation of the name comes first, and its event begins the run:
 *
 *     charge → order → pending → done → confirm → the domain is active, with a year more
 *       │        │        └ refused ─→ refund → release the name
 *       │        ├ refused ──────────→ refund → release the name
 *       │        └ unanswered → ask ┬ pending, done → as above
 *       │                           └ not held, twice → refund → release the name
 *       └ declined → release the name
 *
 * A completed transfer cannot be undone. The account therefore stays charged during inquiries, and gets its money back
 * only when it is certain that the name does not come (ADR 0002).
 */
export const transferIn: PaidOrderDefinition<Transfer, RegistrarRegistration, TransferEvent> = {
  name: "transfer",
  // An import stores original times in the stream `transfer-times`, so this process needs another category.
  category: "domaintransfer",
  begins: {
    stream: (name) => `domain-${name}`,
    by(event) {
      if (event.type !== "TransferReserved") return undefined;
      const { reservedAt: startedAt, ...transfer } = event.data;
      return { ...transfer, startedAt };
    },
  },
  payer: ({ accountId, transferId }) => ({ accountId, chargeId: transferId }),
  charge: ({ transferId, accountId, domainId, name, netCents, startedAt }) => ({
    accountId,
    chargeId: transferId,
    action: "purchase",
    lines: [{ description: `Transfer of ${name}, with a year`, quantity: 1, unitNetCents: BigInt(netCents) }],
    pricesIncludeVat: false,
    duration: 1,
    domainId,
    serverId: null,
    planId: null,
    // The registry adds a year to an expiry date that only it knows yet, so the year counts from the order.
    supply: periodOf(startedAt, 12),
    sold: { domain: name, server: null, plan: null },
  }),
  // For the account, a transfer is the purchase of a domain, like a registration.
  refundOf: "registration",

  provider: {
    order: ({ transferId: clientTransactionId, accountId, name, authCode }) => ({
      to: "registrar",
      type: "transfer-in",
      clientTransactionId,
      accountId,
      name,
      authCode,
    }),
    inquire: ({ transferId: clientTransactionId, accountId, name }, isAbandoned, isTaken) => ({
      to: "registrar",
      type: isAbandoned ? "withdraw-transfer" : "inquire-transfer",
      clientTransactionId,
      accountId,
      name,
      ...(isTaken && { isTaken }),
    }),
    words: {
      notCarriedOut: "The registrar did not carry out the transfer",
      silent: "The registrar does not tell what has become of the transfer",
    },
    inquiries: inquirySchedule,
    settlement: settlementSchedule,
    // The other registrar may take about five days, so the run asks for over a week, at last hourly.
    pending: { limit: 200, firstDelayMs: 1_000, longestDelayMs: 3_600_000 },
  },

  confirm({ transferId, name }, charge, held, at) {
    if (charge === null || held === undefined) throw new Error("a transfer is confirmed with both");
    const data = { transferId, ...charge, ...held, at };
    return { to: "domain", id: name, command: { type: "TransferDomainIn", data } };
  },

  release: ({ transferId, name }, _failure, reason, at) => ({
    to: "domain",
    id: name,
    command: { type: "ReleaseTransfer", data: { transferId, reason, at } },
  }),
  nothingToReleaseBy: ["registration-not-found"],

  events: transferRunEvents,
};
