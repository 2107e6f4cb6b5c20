import type { Cents } from "../money/money.ts";
import type { Totals } from "../pricing/totals.ts";
import type { ChargeSubject } from "./account.events.ts";
import type { DocumentTerms } from "./document-terms.ts";
import { isTeamCharge } from "./team-charge.ts";

export interface Charge extends Totals, ChargeSubject {
  readonly chargeId: string;
  readonly invoiceId: number;
  readonly invoiceNumber: string;
  readonly action: "purchase" | "renewal";
  readonly pricesIncludeVat: boolean;
  /** Sum of the prices asked for in cents (EUR), net or gross like the prices. */
  readonly askedCents: Cents;
  /** Frozen terms of the invoice that its corrections repeat; null on older invoices. */
  readonly tax: DocumentTerms["tax"];
  readonly supply: DocumentTerms["supply"];
  readonly sold: DocumentTerms["sold"];
  /** Id of the correction that refunded the failed order; undefined before. */
  readonly refundedBy: number | undefined;
  /** Staff's refunds of the charge, oldest first. */
  readonly refunds: readonly ChargeRefund[];
}

export interface ChargeRefund {
  readonly correctionId: number;
  readonly grossCents: Cents;
  readonly reason: string;
}

/** Returns true for a registration's charge: a purchase of a domain outside team charges. Its refund has its own event. */
export function isRegistrationCharge({ chargeId, action, domainId }: Charge): boolean {
  return action === "purchase" && domainId !== null && !isTeamCharge(chargeId);
}
