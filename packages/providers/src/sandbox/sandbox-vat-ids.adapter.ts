import { assertNever, isVatIdOfUnion } from "@hostledger/core";

import { done, refused, type Outcome } from "../outcome.ts";
import type { VatIdAnswer, VatIdQuestion, VatIdRegister } from "../vat/vat-ids.port.ts";
import { behaviourOf } from "./labels.ts";
import { noAnswer, type Line } from "./line.ts";

/** The simulated register of VAT ids. It has every VAT id, except where a label in the company's name says otherwise. */
export class SandboxVatIds implements VatIdRegister {
  readonly #line: Line;

  constructor(line: Line) {
    this.#line = line;
  }

  check(vatId: string, { name, askedBy }: VatIdQuestion): Promise<Outcome<VatIdAnswer>> {
    const { order, callMs } = behaviourOf(name.toLowerCase());
    return this.#line.call(callMs, () => {
      if (!isVatIdOfUnion(vatId))
        return refused("rejected", `The sandbox has no VAT ids that begin with ${vatId.slice(0, 2)}.`);
      const consultationNumber = isVatIdOfUnion(askedBy) ? `SANDBOX${vatId}` : "";
      switch (order) {
        case "carried-out":
          return done({ isValid: true, consultationNumber });
        case "rejected":
          return done({ isValid: false, consultationNumber });
        case "unreachable":
          return refused("unreachable", "The sandbox's register of VAT ids cannot be reached.");
        case "swallowed":
        case "answer-lost":
        case "in-limbo":
        case "late":
          return noAnswer;
        default:
          return assertNever(order);
      }
    });
  }
}
