import { transferFields } from "../domain/domain-transfer.events.ts";
import { eventCodec } from "../kernel/event-codec.ts";
import { defineEvents, type EventOf } from "../kernel/event-definition.ts";
import { instant } from "../kernel/fields.ts";
import { orderEvent } from "./paid-order/paid-order.stored-events.ts";
import { registrarOrderEvents } from "./registration.events.ts";

/** Events of the run of one transfer to us (stream `domaintransfer-<id>`). */
export const transferRunEvents = defineEvents({
  ...registrarOrderEvents,
  TransferRunStarted: orderEvent.begun("The run began. It will charge the account and order the transfer.", {
    ...transferFields,
    startedAt: instant,
  }),
  TransferCharged: orderEvent.charged(
    "The account was charged. Next, the run sends the order to the registrar.",
  ),
  TransferChargeRefused: orderEvent.declined(),
  TransferPending: orderEvent.pending(
    "The registry accepted the order, and the other registrar has not answered it yet.",
  ),
  TransferOrderRefused: orderEvent.refusedWithCode(
    "The registrar refused: the name was not transferred for this run and will not be.",
  ),
  TransferNeverCharged: orderEvent.neverCharged,
  TransferChargeReturned: orderEvent.returned,
  TransferParked: orderEvent.suspended,
  TransferUnparked: orderEvent.retried,
  TransferAbandoned: orderEvent.abandoned(
    "Staff ended the run. A pending transfer is withdrawn, and the charge is returned.",
  ),
  TransferCompleted: orderEvent.ended({ done: "transferred", declined: "refused", undone: "refunded" }),
});

export type TransferEvent = EventOf<typeof transferRunEvents>;
export type TransferRunStarted = EventOf<typeof transferRunEvents, "TransferRunStarted">;

export const transferRunCodec = eventCodec(transferRunEvents);
