import { formatEuros, type HostingEvent } from "@hostledger/core";

export type Sentences<Event extends { readonly type: string; readonly data: object }> = {
  readonly [Type in Event["type"]]: (data: Extract<Event, { readonly type: Type }>["data"]) => string;
};

export type DataByType = {
  readonly [Type in HostingEvent["type"]]: Extract<HostingEvent, { readonly type: Type }>["data"];
};

export type EventOf<Types extends keyof DataByType> = {
  [Type in Types]: { readonly type: Type; readonly data: DataByType[Type] };
}[Types];

/** Sentences by type of event. Events of runs without an own sentence are described by their role. */
export type AllSentences = { readonly [Type in keyof DataByType]?: (data: DataByType[Type]) => string };

/** Formats stored cents for people, for example `11.90 EUR`. */
export function amount(cents: string): string {
  return `${formatEuros(BigInt(cents))} EUR`;
}

/** Describes a suspension by staff, with the reason if there is one. */
export function suspendedByStaff(what: string, reason: string | null): string {
  return reason === null ? `Staff suspended the ${what}.` : `Staff suspended the ${what}: ${reason}`;
}

export function onOff(on: boolean): string {
  return on ? "on" : "off";
}

/** Returns a sentence that ends with the event's reason. */
export function because(sentence: string): (data: { readonly reason: string }) => string {
  return ({ reason }) => `${sentence}: ${reason}`;
}
