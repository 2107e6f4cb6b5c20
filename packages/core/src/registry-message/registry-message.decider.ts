import { accept, type Command, type Decider } from "../kernel/decider.ts";
import type { RegistryMessageEvent } from "./registry-message.events.ts";

/** Records what a registry said. */
export type ReceiveRegistryMessage = Command<
  "ReceiveRegistryMessage",
  Omit<RegistryMessageEvent["data"], "receivedAt">
>;

/** Whether a message is known. */
export interface RegistryMessageState {
  readonly isReceived: boolean;
}

/** A registry repeats its message until it is acknowledged: it is one fact however often it is read. */
export const registryMessage: Decider<ReceiveRegistryMessage, RegistryMessageState, RegistryMessageEvent> = {
  initialState: { isReceived: false },
  decide({ data: { at, ...message } }, { isReceived }) {
    if (isReceived) return accept();
    return accept({ type: "RegistryMessageReceived", data: { ...message, receivedAt: at } });
  },
  evolve: () => ({ isReceived: true }),
};
