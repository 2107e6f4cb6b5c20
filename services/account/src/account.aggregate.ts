import {
  account,
  accountCodec,
  accountSnapshots,
  type AccountCommand,
  type AccountEvent,
  type AccountState,
} from "@hostledger/core";
import type { Aggregate } from "@hostledger/event-store";

/** The account's rules with its streams and its stored events. */
export const accountAggregate: Aggregate<AccountCommand, AccountState, AccountEvent> = {
  category: "account",
  decider: account,
  codec: accountCodec,
  snapshots: accountSnapshots,
};
