import type { Charge } from "./charge.ts";

/** A charge's fields in stored order, without their names, which would take most of the space. */
export type ChargeRow = readonly [
  chargeId: string,
  invoiceId: number,
  invoiceNumber: string,
  action: Charge["action"],
  pricesIncludeVat: boolean,
  netCents: string,
  vatRateBasisPoints: string,
  vatCents: string,
  grossCents: string,
  duration: number,
  domainId: number | null,
  serverId: number | null,
  planId: number | null,
  askedCents: string,
  terms: readonly [tax: Charge["tax"], supply: Charge["supply"], sold: Charge["sold"]],
  refundedBy: number | null,
  refunds: readonly (readonly [correctionId: number, grossCents: string, reason: string])[],
];

export function chargeRowOf(charge: Charge): ChargeRow {
  const { chargeId, invoiceId, invoiceNumber, action, pricesIncludeVat, refundedBy = null } = charge;
  const { netCents, vatRateBasisPoints, vatCents, grossCents, duration, domainId, serverId, planId } = charge;
  const { askedCents, tax, supply, sold } = charge;
  return [
    ...([chargeId, invoiceId, invoiceNumber, action, pricesIncludeVat] as const),
    ...([String(netCents), String(vatRateBasisPoints), String(vatCents), String(grossCents)] as const),
    ...([duration, domainId, serverId, planId, String(askedCents), [tax, supply, sold], refundedBy] as const),
    charge.refunds.map((one) => [one.correctionId, String(one.grossCents), one.reason] as const),
  ];
}

export function chargeOf(row: ChargeRow): Charge {
  const [chargeId, invoiceId, invoiceNumber, action, pricesIncludeVat, ...rest] = row;
  const [netCents, vatRateBasisPoints, vatCents, grossCents, ...subject] = rest;
  const [duration, domainId, serverId, planId, askedCents, [tax, supply, sold], refundedBy, refunds] =
    subject;
  return {
    chargeId,
    invoiceId,
    invoiceNumber,
    action,
    pricesIncludeVat,
    netCents: BigInt(netCents),
    askedCents: BigInt(askedCents),
    tax,
    supply,
    sold,
    vatRateBasisPoints: BigInt(vatRateBasisPoints),
    vatCents: BigInt(vatCents),
    grossCents: BigInt(grossCents),
    duration,
    domainId,
    serverId,
    planId,
    refundedBy: refundedBy ?? undefined,
    refunds: refunds.map(([correctionId, cents, reason]) => ({
      correctionId,
      grossCents: BigInt(cents),
      reason,
    })),
  };
}

export function rowOfText(text: string): ChargeRow {
  return JSON.parse(text) as ChargeRow;
}
