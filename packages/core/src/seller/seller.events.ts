import { z } from "zod";

import { eventCodec } from "../kernel/event-codec.ts";
import { defineEvents, event, type DataOf, type EventOf } from "../kernel/event-definition.ts";
import { count, day, flag, instant, line, staffReason } from "../kernel/fields.ts";

/** Seller on a document (§14 (4) no. 1 and 2 UStG; EN 16931, BG-4). Unknown texts are empty. */
export const sellerFields = {
  /** Number of changes; 0 for the placeholder of an installation without a seller. */
  version: z.int().nonnegative(),
  name: line(200),
  street: line(200),
  postalCode: line(16),
  city: line(100),
  /** ISO 3166-1 alpha-2. */
  country: line(2),
  /** VAT id with its country's prefix; empty for a seller with a tax number only. */
  vatId: line(20),
  /** National tax number (Steuernummer); empty for a seller with a VAT id only. */
  taxNumber: line(30),
  email: line(254),
  phone: line(40),
  /** Person whom buyers ask (EN 16931, BT-41). */
  contact: line(200),
  /** Sentence on documents of exempt customers (§14 (4) no. 8 UStG). */
  exemptionReason: line(500),
  /** The seller is a small business, which charges no VAT (§19 UStG). */
  isSmallBusiness: flag,
  /** IANA name of the time zone in which documents are dated, such as Europe/Berlin. */
  timeZone: line(64),
};

/** A version of the seller. */
export type SellerVersion = DataOf<typeof sellerFields>;

/** Events of the seller (stream `seller-all`). */
export const sellerEvents = defineEvents({
  SellerChanged: event(
    "The seller on later documents changed. The first version comes from the settings, later ones from staff.",
    { ...sellerFields, version: count, reason: staffReason, changedAt: instant },
  ),
  OssRegistrationSet: event(
    "Staff set from which business date the seller takes part in the One Stop Shop, so that consumers in other member states pay their own rate.",
    {
      /** First business date; null for no participation. */
      from: day.nullable(),
      reason: staffReason,
      setAt: instant,
    },
  ),
});

export type SellerEvent = EventOf<typeof sellerEvents>;

export const sellerCodec = eventCodec(sellerEvents);
