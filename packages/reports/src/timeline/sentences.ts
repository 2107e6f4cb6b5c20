import { formatEuros, type HostingEvent } from "@hostledger/core";

/** A sentence for each type of event. */
export type Sentences<Event extends { readonly type: string; readonly data: object }> = {
  readonly [Type in Event["type"]]: (data: Extract<Event, { readonly type: Type }>["data"]) => string;
};

/** What each type of event holds. */
export type DataByType = {
  readonly [Type in HostingEvent["type"]]: Extract<HostingEvent, { readonly type: Type }>["data"];
};

/** An event of one of these types, so written that its data goes with its type. */
export type EventOf<Types extends keyof DataByType> = {
  [Type in Types]: { readonly type: Type; readonly data: DataByType[Type] };
}[Types];

/** A sentence for every event that the kit has none for. */
export type AllSentences = { readonly [Type in keyof DataByType]?: (data: DataByType[Type]) => string };

/** Stored cents as an amount that people read, for example `11.90 EUR`. */
export function amount(cents: string): string {
  return `${formatEuros(BigInt(cents))} EUR`;
}

/** What staff said of a suspension, if anything. */
export function suspendedByStaff(what: string, reason: string | null): string {
  return reason === null ? `Staff suspended the ${what}.` : `Staff suspended the ${what}: ${reason}`;
}

/** What was set one way or the other. */
export function onOff(on: boolean): string {
  return on ? "on" : "off";
}

/** A sentence with the reason that the fact tells. */
export function because(sentence: string): (data: { readonly reason: string }) => string {
  return ({ reason }) => `${sentence}: ${reason}`;
}
