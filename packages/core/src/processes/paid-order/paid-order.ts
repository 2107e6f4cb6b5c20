import { CorruptStreamError, type DomainEvent } from "../../kernel/decider.ts";
import type { EventCodec } from "../../kernel/event-codec.ts";
import type { Process } from "../../kernel/process.ts";
import { factCodec } from "./paid-order.codec.ts";
import { PaidOrderDecision } from "./paid-order.decide.ts";
import type { PaidOrderDefinition } from "./paid-order.definition.ts";
import { PaidOrderEvolution } from "./paid-order.evolve.ts";
import type { Fact } from "./paid-order.facts.ts";
import type { PaidOrderAction, PaidOrderInput } from "./paid-order.inputs.ts";
import { PaidOrderPlan } from "./paid-order.next-action.ts";
import { paidOrderAnswer, type PaidOrderAnswer, type PaidOrderState } from "./paid-order.state.ts";

/** Everything that costs money, as a process: the flow of a definition. */
export interface PaidOrder<Subject, Held, Event extends DomainEvent> extends Process<
  PaidOrderState<Subject, Held>,
  PaidOrderInput<Subject, Held>,
  Event
> {
  /** Reads and names the facts of its runs. */
  readonly codec: EventCodec<Event>;
  /** What the run does next; `at` is the present instant. */
  nextAction(state: PaidOrderState<Subject, Held>, at: string): PaidOrderAction<Held>;
  /** What the caller is told, as soon as it is certain. */
  answer(state: PaidOrderState<Subject, Held>): PaidOrderAnswer<Held> | undefined;
}

/** What the edge settles about every paid order. */
export interface PaidOrderOptions {
  /** How long a provider that says "I hold nothing" after silence is given before that counts, in milliseconds. */
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
 *     settling: ask on; "not held" counts once it has been said again after the quiet period
 *                        ├ held ─▶ cancelling ─▶ releasing ─▶ ended: undone
 *                        └ not held ─▶ releasing ─▶ ended: undone
 *     without cancel: the charge stands while asking; held ─▶ confirming; not held, twice ─▶ refunding ─▶ releasing
 *     any step ─▶ suspended (staff: retry, abandon)
 *
 * No path leaves anything paid but not held, or held but not paid, once things settle.
 *
 * An order that was interrupted, so that nobody knows whether it was sent, is asked about like one that was not answered.
 * "Not held" never ends it: it is sent again under the same id, of which the provider carries out one, and from then on a
 * refusal is no answer either, for the first may still arrive. So the quiet period is kept wherever money goes back.
 */
export function paidOrder<Subject, Held, Event extends DomainEvent>(
  definition: PaidOrderDefinition<Subject, Held, Event>,
  { quietMs }: PaidOrderOptions,
): PaidOrder<Subject, Held, Event> {
  const codec = factCodec(definition.facts);
  const decision = new PaidOrderDecision(definition, codec.outcomes, quietMs);
  const evolution = new PaidOrderEvolution(definition, codec.outcomes);
  const plan = new PaidOrderPlan(definition, quietMs);
  const { provider } = definition;
  const standsWhileAsked = provider !== undefined && provider.cancel === undefined;
  const questionBound = standsWhileAsked ? { inquiries: provider.inquiries.limit, quietMs } : undefined;

  type State = PaidOrderState<Subject, Held>;

  function stored(fact: Fact<Subject, Held>, state: State, at: string): readonly Event[] {
    const name =
      fact.role === "prepared" && state.status === "preparing"
        ? decision.preparation(state.subject, state.prepared, at)?.fact
        : undefined;
    const event = codec.write(fact, at, name);
    return event === undefined ? [] : [event];
  }

  return {
    category: definition.category,
    codec: codec.events,
    initialState: { status: "new" },
    decide: (input, state) => decision.facts(input, state).flatMap((fact) => stored(fact, state, input.at)),
    evolve(state, event) {
      const next = evolution.after(state, codec.read(event));
      if (next === undefined) throw new CorruptStreamError(event.type, state.status);
      return next;
    },
    nextAction: (state, at) => plan.next(state, at),
    answer: (state) => paidOrderAnswer(state, questionBound),
  };
}
