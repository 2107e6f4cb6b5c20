import { expect } from "vitest";

/** Vitest types its asymmetric matchers as `any`; here they have the type `unknown`. */
export const anyNumber: unknown = expect.any(Number);
export const anyText: unknown = expect.any(String);

/** ISO 8601 UTC with six fractional digits (contract, conventions). */
export const anyTimestamp: unknown = expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z$/);

export function textMatching(pattern: RegExp): unknown {
  return expect.stringMatching(pattern);
}

/** A JSON object. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** The items of an answer that should be a list; an empty list for anything else. */
export function itemsOf(body: unknown): readonly JsonObject[] {
  const items: readonly unknown[] = Array.isArray(body) ? body : [];
  return items.filter((item) => isJsonObject(item));
}

/** An answer, or a part of one, that should be an object; an empty object for anything else. */
export function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
