import { describe, expect, it } from "vitest";
import { z } from "zod";

import { eventCodec, UndecodableEventError, type EventVersions } from "./event-codec.ts";

/** An invented event that has had three shapes: euros as a number, then cents as a number, then cents as a text with a currency. */
interface CoffeePaid {
  readonly type: "CoffeePaid";
  readonly data: { readonly cents: string; readonly currency: string };
}

const coffeePaid: EventVersions = {
  schemas: [
    z.strictObject({ euros: z.number() }),
    z.strictObject({ cents: z.int() }),
    z.strictObject({ cents: z.string(), currency: z.string() }),
  ],
  upcasters: [
    ({ euros }: { euros: number }) => ({ cents: Math.round(euros * 100) }),
    ({ cents }: { cents: number }) => ({ cents: String(cents), currency: "EUR" }),
  ],
};

const codec = eventCodec<CoffeePaid>({ CoffeePaid: coffeePaid });
const paid: CoffeePaid = { type: "CoffeePaid", data: { cents: "250", currency: "EUR" } };

describe("an event codec", () => {
  it("writes the newest version", () => {
    expect(codec.storedType("CoffeePaid")).toBe("CoffeePaid.v3");
  });

  it.each([
    ["CoffeePaid.v1", { euros: 2.5 }],
    ["CoffeePaid.v2", { cents: 250 }],
    ["CoffeePaid.v3", { cents: "250", currency: "EUR" }],
  ])("lifts %s to today's shape", (storedType, data) => {
    expect(codec.decode(storedType, JSON.stringify(data))).toStrictEqual(paid);
  });

  it("knows every version and nothing else", () => {
    expect([...codec.versions.keys()]).toEqual(["CoffeePaid.v1", "CoffeePaid.v2", "CoffeePaid.v3"]);
    expect(codec.knows("CoffeePaid.v1")).toBe(true);
    for (const other of [
      "CoffeePaid",
      "CoffeePaid.v0",
      "CoffeePaid.v4",
      "coffeepaid.v1",
      "TeaPaid.v1",
      "constructor",
      "",
    ]) {
      expect(codec.knows(other)).toBe(false);
      expect(() => codec.decode(other, "{}")).toThrow(UndecodableEventError);
    }
  });

  it.each([
    ["no JSON", "{", "the data is not JSON"],
    ["an empty text", "", "the data is not JSON"],
    ["an array", "[]", "CoffeePaid.v3"],
    ["null", "null", "CoffeePaid.v3"],
    ["a missing field", '{"cents":"250"}', "currency"],
    ["a field of another type", '{"cents":250,"currency":"EUR"}', "cents"],
    ["a field too many", '{"cents":"250","currency":"EUR","tip":"1"}', "tip"],
    ["the shape of another version", '{"euros":2.5}', "CoffeePaid.v3"],
  ])("refuses %s", (_, text, reason) => {
    const decode = (): CoffeePaid => codec.decode("CoffeePaid.v3", text);
    expect(decode).toThrow(UndecodableEventError);
    expect(decode).toThrow(reason);
  });

  it("does not take a prototype for data", () => {
    const decoded = (): CoffeePaid =>
      codec.decode("CoffeePaid.v3", '{"__proto__":{"admin":true},"cents":"1","currency":"EUR"}');
    expect(decoded).toThrow(UndecodableEventError);
  });

  it("is not built without a step between two versions", () => {
    const { schemas } = coffeePaid;
    expect(() => eventCodec<CoffeePaid>({ CoffeePaid: { schemas } })).toThrow(
      "one upcaster between two versions",
    );
  });
});
