import {
  accept,
  CorruptStreamError,
  reject,
  UndecodableEventError,
  type Decision,
  type DomainEvent,
  type EventCodec,
} from "@hostledger/core";
import { defined } from "@hostledger/runtime";

import { collect } from "../contract/contract-fixtures.ts";
import type { EventStore, EventToAppend } from "../event-store.port.ts";
import type { Aggregate, CommandHandler, Executed } from "./command-handler.port.ts";
import { writeMetadata, type CommandContext } from "./event-metadata.ts";

/** The smallest aggregate with refusals, no-ops, several events per command, and bugs. */
export type CounterCommand =
  | { readonly type: "Add"; readonly by: number }
  | { readonly type: "Take"; readonly by: number }
  | { readonly type: "AddEach"; readonly amounts: readonly number[]; readonly note?: string }
  | { readonly type: "Reach"; readonly total: number }
  | { readonly type: "FailToDecide" }
  | { readonly type: "FailToEvolve" };

export const add = (by: number): CounterCommand => ({ type: "Add", by });

export interface CounterEvent extends DomainEvent {
  readonly type: "Added";
  readonly data: { readonly by: number; readonly note?: string | undefined };
}

export interface CounterState {
  readonly total: number;
}

function added(by: number, note?: string): CounterEvent {
  return { type: "Added", data: { by, ...defined({ note }) } };
}

function decide(command: CounterCommand, { total }: CounterState): Decision<CounterEvent> {
  switch (command.type) {
    case "Add":
      return accept(added(command.by));
    case "Take":
      return command.by > total ? reject("insufficient-balance") : accept(added(-command.by));
    case "AddEach":
      return accept(...command.amounts.map((by) => added(by, command.note)));
    case "Reach":
      return total === command.total ? accept() : accept(added(command.total - total));
    case "FailToDecide":
      throw new Error("a bug in decide");
    case "FailToEvolve":
      return accept(added(1), added(Number.NaN));
  }
}

function evolve({ total }: CounterState, { data }: CounterEvent): CounterState {
  if (Number.isNaN(data.by)) throw new CorruptStreamError("Added", "counting");
  return { total: total + data.by };
}

/** Written by hand, because only core's own events have schemas. */
const codec: EventCodec<CounterEvent> = {
  versions: new Map(),
  storedType: (type) => `${type}.v1`,
  openData: ({ data }) => data,
  knows: (storedType) => storedType === "Added.v1",
  decode: (storedType, data) => {
    const value: unknown = JSON.parse(data);
    if (storedType !== "Added.v1" || typeof value !== "object" || value === null || !("by" in value)) {
      throw new UndecodableEventError(`${storedType} is no event of a counter`);
    }
    return added(Number(value.by));
  },
};

export const counter: Aggregate<CounterCommand, CounterState, CounterEvent> = {
  category: "counter",
  decider: { initialState: { total: 0 }, decide, evolve },
  codec,
};

/** Makes a command's context. The same id means the same command. */
export function sentAs(commandId: string): CommandContext {
  return { commandId, correlationId: `correlation-${commandId}`, actor: "account:1" };
}

let sent = 0;

export function send(
  handler: CommandHandler,
  command: CounterCommand,
  id = "1",
): Promise<Executed<CounterState, CounterEvent>> {
  sent += 1;
  return handler.execute(counter, id, command, sentAs(`command-${String(sent)}`));
}

/** Makes an event as another process of this program would store it. */
export function ownEvent(type: string, data: string): EventToAppend {
  const id = crypto.randomUUID();
  return { id, type, data, metadata: writeMetadata(sentAs(id), "another process") };
}

/** Returns the amounts added to a counter, in stored order. */
export async function storedAmounts(store: Pick<EventStore, "read">, id = "1"): Promise<readonly number[]> {
  const events = await collect(store.read(`counter-${id}`));
  return events.map((event) => counter.codec.decode(event.type, event.data).data.by);
}
