import { expect, it } from "vitest";

import { callHeaders } from "./headers.ts";
import { OutgoingHeaders } from "./outgoing.ts";

const token = "header.payload.signature";
const ids = { requestId: "request-1", correlationId: "correlation-1", causationId: undefined };
/** What the platform makes of the same. */
const plain = [
  [callHeaders.correlationId, "correlation-1"],
  [callHeaders.caller, token],
  [callHeaders.requestId, "request-1"],
].toSorted(([a = ""], [b = ""]) => (a < b ? -1 : 1));

const outgoing = (): OutgoingHeaders => new OutgoingHeaders(token, ids);

it.each<[string, (headers: Headers) => unknown, unknown]>([
  ["the token", (headers) => headers.get(callHeaders.caller), token],
  ["the token, in capitals", (headers) => headers.get("Hostledger-Caller"), token],
  ["an id", (headers) => headers.get("X-Request-Id"), "request-1"],
  ["what is not there", (headers) => headers.get(callHeaders.causationId), null],
  ["whether something is there", (headers) => headers.has(callHeaders.correlationId), true],
  ["whether what is not there is", (headers) => headers.has(callHeaders.owner), false],
  ["cookies", (headers) => headers.getSetCookie(), []],
  ["all of them", (headers) => [...headers], plain],
  ["all entries", (headers) => [...headers.entries()], plain],
  ["the names", (headers) => [...headers.keys()], plain.map(([name]) => name)],
  ["the values", (headers) => [...headers.values()], plain.map(([, value]) => value)],
  ["a copy of it", (headers) => [...new Headers(headers)], plain],
])("answers %s as the platform's headers do, whatever is asked first", (_, ask, answer) => {
  expect(ask(outgoing())).toEqual(answer);
});

it("goes through all of them", () => {
  const seen: string[][] = [];
  outgoing().forEach((value, name) => seen.push([name, value]));
  expect(seen).toEqual(plain);
});

it.each<[string, (headers: Headers) => void, string | null]>([
  ["set", (headers) => headers.set(callHeaders.requestId, "request-2"), "request-2"],
  ["added to", (headers) => headers.append(callHeaders.requestId, "request-2"), "request-1, request-2"],
  ["taken out", (headers) => headers.delete(callHeaders.requestId), null],
])("counts as its texts say once one was %s", (_, change, requestId) => {
  const headers = outgoing();
  expect(headers.ids).toBe(ids);
  change(headers);
  expect(headers.ids).toBeUndefined();
  expect(headers.get(callHeaders.requestId)).toBe(requestId);
  expect(headers.get(callHeaders.correlationId)).toBe("correlation-1");
  expect(headers.get(callHeaders.caller)).toBe(token);
});

it("counts as its text says where the token was changed", () => {
  const headers = outgoing();
  headers.set(callHeaders.caller, "another");
  expect(headers.get(callHeaders.caller)).toBe("another");
});
