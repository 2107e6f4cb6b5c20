import { describe, expect, it } from "vitest";

import { CorruptStreamError } from "../kernel/decider.ts";
import { deciderSpec } from "../testing/decider-spec.ts";
import { storeReaderKind, type StoreReaderGrant } from "./credential-kinds.ts";
import { credentialDecider, type CredentialCommand } from "./credential.decider.ts";
import type { StoreReaderEvent } from "./store-reader.events.ts";

type StoreReaderCommand = CredentialCommand<StoreReaderGrant>;

const storeReaders = credentialDecider(storeReaderKind);
const spec = deciderSpec(storeReaders);
const at = "2026-11-21T10:00:00.000000Z";
const hash = (digit: string): string => digit.repeat(64);

const added = (name = "ada", digit = "a"): StoreReaderEvent => ({
  type: "StoreReaderAdded",
  data: { name, categories: ["account"], credentialHash: hash(digit), addedAt: at },
});
const revoked: StoreReaderEvent = { type: "StoreReaderRevoked", data: { name: "ada", revokedAt: at } };
const add = (digit = "a", name = "ada"): StoreReaderCommand => ({
  type: "IssueCredential",
  data: { wanted: { name, categories: ["account"], credentialHash: hash(digit), expiresAt: null }, at },
});
const revoke: StoreReaderCommand = { type: "RevokeCredential", data: { name: "ada", at } };

describe("a reader of the store", () => {
  it("is added once, and a repeat changes nothing", () => {
    spec.given().when(add()).then(added());
    spec.given(added()).when(add()).then();
  });

  it("does not get another password while the first is valid", () => {
    spec.given(added()).when(add("b")).thenRejected("validation-failed");
  });

  it("is revoked, which is safe to repeat, and may be added again", () => {
    spec.given(added()).when(revoke).then(revoked);
    spec.given(added(), revoked).when(revoke).then();
    spec.given(added(), revoked).when(add("b")).then(added("ada", "b"));
  });

  it("cannot be revoked if it never existed", () => {
    spec.given().when(revoke).thenRejected("not-found");
  });

  it("belongs to a limited number of readers", () => {
    const names = Array.from({ length: storeReaderKind.limit }, (_, index) =>
      added(`reader-${String(index)}`),
    );
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
