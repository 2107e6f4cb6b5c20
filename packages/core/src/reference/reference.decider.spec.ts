import { expect, it } from "vitest";

import { CorruptStreamError } from "../kernel/decider.ts";
import { deciderSpec } from "../testing/decider-spec.ts";
import { reference, type TakeReference } from "./reference.decider.ts";
import type { ReferenceEvent } from "./reference.events.ts";

const spec = deciderSpec(reference);
const at = "2026-11-23T10:00:00.000000Z";
const requested = { kind: "top-up", reference: "bank-4711" } as const;
const take = (accountId: number, freedBy?: number): TakeReference => ({
  type: "TakeReference",
  data: { ...requested, accountId, freedBy, at },
});
const taken = (accountId: number): ReferenceEvent => ({
  type: "ReferenceTaken",
  data: { ...requested, accountId, takenAt: at },
});

it("a reference belongs to one account, which may repeat it", () => {
  spec.given().when(take(7)).then(taken(7));
  spec.given(taken(7)).when(take(7)).then();
});

it("a reference is refused to another account", () => {
  spec.given(taken(7)).when(take(8)).thenRejected("reference-conflict");
});

it("a freed reference can be used by another account once", () => {
  spec.given(taken(7)).when(take(8, 7)).then(taken(8));
  spec.given(taken(7), taken(8)).when(take(8, 7)).then();
  spec.given(taken(7), taken(8)).when(take(7)).thenRejected("reference-conflict");
  spec.given(taken(7), taken(8)).when(take(9, 8)).thenRejected("reference-conflict");
});

it("a reference is free after its own account's payment was reversed, not another's", () => {
  spec.given(taken(7)).when(take(9, 8)).thenRejected("reference-conflict");
});

it.each([[[taken(7), taken(7)]], [[taken(7), taken(8), taken(9)]]])(
  "a reference's stream is corrupt with %j",
  (events) => {
    expect(() => events.reduce(reference.evolve, reference.initialState)).toThrow(CorruptStreamError);
  },
);
