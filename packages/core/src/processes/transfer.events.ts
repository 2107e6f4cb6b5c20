import { z } from "zod";

import { transferFields } from "../domain/domain-transfer.events.ts";
import { eventCodec } from "../kernel/event-codec.ts";
import { defineEvents, event, type EventOf } from "../kernel/event-definition.ts";
import { id, instant, text } from "../kernel/fields.ts";
import { chargeFields, refusalFields } from "./charge-fields.ts";
import { registrarOrderEvents } from "./registration.events.ts";

/** The facts of one transfer of a name to us (stream `domaintransfer-<id>`); what the registrar says of an order is as everywhere. */
export const transferRunEvents = defineEvents({
  ...registrarOrderEvents,
  TransferRunStarted: event("The run began: it will charge the account and order the transfer.", {
    ...transferFields,
    startedAt: instant,
  }),
  TransferCharged: event("The account was charged; the order to the registrar is next.", {
    ...chargeFields,
    at: instant,
  }),
  TransferChargeRefused: event("The account refused the charge.", { ...refusalFields, at: instant }),
  TransferPending: event("The registry took the order down, and the other registrar has yet to answer it.", {
    nextInquiryAt: instant,
    at: instant,
  }),
  TransferOrderRefused: event("The name was certainly not transferred, and will not be for this run.", {
    reason: text,
    /** A code of the catalogue where the customer can do something about it. */
    code: text.nullable(),
    at: instant,
  }),
  TransferNeverCharged: event("The account knows of no charge: there is nothing to return.", { at: instant }),
  TransferChargeReturned: event("The charge was returned.", { correctionId: id, at: instant }),
  TransferParked: event("The run waits for staff.", { reason: text, at: instant }),
  TransferUnparked: event("Staff lets the run try again.", { at: instant }),
  TransferAbandoned: event(
    "Staff ends the run: what is still pending is withdrawn, and the charge returned.",
    {
      reason: text,
      at: instant,
    },
  ),
  TransferCompleted: event("The run has ended.", {
    outcome: z.enum(["transferred", "refused", "refunded"]),
    at: instant,
  }),
});

/** Everything that happens in a transfer run. */
export type TransferEvent = EventOf<typeof transferRunEvents>;
/** The run began: it will charge the account and order the transfer. */
export type TransferRunStarted = EventOf<typeof transferRunEvents, "TransferRunStarted">;
/** The run waits for staff. */
export type TransferParked = EventOf<typeof transferRunEvents, "TransferParked">;

/** Reads and names a transfer run's events. */
export const transferRunCodec = eventCodec(transferRunEvents);
