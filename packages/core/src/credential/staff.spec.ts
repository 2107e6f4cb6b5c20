import { describe, expect, it } from "vitest";

import { CorruptStreamError } from "../kernel/decider.ts";
import { deciderSpec } from "../testing/decider-spec.ts";
import { isInForce } from "../kernel/credential-term.ts";
import { staffKind, type StaffGrant } from "./credential-kinds.ts";
import { credentialDecider, credentialOf, type CredentialCommand } from "./credential.decider.ts";
import type { StaffEvent, StaffRole } from "./staff.events.ts";

type StaffCommand = CredentialCommand<StaffGrant>;

const staff = credentialDecider(staffKind);
const spec = deciderSpec(staff);
const at = "2026-11-22T10:00:00.000000Z";
const later = "2026-12-22T10:00:00.000000Z";
const hashes: Readonly<Record<string, string>> = { anna: "aa", ben: "bb", carl: "cc" };
const hashOf = (name: string): string => (hashes[name.toLowerCase()] ?? "dd").repeat(32);

const add = (name: string, role: StaffRole, expiresAt: string | null = null): StaffCommand => ({
  type: "IssueCredential",
  data: { wanted: { name, role, credentialHash: hashOf(name), expiresAt }, at },
});
const added = (name: string, role: StaffRole, expiresAt: string | null = null): StaffEvent => ({
  type: "StaffMemberAdded",
  data: { name, role, tokenHash: hashOf(name), expiresAt, addedAt: at },
});
const revoke = (name: string, when = at): StaffCommand => ({
  type: "RevokeCredential",
  data: { name, at: when },
});
const revoked = (name: string): StaffEvent => ({ type: "StaffMemberRevoked", data: { name, revokedAt: at } });

describe("the provider's staff", () => {
  it("is added with a role, once", () => {
    spec.given().when(add("anna", "owner")).then(added("anna", "owner"));
    spec
      .given()
      .when(add("ben", "support", later))
      .then(added("ben", "support", later));
    spec.given(added("anna", "owner")).when(add("anna", "owner")).then();
  });

  it.each(["", "a b", "anna:1", "ä", "x".repeat(65), "admin", "Admin"])("refuses the name %j", (name) => {
    spec.given().when(add(name, "support")).thenRejected("validation-failed");
  });

  it("has one person per name, ignoring case, and again after a revocation or an expiry", () => {
    const again: StaffCommand = {
      type: "IssueCredential",
      data: {
        wanted: { name: "BEN", role: "finance", credentialHash: "ee".repeat(32), expiresAt: null },
        at: later,
      },
    };
    const anew: StaffEvent = {
      type: "StaffMemberAdded",
      data: { name: "BEN", role: "finance", tokenHash: "ee".repeat(32), expiresAt: null, addedAt: later },
    };
    spec.given(added("ben", "support")).when(again).thenRejected("validation-failed");
    spec.given(added("ben", "support"), revoked("ben")).when(again).then(anew);
    spec
      .given(added("ben", "support", later))
      .when(again)
      .then(anew);
  });

  it("does not begin with an owner who expires, nor with a token that would have expired", () => {
    spec
      .given()
      .when(add("anna", "owner", later))
      .thenRejected("validation-failed");
    const second = added("carl", "owner", later);
    spec
      .given(added("anna", "owner"))
      .when(add("carl", "owner", later))
      .then(second);
    spec
      .given()
      .when(add("ben", "support", at))
      .thenRejected("validation-failed");
  });

  it("always keeps an owner who does not expire", () => {
    const anna = added("anna", "owner");
    spec.given(anna).when(revoke("anna")).thenRejected("validation-failed");
    spec
      .given(anna, added("carl", "owner", later))
      .when(revoke("anna"))
      .thenRejected("validation-failed");
    spec
      .given(anna, added("carl", "owner", later))
      .when(revoke("carl"))
      .then(revoked("carl"));
    spec.given(anna, added("carl", "owner")).when(revoke("anna")).then(revoked("anna"));
    spec
      .given(anna, added("carl", "owner"), revoked("carl"))
      .when(revoke("anna"))
      .thenRejected("validation-failed");
  });

  it("is revoked by name, which is safe to repeat", () => {
    spec.given(added("ben", "support")).when(revoke("Ben")).then(revoked("ben"));
    spec.given(added("ben", "support"), revoked("ben")).when(revoke("ben", later)).then();
    spec.given().when(revoke("ben")).thenRejected("not-found");
  });

  it("has a maximum number", () => {
    const many = Array.from({ length: staffKind.limit }, (_, index) =>
      added(`person-${String(index)}`, "support"),
    );
    spec
      .given(...many)
      .when(add("one.more", "support"))
      .thenRejected("validation-failed");
  });

  it("is identified by the hash of a token, until it expires or is revoked", () => {
    const events = [
      added("anna", "owner"),
      added("ben", "support", later),
      added("carl", "finance"),
      revoked("carl"),
    ];
    const state = events.reduce(staff.evolve, staff.initialState);
    const isTaken = (name: string, when: string): boolean | undefined => {
      const member = credentialOf(state, hashOf(name));
      return member && isInForce(member, when);
    };
    expect(isTaken("anna", later)).toBe(true);
    expect(isTaken("ben", "2026-12-22T09:59:59.999999Z")).toBe(true);
    expect(isTaken("ben", later)).toBe(false);
    expect(isTaken("carl", at)).toBe(false);
    expect(isTaken("nobody", at)).toBeUndefined();
  });

  it.each([[revoked("ben")], [added("ben", "support"), revoked("ben"), revoked("ben")]])(
    "is corrupt if an unknown person is revoked",
    (...events) => {
      expect(() => events.reduce(staff.evolve, staff.initialState)).toThrow(CorruptStreamError);
    },
  );
});
