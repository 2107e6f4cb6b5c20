import { describe, expect, it } from "vitest";

import { CorruptStreamError } from "../kernel/decider.ts";
import { deciderSpec } from "../testing/decider-spec.ts";
import { teamKind, type TeamGrant } from "./credential-kinds.ts";
import { credentialDecider, credentialOf, type CredentialCommand } from "./credential.decider.ts";
import type { ServiceCredentialEvent } from "./service-credential.events.ts";

type ServiceCredentialCommand = CredentialCommand<TeamGrant>;

const serviceCredentials = credentialDecider(teamKind);
const spec = deciderSpec(serviceCredentials);
const at = "2026-11-22T10:00:00.000000Z";
const later = "2026-12-22T10:00:00.000000Z";
const hash = (digit: string): string => digit.repeat(64);

const wanted = (digit: string, expiresAt: string | null) => ({
  name: "reporting",
  scopes: ["charges"],
  credentialHash: hash(digit),
  expiresAt,
});
const issue = (digit = "a", expiresAt: string | null = null, when = at): ServiceCredentialCommand => ({
  type: "IssueCredential",
  data: { wanted: wanted(digit, expiresAt), at: when },
});
const issued = (digit = "a", expiresAt: string | null = null, when = at): ServiceCredentialEvent => ({
  type: "ServiceCredentialIssued",
  data: { ...wanted(digit, expiresAt), issuedAt: when },
});
const revoke: ServiceCredentialCommand = {
  type: "RevokeCredential",
  data: { name: "reporting", at },
};
const revoked: ServiceCredentialEvent = {
  type: "ServiceCredentialRevoked",
  data: { name: "reporting", revokedAt: at },
};

describe("a credential of a team", () => {
  it("is unique per team: another is possible after the first is revoked or has expired", () => {
    spec.given().when(issue()).then(issued());
    spec.given(issued()).when(issue()).then();
    spec.given(issued()).when(issue("b")).thenRejected("validation-failed");
    spec.given(issued(), revoked).when(issue("b")).then(issued("b"));
    spec
      .given(issued("a", later))
      .when(issue("b", null, later))
      .then(issued("b", null, later));
  });

  it("does not end before it begins", () => {
    spec.given().when(issue("a", at)).thenRejected("validation-failed");
  });

  it("can be revoked if it exists, and revoking is safe to repeat", () => {
    spec.given(issued()).when(revoke).then(revoked);
    spec.given(issued(), revoked).when(revoke).then();
    spec.given().when(revoke).thenRejected("not-found");
  });

  it("is found by its hash", () => {
    const state = serviceCredentials.evolve(serviceCredentials.initialState, issued());
    expect(credentialOf(state, hash("a"))).toMatchObject({ name: "reporting" });
    expect(credentialOf(state, hash("b"))).toBeUndefined();
  });

  it.each([
    { what: "a revocation of nobody", events: [revoked] },
    { what: "a second revocation", events: [issued(), revoked, revoked] },
    { what: "a second credential in force", events: [issued(), issued("b")] },
  ])("$what is a corrupt stream", ({ events }) => {
    expect(() => events.reduce(serviceCredentials.evolve, serviceCredentials.initialState)).toThrow(
      CorruptStreamError,
    );
  });
});
