import type { Cents } from "../money/money.ts";
import type { Totals } from "../pricing/totals.ts";
import type { ChargeSubject } from "./account.events.ts";
import { isTeamCharge } from "./team-charge.ts";

/** A charge that stands or was refunded, with the figures of its invoice. */
export interface Charge extends Totals, ChargeSubject {
  readonly chargeId: string;
  readonly invoiceId: number;
  readonly invoiceNumber: string;
  readonly action: "purchase" | "renewal";
  readonly pricesIncludeVat: boolean;
  /** The correction by which its order returned it, once there is one. */
  readonly refundedBy: number | undefined;
  /** What staff have returned of it, oldest first. */
  readonly refunds: readonly ChargeRefund[];
}

/** What staff returned of a charge. */
export interface ChargeRefund {
  readonly correctionId: number;
  readonly grossCents: Cents;
  readonly reason: string;
}

/**
 * True for the charge of a registration: a domain is bought by registering it, and in no other way; what a team sells for one is
 * none. Its refund is a fact of another name than those of all other charges.
 */
export function isRegistrationCharge({ chargeId, action, domainId }: Charge): boolean {
  return action === "purchase" && domainId !== null && !isTeamCharge(chargeId);
}
