import type { Delivery } from "./deliveries.ts";

/** Answer of a receiver to one attempt. */
export interface ReceiverAnswer {
  /** The status of the answer; null where there was none. */
  readonly status: number | null;
  /** Why it was not taken; null where it was. */
  readonly error: string | null;
  /** True if the receiver refused for good; the delivery is not tried again. */
  readonly isFinal?: boolean;
  /** Requested pause before the next attempt, in milliseconds. */
  readonly retryAfterMs?: number;
  /** Why the receiver was disabled by its answer, in words for the customer: its waiting notices are given up. */
  readonly disabled?: string;
}

/** The receiver no longer exists: its waiting deliveries are given up. */
export interface ReceiverGone {
  /** Why, in words for the customer. */
  readonly gone: string;
  /** Time of the end, if known; deliveries resent later are still sent. */
  readonly since?: string;
}

/** Receivers of one channel. */
export interface Receiver {
  /** Makes one attempt. Rejects only if required data could not be read; the delivery then stays due. */
  send(delivery: Delivery, at: string, signal: AbortSignal): Promise<ReceiverAnswer | ReceiverGone>;
  /**
   * Called if a receiver accepted nothing during the whole retry period.
   * @returns reason to give up its other deliveries; undefined: keep them
   */
  tookNothing(delivery: Delivery, at: string): Promise<string | undefined>;
}

/** Channels, by how their targets begin. */
export type Receivers = Readonly<Partial<Record<Channel, Receiver>>>;

export const channels = ["webhook", "mail"] as const;

/** A way to deliver notices. */
export type Channel = (typeof channels)[number];

/**
 * Returns the name under which deliveries wait for a receiver.
 * @param id of the webhook, or of the account for mail
 */
export function targetOf(channel: Channel, id: number): string {
  return `${channel}-${String(id)}`;
}

/** The channel of a target; undefined for one that nobody knows. */
export function channelOf(target: string): Channel | undefined {
  return channels.find((channel) => target.startsWith(`${channel}-`));
}

export function idOfTarget(target: string): number {
  return Number(target.slice(target.indexOf("-") + 1));
}
