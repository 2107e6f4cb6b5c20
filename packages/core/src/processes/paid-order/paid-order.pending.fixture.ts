import { addMilliseconds } from "../../calendar/calendar.ts";
import type { PaidOrderInput } from "./paid-order.inputs.ts";

/** Picks one of the choices. The first is the good one: when chance has run out, everything goes well. */
export type Chance = <Choice>(good: Choice, ...others: readonly Choice[]) => Choice;

/** An order that the provider takes down and somebody else decides on: a transfer, and the registrar that holds the name. */
export class PendingOrder<Subject, Held> {
  /** What became of it. */
  state: "none" | "pending" | "held" | "refused" = "none";
  readonly #chance: Chance;
  #decidedAt = "";

  constructor(chance: Chance) {
    this.#chance = chance;
  }

  /** The same order twice is one. */
  takeDown(at: string): void {
    if (this.state !== "none") return;
    this.state = "pending";
    this.#decidedAt = addMilliseconds(at, this.#chance(500, 30_000, 7_200_000));
  }

  /** Time goes on. @returns true when it is carried out by then. */
  isHeldAt(at: string): boolean {
    if (this.state === "pending" && this.#decidedAt <= at)
      this.state = this.#chance<"held" | "refused">("held", "refused");
    return this.state === "held";
  }

  /** What is pending is carried out no more. */
  withdraw(): void {
    if (this.state === "pending") this.state = "none";
  }

  /** What the provider tells of it. */
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
