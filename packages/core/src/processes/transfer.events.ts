import { transferFields } from "../domain/domain-transfer.events.ts";
import { eventCodec } from "../kernel/event-codec.ts";
import { defineEvents, type EventOf } from "../kernel/event-definition.ts";
import { instant } from "../kernel/fields.ts";
import { fact } from "./paid-order/paid-order.stored-facts.ts";
import { registrarOrderEvents } from "./registration.events.ts";

/** Events of the run of one transfer to us (stream `domaintransfer-<id>`). */
export const transferRunEvents = defineEvents({
  ...registrarOrderEvents,
  TransferRunStarted: fact.begun("The run began. It will charge the account and order the transfer.", {
    ...transferFields,
    startedAt: instant,
  }),
  TransferCharged: fact.charged("The account was charged. Next, the run sends the order to the registrar."),
  TransferChargeRefused: fact.declined(),
  TransferPending: fact.pending(
    "The registry accepted the order, and the other registrar has not answered it yet.",
  ),
  TransferOrderRefused: fact.refusedWithCode(
    "The registrar refused: the name was not transferred for this run and will not be.",
  ),
  TransferNeverCharged: fact.neverCharged,
  TransferChargeReturned: fact.returned,
  TransferParked: fact.suspended,
  TransferUnparked: fact.retried,
  TransferAbandoned: fact.abandoned(
    "Staff ended the run. A pending transfer is withdrawn, and the charge is returned.",
  ),
  TransferCompleted: fact.ended({ done: "transferred", declined: "refused", undone: "refunded" }),
});

export type TransferEvent = EventOf<typeof transferRunEvents>;
export type TransferRunStarted = EventOf<typeof transferRunEvents, "TransferRunStarted">;

export const transferRunCodec = eventCodec(transferRunEvents);
