import { addMilliseconds } from "../../calendar/calendar.ts";
import type { PaidOrderInput } from "./paid-order.inputs.ts";

/** Picks one of the choices. The first choice is success; it is picked when the random numbers are used up. */
export type Chance = <Choice>(good: Choice, ...others: readonly Choice[]) => Choice;

/** An order that the provider accepts and another party decides, such as a transfer. */
export class PendingOrder<Subject, Held> {
  /** Outcome so far. */
  state: "none" | "pending" | "held" | "refused" = "none";
  readonly #chance: Chance;
  #decidedAt = "";

  constructor(chance: Chance) {
    this.#chance = chance;
  }

  /** Accepts the order. A repetition has no effect. */
  takeDown(at: string): void {
    if (this.state !== "none") return;
    this.state = "pending";
    this.#decidedAt = addMilliseconds(at, this.#chance(500, 30_000, 7_200_000));
  }

  /** Lets time pass. @returns true if the order is carried out by then. */
  isHeldAt(at: string): boolean {
    if (this.state === "pending" && this.#decidedAt <= at)
      this.state = this.#chance<"held" | "refused">("held", "refused");
    return this.state === "held";
  }

  withdraw(): void {
    if (this.state === "pending") this.state = "none";
  }

  answer(held: Held, at: string): PaidOrderInput<Subject, Held> {
    switch (this.state) {
      case "none":
        return { type: "not-held", at };
      case "pending":
        return { type: "pending", at };
      case "held":
        return { type: "held", held, at };
      case "refused":
        return { type: "refused", reason: "The other registrar says no", at };
    }
  }
}
