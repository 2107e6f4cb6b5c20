import { describe, expect, it } from "vitest";

import { deciderSpec } from "../testing/decider-spec.ts";
import { account, revocationsAtOnce } from "./account.decider.ts";
import type { AccountEvent } from "./account.events.ts";
import { at, charge, charged, credited, opened, refund, refunded } from "./account.fixture.ts";
import { apiKeyIssued, issueApiKey } from "./api-keys.fixture.ts";

const spec = deciderSpec(account);
const erase = { type: "ErasePersonalData", data: { because: "asked", at } } as const;
const erased: AccountEvent = {
  type: "PersonalDataErased",
  data: { accountId: 7, because: "asked", erasedAt: at },
};
const keyHash = "a".repeat(64);
const issued = (keyId: number): AccountEvent => apiKeyIssued({ keyId, keyHash });
const revoked = (keyId: number): AccountEvent => ({
  type: "ApiKeyRevoked",
  data: { keyId, keyHash, revokedAt: at },
});

describe("erasing an account's person", () => {
  it("revokes the live API keys in the same append", () => {
    spec
      .given(opened(), issued(5), issued(6), revoked(5), issued(8))
      .when(erase)
      .then(erased, revoked(6), revoked(8));
  });

  it("revokes very many API keys in several appends, the last of which has the erasure", () => {
    const keys = Array.from({ length: revocationsAtOnce + 1 }, (_, index) => index + 1);
    const first = keys.slice(0, revocationsAtOnce).map(revoked);
    spec
      .given(opened(), ...keys.map(issued))
      .when(erase)
      .then(...first);
    spec
      .given(opened(), ...keys.map(issued), ...first)
      .when(erase)
      .then(erased, revoked(revocationsAtOnce + 1));
  });

  it("records that its cause was a lost key, not a request", () => {
    spec
      .given(opened())
      .when({ ...erase, data: { because: "key-lost", at } })
      .then({ ...erased, data: { accountId: 7, because: "key-lost", erasedAt: at } });
  });

  it("is refused of an account with a balance or a debt that must be settled", () => {
    const settled = { ...erase, data: { ...erase.data, mustBeSettled: true } };
    spec.given(opened()).when(settled).then(erased);
    spec
      .given(opened(), ...credited())
      .when(settled)
      .thenRejected("validation-failed");
    spec
      .given(opened(), ...credited(), issued(5))
      .when(erase)
      .then(erased, revoked(5));
  });

  it("happens once", () => {
    spec.given(opened(), erased).when(erase).thenNothing();
  });

  it("prevents new API keys", () => {
    spec
      .given(opened(), erased)
      .when(issueApiKey({ keyId: 9 }))
      .thenRejected("account-not-open");
  });

  it("removes the labels that the customer gave to keys", () => {
    const events = [opened(), apiKeyIssued({ label: "Ada's telephone" }), issued(6), erased];
    const state = events.reduce(account.evolve, account.initialState);
    const labels = state.status === "open" ? [...state.apiKeys.values()].map(({ label }) => label) : [];
    expect(labels.toSorted()).toEqual(["", "[erased]"]);
  });

  it("prevents new charges; earlier charges can be repeated and refunded", () => {
    spec
      .given(opened(), ...credited(), erased)
      .when(charge())
      .thenRejected("account-not-open");
    const paid = [opened(), ...credited(), ...charged(), erased];
    spec
      .given(...paid)
      .when(charge())
      .thenNothing();
    spec
      .given(...paid)
      .when(refund())
      .then(...refunded("10000", { buyer: "" }));
  });
});
