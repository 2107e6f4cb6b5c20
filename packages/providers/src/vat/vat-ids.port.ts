import type { Outcome } from "../outcome.ts";

export interface VatIdAnswer {
  /** True if the VAT id is registered for trade in the Union. */
  readonly isValid: boolean;
  /** Number under which the register recorded the question, as evidence for the tax office; empty if it gave none. */
  readonly consultationNumber: string;
}

/** Data of a question beside the VAT id. */
export interface VatIdQuestion {
  /** Name of the company that gave the VAT id; empty if unknown. */
  readonly name: string;
  /** The seller's own VAT id; empty if it has none. Registers give a consultation number only to a seller with a VAT id. */
  readonly askedBy: string;
}

/** Port to a register of VAT ids. Every call resolves, changes nothing and may be repeated. */
export interface VatIdRegister {
  /**
   * Asks whether a VAT id is registered. Refused as `rejected` if the register does not take the question, for example about
   * a VAT id from outside the Union. An outage is never answered as "not valid".
   * @param vatId with its country's prefix and without separators.
   */
  check(vatId: string, question: VatIdQuestion): Promise<Outcome<VatIdAnswer>>;
}
