import { z } from "zod";

import { historyCodec, type EventVersions } from "../kernel/event-codec.ts";
import { centsField, instantField } from "../kernel/fields.ts";
import type { PriceListEvent } from "./price-list.events.ts";

const tldField = z.string().regex(/^[a-z]{2,63}$/);

/** The shapes a price list's events have had. */
export const priceListVersions: Readonly<Record<PriceListEvent["type"], EventVersions>> = {
  PriceSet: {
    schemas: [
      z.strictObject({
        tld: tldField,
        registrationCents: centsField,
        renewalCents: centsField,
        transferCents: centsField,
        active: z.boolean(),
        setAt: instantField,
      }),
    ],
  },
};

/** Reads and names a price list's events. */
export const priceListCodec = historyCodec<PriceListEvent>(priceListVersions);
