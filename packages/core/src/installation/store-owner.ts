import { accept, type Command, type Decider } from "../kernel/decider.ts";
import { defineEvents, event, type EventOf } from "../kernel/event-definition.ts";
import { eventCodec } from "../kernel/event-codec.ts";
import { instant, text } from "../kernel/fields.ts";

/** Events of the instance that owns an event store (stream `installation-keys`). */
export const storeOwnerEvents = defineEvents({
  StoreClaimed: event(
    "An instance claimed the store. An instance with other keys of personal data is refused.",
    {
      /** Id of the instance's keys of personal data. */
      keys: text,
      claimedAt: instant,
    },
  ),
});

export type StoreOwnerEvent = EventOf<typeof storeOwnerEvents>;

export const storeOwnerCodec = eventCodec(storeOwnerEvents);

/** Claims a store for the instances with these keys. */
export type ClaimStore = Command<
  "ClaimStore",
  {
    readonly keys: string;
    /** True if staff say that the previous owner's data directory is lost for ever. */
    readonly isTakenOver: boolean;
  }
>;

/** Id of the owner's keys; undefined until an instance claims the store. */
export type StoreOwnerState = string | undefined;

/** Rules of a store's owner: the first claim is valid until staff take over the store with other keys. */
export const storeOwner: Decider<ClaimStore, StoreOwnerState, StoreOwnerEvent> = {
  initialState: undefined,
  decide({ data: { keys, isTakenOver, at } }, owner) {
    if (owner === keys || (owner !== undefined && !isTakenOver)) return accept();
    return accept({ type: "StoreClaimed", data: { keys, claimedAt: at } });
  },
  evolve: (_owner, { data: { keys } }) => keys,
};
