import type { Asked, Greeting, Response } from "../epp/index.ts";
import { refused, unknown, type Outcome } from "../outcome.ts";

/** An answer whose code says that it was carried out (1000 and its like), and what the registry offers. */
export interface CarriedOut {
  readonly kind: "carried-out";
  readonly response: Response;
  readonly greeting: Greeting;
}

/** A command that the registry did not carry out, with the code. */
export interface NotCarriedOut {
  readonly kind: "refused" | "unreachable" | "unknown" | "pending";
  /** RFC 5730 §3; undefined where no answer came. */
  readonly code: number | undefined;
  readonly message: string;
}

/**
 * What an answer means. 1001 is neither here nor there; 2400 and the refusals that end a session before the command is
 * looked at say that it was not carried out for reasons of the registry's own; 2500 says nothing certain.
 */
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

/** The outcome of an order that was not carried out; one that is pending is known when it is asked about. */
export function outcomeOf({ kind, message }: NotCarriedOut): Outcome<never> {
  if (kind === "refused") return refused("rejected", message);
  return kind === "unreachable" ? refused("unreachable", message) : unknown(message);
}
