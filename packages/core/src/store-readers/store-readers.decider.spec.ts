import { describe, expect, it } from "vitest";

import { CorruptStreamError } from "../kernel/decider.ts";
import { deciderSpec } from "../testing/decider-spec.ts";
import { storeReaderLimit, storeReaders, type StoreReaderCommand } from "./store-readers.decider.ts";
import type { StoreReaderEvent } from "./store-readers.events.ts";

const spec = deciderSpec(storeReaders);
const at = "2026-11-21T10:00:00.000000Z";
const hash = (digit: string): string => digit.repeat(64);

const added = (name = "ada", digit = "a"): StoreReaderEvent => ({
  type: "StoreReaderAdded",
  data: { name, categories: ["account"], credentialHash: hash(digit), addedAt: at },
});
const revoked: StoreReaderEvent = { type: "StoreReaderRevoked", data: { name: "ada", revokedAt: at } };
const add = (digit = "a", name = "ada"): StoreReaderCommand => ({
  type: "AddStoreReader",
  data: { name, categories: ["account"], credentialHash: hash(digit), at },
});
const revoke: StoreReaderCommand = { type: "RevokeStoreReader", data: { name: "ada", at } };

describe("a reader of the store", () => {
  it("is added once, and a repeat adds nobody", () => {
    spec.given().when(add()).then(added());
    spec.given(added()).when(add()).then();
  });

  it("does not get another password while there is one", () => {
    spec.given(added()).when(add("b")).thenRejected("validation-failed");
  });

  it("is revoked, which is safe to repeat, and may be added again", () => {
    spec.given(added()).when(revoke).then(revoked);
    spec.given(added(), revoked).when(revoke).then();
    spec.given(added(), revoked).when(add("b")).then(added("ada", "b"));
  });

  it("is not revoked where there never was one", () => {
    spec.given().when(revoke).thenRejected("not-found");
  });

  it("is one of so many, and no more", () => {
    const names = Array.from({ length: storeReaderLimit }, (_, index) => added(`reader-${String(index)}`));
    spec
      .given(...names)
      .when(add())
      .thenRejected("validation-failed");
    spec
      .given(...names.slice(1))
      .when(add())
      .then(added());
  });

  it.each([
    { what: "a revocation of nobody", events: [revoked] },
    { what: "a second revocation", events: [added(), revoked, revoked] },
    { what: "a second password", events: [added(), added()] },
  ])("$what is a corrupt stream", ({ events }) => {
    expect(() => events.reduce(storeReaders.evolve, storeReaders.initialState)).toThrow(CorruptStreamError);
  });
});
