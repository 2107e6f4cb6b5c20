import { transferFields } from "../domain/domain-transfer.events.ts";
import { eventCodec } from "../kernel/event-codec.ts";
import { defineEvents, type EventOf } from "../kernel/event-definition.ts";
import { instant } from "../kernel/fields.ts";
import { fact } from "./paid-order/paid-order.stored-facts.ts";
import { registrarOrderEvents } from "./registration.events.ts";

/** The facts of one transfer of a name to us (stream `domaintransfer-<id>`); what the registrar says of an order is as everywhere. */
export const transferRunEvents = defineEvents({
  ...registrarOrderEvents,
  TransferRunStarted: fact.begun("The run began: it will charge the account and order the transfer.", {
    ...transferFields,
    startedAt: instant,
  }),
  TransferCharged: fact.charged("The account was charged; the order to the registrar is next."),
  TransferChargeRefused: fact.declined(),
  TransferPending: fact.pending(
    "The registry took the order down, and the other registrar has yet to answer it.",
  ),
  TransferOrderRefused: fact.refusedWithCode(
    "The name was certainly not transferred, and will not be for this run.",
  ),
  TransferNeverCharged: fact.neverCharged,
  TransferChargeReturned: fact.returned,
  TransferParked: fact.suspended,
  TransferUnparked: fact.retried,
  TransferAbandoned: fact.abandoned(
    "Staff ends the run: what is still pending is withdrawn, and the charge returned.",
  ),
  TransferCompleted: fact.ended({ done: "transferred", declined: "refused", undone: "refunded" }),
});

/** Everything that happens in a transfer run. */
export type TransferEvent = EventOf<typeof transferRunEvents>;
/** The run began: it will charge the account and order the transfer. */
export type TransferRunStarted = EventOf<typeof transferRunEvents, "TransferRunStarted">;

/** Reads and names a transfer run's events. */
export const transferRunCodec = eventCodec(transferRunEvents);
