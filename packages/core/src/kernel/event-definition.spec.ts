import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";

import {
  defineEvents,
  event,
  personalFieldsOf,
  secretFieldsOf,
  shape,
  type DataOf,
  type EventOf,
} from "./event-definition.ts";
import { cents, id, line, personal, secret, text } from "./fields.ts";

const tea = { teaId: id, leaves: z.array(text).max(3), kind: z.enum(["green", "black"]).nullable() };

const teaEvents = defineEvents({
  TeaOrdered: event("A tea was ordered.", { ...tea, accountId: id, note: personal(line(100)) }),
  TeaPraised: event(
    "Somebody praised a tea.",
    { teaId: id, guestId: id.nullable(), praise: personal(text, "guestId") },
    {
      was: [shape({ teaId: id, praise: personal(text, "guestId") }), (data) => ({ ...data, guestId: null })],
    },
  ),
  TeaPaid: event("A tea was paid.", { teaId: id, priceCents: cents }),
});

describe("a definition of events", () => {
  it("has the types of its events, deeply read-only", () => {
    expectTypeOf<EventOf<typeof teaEvents, "TeaPaid">>().toEqualTypeOf<{
      readonly type: "TeaPaid";
      readonly data: { readonly teaId: number; readonly priceCents: string };
    }>();
    expectTypeOf<DataOf<typeof tea>>().toEqualTypeOf<{
      readonly teaId: number;
      readonly leaves: readonly string[];
      readonly kind: "green" | "black" | null;
    }>();
    expectTypeOf<EventOf<typeof teaEvents>["type"]>().toEqualTypeOf<
      "TeaOrdered" | "TeaPraised" | "TeaPaid"
    >();
  });

  it("refuses an upcaster to a shape that is not the current one", () => {
    // @ts-expect-error: the step leaves the currency out.
    event("Paid.", { cents, currency: text }, { was: [shape({ cents }), (data) => ({ cents: data.cents })] });
    // @ts-expect-error: the shape before has no euros.
    event("Paid.", { cents }, { was: [shape({ price: cents }), (data) => ({ cents: data.euros })] });
  });

  it("has personal fields if a version names their owner", () => {
    expect([...personalFieldsOf(teaEvents)]).toEqual([
      ["TeaOrdered.v1", { account: "accountId", texts: ["note"] }],
      ["TeaPraised.v2", { account: "guestId", texts: ["praise"] }],
    ]);
  });

  it("has secrets in every version, even without an owner", () => {
    const fields = { code: secret(text) };
    const events = defineEvents({
      CellarOpened: event(
        "The cellar was opened.",
        { ...fields, accountId: id },
        { was: [shape(fields), (data) => ({ ...data, accountId: 1 })] },
      ),
    });
    expect([...secretFieldsOf(events)]).toEqual([
      ["CellarOpened.v1", ["code"]],
      ["CellarOpened.v2", ["code"]],
    ]);
    expect([...personalFieldsOf(events)]).toEqual([
      ["CellarOpened.v2", { account: "accountId", texts: ["code"] }],
    ]);
  });

  it("refuses a personal text without an owner", () => {
    const nobodys = { Praised: event("Somebody praised.", { praise: personal(text) }) };
    expect(() => defineEvents(nobodys)).toThrow(
      "Praised: praise is personal, and no accountId says whose it is",
    );
  });
});
