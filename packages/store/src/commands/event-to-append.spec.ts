import {
  eventCodec,
  hostingEvents,
  personalFieldsOf,
  type DomainEvent,
  type EventCodec,
} from "@hostledger/core";
import { describe, expect, it } from "vitest";

import { eventToAppend } from "./event-to-append.ts";

const codec: Pick<EventCodec<DomainEvent>, "storedType" | "openData"> = eventCodec(hostingEvents);
const origin = { stream: "account-7", commandId: "command-1", index: 0, metadata: "{}" };
const idOf = (type: string, data: object): string => eventToAppend(codec, { type, data }, origin).id;

/** Every current event type with personal fields. */
const personal = Object.keys(hostingEvents).flatMap((type) => {
  const fields = personalFieldsOf(hostingEvents).get(codec.storedType(type));
  return fields === undefined ? [] : [{ type, ...fields }];
});

describe("an event's id", () => {
  it("differs if the content differs: no process takes its decision for another's stored event", () => {
    expect(idOf("BalanceCharged", { invoiceId: 2 })).not.toBe(idOf("BalanceCharged", { invoiceId: 1 }));
  });

  it.each(personal)(
    "reveals nothing personal in $type, which goes with its key",
    ({ type, account, texts }) => {
      const saying = (text: string): object => ({
        [account]: 7,
        ...Object.fromEntries(texts.map((field) => [field, text])),
      });
      expect(idOf(type, saying("Ada"))).toBe(idOf(type, saying("Grace")));
      expect(idOf(type, { ...saying("Ada"), [account]: 8 })).not.toBe(idOf(type, saying("Ada")));
    },
  );

  it("is compared if something is personal", () => {
    expect(personal.map(({ type }) => type)).toEqual(
      expect.arrayContaining(["AccountOpened", "ProfileChanged", "TicketOpened", "TransferRunStarted"]),
    );
  });
});
