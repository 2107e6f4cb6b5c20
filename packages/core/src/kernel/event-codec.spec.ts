import { describe, expect, it } from "vitest";
import { z } from "zod";

import { eventCodec, UndecodableEventError } from "./event-codec.ts";
import { defineEvents, event, shape, type EventOf } from "./event-definition.ts";
import { id, personal, text } from "./fields.ts";

/** An invented event with three versions: euros as a number, cents as a number, cents as text with a currency. */
const euros = shape({ euros: z.number() });
const cents = shape(
  { cents: z.int() },
  { was: [euros, (data) => ({ cents: Math.round(data.euros * 100) })] },
);
const coffee = defineEvents({
  CoffeePaid: event(
    "A coffee was paid.",
    { cents: z.string(), currency: z.string() },
    { was: [cents, (data) => ({ cents: String(data.cents), currency: "EUR" })] },
  ),
});

const codec = eventCodec(coffee);
type CoffeePaid = EventOf<typeof coffee>;
const paid: CoffeePaid = { type: "CoffeePaid", data: { cents: "250", currency: "EUR" } };

describe("the open data of an event", () => {
  const guests = defineEvents({
    GuestSeated: event(
      "A guest was given a seat.",
      { accountId: id, seat: z.string(), name: personal(text) },
      { was: [shape({ seat: z.string() }), ({ seat }) => ({ accountId: 1, seat, name: "" })] },
    ),
  });

  it("lacks personal fields", () => {
    const data = { accountId: 7, seat: "window", name: "Ada Lovelace" };
    expect(eventCodec(guests).openData({ type: "GuestSeated", data })).toEqual({
      accountId: 7,
      seat: "window",
    });
  });

  it("is all data if no field is personal", () => {
    expect(codec.openData(paid)).toBe(paid.data);
  });
});

describe("an event codec", () => {
  it("writes the newest version", () => {
    expect(codec.storedType("CoffeePaid")).toBe("CoffeePaid.v3");
  });

  it.each([
    ["CoffeePaid.v1", { euros: 2.5 }],
    ["CoffeePaid.v2", { cents: 250 }],
    ["CoffeePaid.v3", { cents: "250", currency: "EUR" }],
  ])("converts %s to the current version", (storedType, data) => {
    expect(codec.decode(storedType, JSON.stringify(data))).toStrictEqual(paid);
  });

  it("reads a stored event once for all codecs that have the same definition", () => {
    const another = eventCodec({ ...coffee });
    const stored = { data: '{"euros":2.5}' };
    const first = codec.decode("CoffeePaid.v1", stored.data, stored);
    expect(first).toStrictEqual(paid);
    expect(another.decode("CoffeePaid.v1", stored.data, stored)).toBe(first);
    expect(codec.decode("CoffeePaid.v1", stored.data, { ...stored })).not.toBe(first);
  });

  it("decodes a stored event again with another definition, and refuses it each time", () => {
    const stored = { data: '{"cents":250}' };
    const tea = eventCodec(defineEvents({ CoffeePaid: event("Tea was paid.", { cents: z.int() }) }));
    const lifted = codec.decode("CoffeePaid.v2", stored.data, stored);
    expect(tea.decode("CoffeePaid.v1", stored.data, stored)).toStrictEqual({
      type: "CoffeePaid",
      data: { cents: 250 },
    });
    expect(codec.decode("CoffeePaid.v2", stored.data, stored)).toStrictEqual(lifted);
    for (let time = 0; time < 2; time += 1)
      expect(() => codec.decode("CoffeePaid.v1", stored.data, stored)).toThrow(UndecodableEventError);
  });

  it("reads every version and nothing else", () => {
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

  it("counts versions from the first version in stores", () => {
    const cups = eventCodec({
      CupBroken: event("A cup broke.", { cupId: id, by: text }, { firstVersion: 3 }),
      CupMended: event(
        "A cup was mended.",
        { cupId: id, glue: text },
        { was: [shape({ cupId: id }, { firstVersion: 2 }), (data) => ({ ...data, glue: "" })] },
      ),
    });
    expect([...cups.versions.keys()]).toEqual(["CupBroken.v3", "CupMended.v2", "CupMended.v3"]);
    expect(cups.storedType("CupBroken")).toBe("CupBroken.v3");
    expect(cups.decode("CupMended.v2", '{"cupId":1}').data).toEqual({ cupId: 1, glue: "" });
    expect(() => cups.decode("CupBroken.v2", '{"cupId":1,"by":"Ada"}')).toThrow(UndecodableEventError);
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

  it("describes the problem in a sentence of limited length, however much is wrong", () => {
    const names = Array.from({ length: 50_000 }, (_, index) => `field${String(index)}`);
    for (const [type, data] of [
      ["CoffeePaid.v3", JSON.stringify(Object.fromEntries(names.map((name) => [name, 1])))],
      ["CoffeePaid.v3", JSON.stringify({ cents: "1", currency: "EUR", ["x\n".repeat(500_000)]: 1 })],
      ["x".repeat(1_000_000), "{}"],
    ] as const) {
      const decode = (): CoffeePaid => codec.decode(type, data);
      expect(decode).toThrow(UndecodableEventError);
      // The message is one line of printable characters.
      expect(decode).toThrow(/^.{10,400}$/u);
    }
  });

  it("does not treat a prototype's fields as data", () => {
    const decoded = (): CoffeePaid =>
      codec.decode("CoffeePaid.v3", '{"__proto__":{"admin":true},"cents":"1","currency":"EUR"}');
    expect(decoded).toThrow(UndecodableEventError);
  });
});
