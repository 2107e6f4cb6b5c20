import type { TransferNameCommand } from "./domain.commands.ts";
import type { DomainTransferEvent } from "./domain.events.ts";

/** Examples of the transfer t-1 of moved.com to account 7, for specs. */

export const at = "2026-03-01T10:00:00.000000Z";
export const transferId = "t-1";

export const transfer = {
  transferId,
  domainId: 4,
  accountId: 7,
  name: "moved.com",
  provider: "sandbox",
  authCode: "let-me-go",
  autoRenew: true,
  nameservers: null,
  netCents: "900",
} as const;

export const held = {
  provider: "sandbox",
  whoisPrivacy: true,
  transferLock: true,
  nameservers: ["ns1.elsewhere.test", "ns2.elsewhere.test"],
  registeredAt: "2024-11-21T10:00:00.000000Z",
  expiresAt: "2027-11-21T10:00:00.000000Z",
} as const;

export const charge = { chargeId: transferId, invoiceId: 101, grossCents: "1071" } as const;

export const transferCommands = {
  ReserveTransfer: { type: "ReserveTransfer", data: { ...transfer, at } },
  ReleaseTransfer: { type: "ReleaseTransfer", data: { transferId, reason: "order-not-carried-out", at } },
  TransferDomainIn: { type: "TransferDomainIn", data: { transferId, ...held, ...charge, at } },
} as const satisfies Readonly<Record<TransferNameCommand["type"], TransferNameCommand>>;

const owned = { domainId: 4, accountId: 7, name: "moved.com" } as const;

export const transferEvents = {
  TransferReserved: { type: "TransferReserved", data: { ...transfer, reservedAt: at } },
  TransferReleased: {
    type: "TransferReleased",
    data: { transferId, ...owned, reason: "order-not-carried-out", releasedAt: at },
  },
  DomainTransferredIn: {
    type: "DomainTransferredIn",
    data: { transferId, ...owned, autoRenew: true, ...held, ...charge, transferredAt: at },
  },
} as const satisfies Readonly<Record<DomainTransferEvent["type"], DomainTransferEvent>>;
