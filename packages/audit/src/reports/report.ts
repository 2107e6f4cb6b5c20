import { rejection, type Rejection } from "@hostledger/core";

/** A report, or a rejection with one sentence. */
export type Report<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly rejection: Rejection };

export function made<T>(value: T): Report<T> {
  return { ok: true, value };
}

export function unknown(sentence: string): Report<never> {
  return { ok: false, rejection: rejection("not-found", sentence) };
}

/** Rejects a request whose instant or text is invalid. */
export function unanswerable(sentence: string): Report<never> {
  return { ok: false, rejection: rejection("validation-failed", sentence) };
}
