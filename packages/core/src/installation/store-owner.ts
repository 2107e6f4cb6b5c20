import { accept, type Command, type Decider } from "../kernel/decider.ts";
import { defineEvents, event, type EventOf } from "../kernel/event-definition.ts";
import { eventCodec } from "../kernel/event-codec.ts";
import { instant, text } from "../kernel/fields.ts";

/** Who may use an event store: those who have its keys of personal data (stream `installation-keys`). */
export const storeOwnerEvents = defineEvents({
  StoreClaimed: event(
    "An instance with files of its own uses the store; another one with other keys of personal data is refused.",
    {
      /** Names the keys of personal data that the instance has. */
      keys: text,
      claimedAt: instant,
    },
  ),
});

/** One of these. */
export type StoreOwnerEvent = EventOf<typeof storeOwnerEvents>;

/** Reads and names the events about who uses a store. */
export const storeOwnerCodec = eventCodec(storeOwnerEvents);

/** Claims a store for the instances that have these keys. */
export type ClaimStore = Command<
  "ClaimStore",
  {
    readonly keys: string;
    /** Staff say that the data directory which claimed the store is lost for good. */
    readonly isTakenOver: boolean;
  }
>;

/** Which keys the store belongs with; undefined until an instance claims it. */
export type StoreOwnerState = string | undefined;

/** The first claim stays, until staff take the store over with other keys. */
export const storeOwner: Decider<ClaimStore, StoreOwnerState, StoreOwnerEvent> = {
  initialState: undefined,
  decide({ data: { keys, isTakenOver, at } }, owner) {
    if (owner === keys || (owner !== undefined && !isTakenOver)) return accept();
    return accept({ type: "StoreClaimed", data: { keys, claimedAt: at } });
  },
  evolve: (_owner, { data: { keys } }) => keys,
};
