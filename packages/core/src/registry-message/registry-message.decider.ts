import { accept, type Command, type Decider } from "../kernel/decider.ts";
import type { RegistryMessageEvent } from "./registry-message.events.ts";

export type ReceiveRegistryMessage = Command<
  "ReceiveRegistryMessage",
  Omit<RegistryMessageEvent["data"], "receivedAt">
>;

export interface RegistryMessageState {
  readonly isReceived: boolean;
}

/** Rules of a poll message: a registry repeats it until it is acknowledged, but it is recorded once. */
export const registryMessage: Decider<ReceiveRegistryMessage, RegistryMessageState, RegistryMessageEvent> = {
  initialState: { isReceived: false },
  decide({ data: { at, ...message } }, { isReceived }) {
    if (isReceived) return accept();
    return accept({ type: "RegistryMessageReceived", data: { ...message, receivedAt: at } });
  },
  evolve: () => ({ isReceived: true }),
};
