import type { Asked, Greeting, Response } from "../epp/index.ts";
import { refused, unknown, type Outcome } from "../outcome.ts";

/** An answer with a success code, and the greeting. */
export interface CarriedOut {
  readonly kind: "carried-out";
  readonly response: Response;
  readonly greeting: Greeting;
}

/** A command that was not carried out, with its code. */
export interface NotCarriedOut {
  readonly kind: "refused" | "unreachable" | "unknown" | "pending";
  /** RFC 5730 §3; undefined without an answer. */
  readonly code: number | undefined;
  readonly message: string;
}

/** Interprets an answer: 1001 is pending, 2500 unknown; 2400 and ended sessions mean not carried out. */
export function judged(asked: Asked): CarriedOut | NotCarriedOut {
  switch (asked.kind) {
    case "not-sent":
      return { kind: "unreachable", code: undefined, message: asked.message };
    case "unanswered":
      return { kind: "unknown", code: undefined, message: asked.message };
    case "answered":
      return judgedAnswer(asked.response, asked.greeting);
  }
}

function judgedAnswer(response: Response, greeting: Greeting): CarriedOut | NotCarriedOut {
  const { code } = response;
  const message = `The registry answers ${String(code)}: ${response.message}`;
  if (code === 1001) return { kind: "pending", code, message };
  if (code < 2000) return { kind: "carried-out", response, greeting };
  if (code === 2500) return { kind: "unknown", code, message };
  return { kind: [2400, 2501, 2502].includes(code) ? "unreachable" : "refused", code, message };
}

/** Converts the failure of an order; the outcome of a pending order is unknown. */
export function outcomeOf({ kind, message }: NotCarriedOut): Outcome<never> {
  if (kind === "refused") return refused("rejected", message);
  return kind === "unreachable" ? refused("unreachable", message) : unknown(message);
}
