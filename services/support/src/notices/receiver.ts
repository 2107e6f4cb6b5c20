import type { Delivery } from "./deliveries.ts";

/** What a receiver made of one attempt. */
export interface ReceiverAnswer {
  /** The status of the answer; null where there was none. */
  readonly status: number | null;
  /** Why it was not taken; null where it was. */
  readonly error: string | null;
  /** It was refused for good: it is not tried again. */
  readonly isFinal?: boolean;
  /** How long it asks to be left alone, in milliseconds. */
  readonly retryAfterMs?: number;
  /** Why the receiver was disabled by its answer, in words for the customer: its waiting notices are given up. */
  readonly disabled?: string;
}

/** Nobody is there to send to any more: whatever waits for the target is given up. */
export interface ReceiverGone {
  /** Why, in words for the customer. */
  readonly gone: string;
  /** Since when, where that is known: what somebody has sent again after it still goes out. */
  readonly since?: string;
}

/** Receivers of one channel. */
export interface Receiver {
  /** Makes one attempt. Rejects only where what is needed for it could not be read: then it stays due. */
  send(delivery: Delivery, at: string, signal: AbortSignal): Promise<ReceiverAnswer | ReceiverGone>;
  /** It took nothing for as long as anything is tried. @returns why whatever else waits for it is given up; undefined: it is not */
  tookNothing(delivery: Delivery, at: string): Promise<string | undefined>;
}

/** Channels, by how their targets begin. */
export type Receivers = Readonly<Partial<Record<Channel, Receiver>>>;

export const channels = ["webhook", "mail"] as const;

/** How notices reach somebody. */
export type Channel = (typeof channels)[number];

/** How a receiver is called where notices wait for it. @param id of the webhook, or of the account that is written to */
export function targetOf(channel: Channel, id: number): string {
  return `${channel}-${String(id)}`;
}

/** The channel of a target; undefined for one that nobody knows. */
export function channelOf(target: string): Channel | undefined {
  return channels.find((channel) => target.startsWith(`${channel}-`));
}

/** The number in a target. */
export function idOfTarget(target: string): number {
  return Number(target.slice(target.indexOf("-") + 1));
}
