import { rejection, type Rejection } from "@hostledger/core";

/** What was asked for, or the refusal that says in one sentence why there is none. */
export type Report<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly rejection: Rejection };

/** A report that could be made. */
export function made<T>(value: T): Report<T> {
  return { ok: true, value };
}

/** There is no such account or document. */
export function unknown(sentence: string): Report<never> {
  return { ok: false, rejection: rejection("not-found", sentence) };
}

/** There is no answer for the instant, or the text, that was given. */
export function unanswerable(sentence: string): Report<never> {
  return { ok: false, rejection: rejection("validation-failed", sentence) };
}
