import { CorruptStreamError, type DomainEvent } from "../../kernel/decider.ts";
import type { EventCodec } from "../../kernel/event-codec.ts";
import type { Process } from "../../kernel/process.ts";
import { orderEventCodec } from "./paid-order.codec.ts";
import { PaidOrderDecision } from "./paid-order.decide.ts";
import type { PaidOrderDefinition } from "./paid-order.definition.ts";
import { PaidOrderEvolution } from "./paid-order.evolve.ts";
import type { OrderEvent } from "./paid-order.events.ts";
import type { PaidOrderAction, PaidOrderInput } from "./paid-order.inputs.ts";
import { PaidOrderPlan } from "./paid-order.next-action.ts";
import { paidOrderAnswer, type PaidOrderAnswer, type PaidOrderState } from "./paid-order.state.ts";

/** A process that charges an account and orders at a provider, made from a definition. */
export interface PaidOrder<Subject, Held, Event extends DomainEvent> extends Process<
  PaidOrderState<Subject, Held>,
  PaidOrderInput<Subject, Held>,
  Event
> {
  readonly codec: EventCodec<Event>;
  nextAction(state: PaidOrderState<Subject, Held>, at: string): PaidOrderAction<Held>;
  answer(state: PaidOrderState<Subject, Held>): PaidOrderAnswer<Held> | undefined;
}

export interface PaidOrderOptions {
  /** Time between two "not held" answers before the second counts, in milliseconds. */
  readonly quietMs: number;
}

/**
 * Makes the process of a definition: charge → order at a provider → confirm, or undo.
 *
 *     begin ─▶ charging ─┬ declined ─▶ releasing ─▶ ended: declined
 *                        └ charged ─▶ ordering ─┬ done ─▶ confirming ─▶ ended: done
 *                                               ├ refused ─▶ refunding ─▶ releasing ─▶ ended: undone
 *                                               ├ pending ─▶ awaiting ─┬ done ─▶ confirming
 *                                               │                      └ refused ─▶ refunding ─▶ …
 *                                               └ unanswered ─▶ asking ─┬ held ─▶ confirming
 *                                                                       └ not held | silent ─▶ fencing ─▶ refunding ─▶ settling
 *     settling: ask on; "not held" counts after a second "not held", past the quiet period
 *                        ├ held ─▶ cancelling ─▶ releasing ─▶ ended: undone
 *                        └ not held ─▶ releasing ─▶ ended: undone
 *     without cancel: the charge stands while asking; held ─▶ confirming; not held, twice ─▶ refunding ─▶ releasing
 *     any step ─▶ suspended (staff: retry, abandon)
 *
 * At its end, every path leaves an order that is both paid and delivered, or neither.
 *
 * If an interruption makes it unknown whether an order was sent, the run asks the provider. After "not held" it sends the
 * order again under the same id, of which the provider carries out one. A later refusal is then no proof, because the
 * first order may still arrive. The quiet period therefore applies whenever money is returned.
 */
export function paidOrder<Subject, Held, Event extends DomainEvent>(
  definition: PaidOrderDefinition<Subject, Held, Event>,
  { quietMs }: PaidOrderOptions,
): PaidOrder<Subject, Held, Event> {
  const codec = orderEventCodec(definition.events);
  const decision = new PaidOrderDecision(definition, codec.outcomes, quietMs);
  const evolution = new PaidOrderEvolution(definition, codec.outcomes);
  const plan = new PaidOrderPlan(definition, quietMs);
  const { provider } = definition;
  const standsWhileAsked = provider !== undefined && provider.cancel === undefined;
  const questionBound = standsWhileAsked ? { inquiries: provider.inquiries.limit, quietMs } : undefined;

  type State = PaidOrderState<Subject, Held>;

  function stored(auditedEvent: OrderEvent<Subject, Held>, state: State, at: string): readonly Event[] {
    const name =
      auditedEvent.role === "prepared" && state.status === "preparing"
        ? decision.preparation(state.subject, state.prepared, at)?.event
        : undefined;
    const event = codec.write(auditedEvent, at, name);
    return event === undefined ? [] : [event];
  }

  return {
    category: definition.category,
    codec: codec.events,
    initialState: { status: "new" },
    decide: (input, state) =>
      decision.events(input, state).flatMap((event) => stored(event, state, input.at)),
    evolve(state, event) {
      const next = evolution.after(state, codec.read(event));
      if (next === undefined) throw new CorruptStreamError(event.type, state.status);
      return next;
    },
    nextAction: (state, at) => plan.next(state, at),
    answer: (state) => paidOrderAnswer(state, questionBound),
  };
}
