import { z } from "zod";

import { eventCodec } from "../kernel/event-codec.ts";
import { defineEvents, event, type EventOf } from "../kernel/event-definition.ts";
import { basisPoints, day, instant, line, staffReason } from "../kernel/fields.ts";

/** Events of the tax rules (stream `taxrules-all`). */
export const taxRulesEvents = defineEvents({
  TaxRulesSet: event(
    "Standard VAT rates of member states were set: the first time those that Hostledger ships, later by staff.",
    {
      /** First business date (YYYY-MM-DD) on which the rates apply. */
      validFrom: day,
      rates: z
        .array(
          z.strictObject({
            /** Member state, ISO 3166-1 alpha-2. */
            country: line(2),
            standardBasisPoints: basisPoints,
          }),
        )
        .min(1)
        .max(50),
      reason: staffReason,
      setAt: instant,
    },
  ),
});

export type TaxRulesEvent = EventOf<typeof taxRulesEvents>;

export const taxRulesCodec = eventCodec(taxRulesEvents);
