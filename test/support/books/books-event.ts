import type { EventStore } from "@hostledger/store";

import { openStopped } from "../test-engine.ts";

/**
 * A stored event as any outsider could read it: a stream, a place in it, a name and plain JSON. The audit folds these
 * with code of its own, so that a mistake in the deciders cannot hide itself.
 */
export interface Event {
  readonly stream: string;
  readonly revision: number;
  readonly position: number;
  readonly id: string;
  /** Without its version: `BalanceCharged`. */
  readonly type: string;
  readonly data: unknown;
}

/** Receives a sentence per finding. */
export type Report = (finding: string) => void;

/** Returns all events of the log so far, in order. */
export async function readEvents(store: EventStore): Promise<readonly Event[]> {
  const events: Event[] = [];
  for await (const batch of store.subscribe({ from: "start" })) {
    for (const { stream, revision, position, id, type, data } of batch.events) {
      events.push({
        stream,
        revision: Number(revision),
        position: Number(position),
        id,
        type: type.replace(/\.v\d+$/, ""),
        data: JSON.parse(data),
      });
    }
    if (batch.caughtUp) break;
  }
  return events;
}

/** Returns all events of an instance that has stopped or was killed. */
export async function readEventsOf(dataDirectory: string): Promise<readonly Event[]> {
  const store = await openStopped(dataDirectory);
  try {
    return await readEvents(store);
  } finally {
    await store.close();
  }
}

/** A field of a JSON object; undefined where there is none. */
export function property(value: unknown, name: string): unknown {
  return Reflect.get(Object(value), name);
}

/** A field that holds text. @throws TypeError it does not. */
export function text(value: unknown, name: string): string {
  const found = property(value, name);
  if (typeof found !== "string") throw new TypeError(`${name} holds no text in ${JSON.stringify(value)}`);
  return found;
}

/** A field that holds a number. @throws TypeError it does not. */
export function number(value: unknown, name: string): number {
  const found = property(value, name);
  if (typeof found !== "number") throw new TypeError(`${name} holds no number in ${JSON.stringify(value)}`);
  return found;
}

/** A field that holds an amount in cents, written as text. @throws SyntaxError it does not. */
export function cents(value: unknown, name: string): bigint {
  return BigInt(text(value, name));
}

/** A field that holds a list. @throws TypeError it does not. */
export function list(value: unknown, name: string): readonly unknown[] {
  return listed(property(value, name));
}

/** The value as a list. @throws TypeError it is none. */
export function listed(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new TypeError(`no list: ${JSON.stringify(value)}`);
  return value;
}
