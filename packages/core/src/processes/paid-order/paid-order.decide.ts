import { assertNever } from "../../kernel/assert-never.ts";
import type { DomainEvent } from "../../kernel/decider.ts";
import { asLine } from "../../kernel/values.ts";
import { chargeRefusalOf, isChargeRefusal } from "../charge-refusal.ts";
import type { PaidOrderDefinition, Preparation } from "./paid-order.definition.ts";
import type { OrderEvent, Outcomes } from "./paid-order.events.ts";
import type { PaidOrderInput } from "./paid-order.inputs.ts";
import { ProviderAnswers, suspended, type Step } from "./paid-order.provider.ts";
import type { ActiveStep, PaidOrderState } from "./paid-order.state.ts";

/** Longest reason in characters. A stored reason may have 1,000, with our own words around it. */
const reasonLimit = 500;

/** Decides which events an input adds at each step. A late, repeated or unexpected input adds none. */
export class PaidOrderDecision<Subject, Held, Event extends DomainEvent> {
  readonly #definition: PaidOrderDefinition<Subject, Held, Event>;
  readonly #outcomes: Outcomes;
  readonly #provider: ProviderAnswers<Subject, Held, Event>;

  constructor(definition: PaidOrderDefinition<Subject, Held, Event>, outcomes: Outcomes, quietMs: number) {
    this.#definition = definition;
    this.#outcomes = outcomes;
    this.#provider = new ProviderAnswers(definition, quietMs);
  }

  events(
    given: PaidOrderInput<Subject, Held>,
    state: PaidOrderState<Subject, Held>,
  ): readonly OrderEvent<Subject, Held>[] {
    const input = bounded(given);
    switch (state.status) {
      case "ended":
        return [];
      case "new":
        if (input.type !== "begun") return [];
        return [
          { role: "begun", data: input.subject },
          ...(input.again === true ? this.#provider.mayBeOrdered() : []),
        ];
      case "suspended": {
        // A confirmed order needs only its last event.
        const last = state.step.status === "confirmed" ? this.#done() : [];
        if (input.type === "retried") return [{ role: "retried", data: {} }, ...last];
        if (input.type !== "abandoned") return [];
        return [{ role: "abandoned", data: { reason: input.reason } }, ...last];
      }
      default:
        if (input.type === "failed") return suspended(input.reason);
        if (input.type === "rejected") return this.#rejected(input, state);
        return this.#step(input, state);
    }
  }

  #step(
    input: PaidOrderInput<Subject, Held>,
    state: ActiveStep<Subject, Held>,
  ): readonly OrderEvent<Subject, Held>[] {
    switch (state.status) {
      case "preparing":
        return input.type === "accepted" ? [{ role: "prepared", data: {} }] : [];
      case "charging": {
        if (input.type !== "charged" && input.type !== "charged-before") return [];
        const charged: OrderEvent<Subject, Held> = { role: "charged", data: input.charge };
        const isFirst = input.type === "charged" || state.again;
        return isFirst ? [charged] : [...this.#provider.mayBeOrdered(), charged];
      }
      case "ordering":
      case "asking":
      case "awaiting":
      case "settling":
      case "cancelling":
        return this.#provider.events(input, state);
      case "confirming":
        return input.type === "accepted" ? this.#confirmed(input.found) : [];
      case "confirmed":
        return input.type === "resumed" ? this.#done() : [];
      case "fencing":
        if (input.type !== "accepted") return [];
        return input.found === undefined ? [{ role: "fenced", data: {} }] : this.#confirmed(input.found);
      case "refunding":
        return input.type === "refunded"
          ? [{ role: "returned", data: { correctionId: input.correctionId } }]
          : [];
      case "releasing":
        return input.type === "accepted" ? this.#released(state) : [];
      default:
        return assertNever(state);
    }
  }

  /**
   * Handles a refusal by an aggregate. Some refusals show how far an earlier owner of the run came; any other waits for
   * staff.
   */
  #rejected(
    { rejection }: Extract<PaidOrderInput<Subject, Held>, { type: "rejected" }>,
    state: ActiveStep<Subject, Held>,
  ): readonly OrderEvent<Subject, Held>[] {
    const { code, message } = rejection;
    const { fence, confirmationRefusedBy, nothingToReleaseBy } = this.#definition;
    switch (state.status) {
      case "preparing":
        if (code === this.preparation(state.subject, state.prepared, "")?.declinedBy)
          return [{ role: "declined", data: chargeRefusalOf(rejection) }];
        break;
      case "charging":
        if (isChargeRefusal(rejection)) return [{ role: "declined", data: chargeRefusalOf(rejection) }];
        break;
      case "confirming":
        if (confirmationRefusedBy?.includes(code) === true)
          return [{ role: "refused", data: { reason: message, code } }];
        break;
      case "fencing":
        // An earlier owner confirmed the order and died before it stored that, so the order and its charge stay.
        if (code === fence?.confirmedBy) return this.#confirmed(undefined);
        if (code === fence?.unknownBy) return [{ role: "fenced", data: {} }];
        break;
      case "refunding":
        if (!isKnown(state.charge) && code === "charge-not-found")
          return [{ role: "neverCharged", data: {} }];
        break;
      case "releasing":
        if (nothingToReleaseBy?.includes(code) === true) return this.#released(state);
        break;
      default:
    }
    return suspended(`${code}: ${message}`);
  }

  /** Returns the next preparation before the charge; undefined after the last. */
  preparation(subject: Subject, prepared: number, at: string): Preparation<Held> | undefined {
    return this.#definition.prepare?.(subject, at)[prepared];
  }

  #confirmed(found: Held | undefined): readonly OrderEvent<Subject, Held>[] {
    if (this.#definition.provider !== undefined) return [{ role: "confirmed", data: {} }, ...this.#done()];
    return found === undefined ? [] : [{ role: "done", data: found }, ...this.#done()];
  }

  #done(): readonly OrderEvent<Subject, Held>[] {
    return [{ role: "ended", data: { outcome: this.#outcomes.done } }];
  }

  #released({ failure }: Step<Subject, Held, "releasing">): readonly OrderEvent<Subject, Held>[] {
    const { declined, undone } = this.#outcomes;
    return [{ role: "ended", data: { outcome: failure.kind === "declined" ? declined : undone } }];
  }
}

/** Shortens the reasons of providers to one line, so that they fit the event and the refund. */
function bounded<Subject, Held>(input: PaidOrderInput<Subject, Held>): PaidOrderInput<Subject, Held> {
  const line = (text: string): string => asLine(text, reasonLimit, "No reason was given");
  if ("reason" in input) return { ...input, reason: line(input.reason) };
  if (input.type !== "rejected") return input;
  return { ...input, rejection: { ...input.rejection, message: line(input.rejection.message) } };
}

function isKnown(charge: object | null | undefined): boolean {
  return charge !== null && charge !== undefined;
}
