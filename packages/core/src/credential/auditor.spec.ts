import { describe, expect, it } from "vitest";

import { CorruptStreamError } from "../kernel/decider.ts";
import { deciderSpec } from "../testing/decider-spec.ts";
import type { AuditorEvent } from "./auditor.events.ts";
import { auditorKind, type AuditorGrant } from "./credential-kinds.ts";
import {
  credentialDecider,
  credentialNamed,
  credentialRefusal,
  type CredentialCommand,
  type CredentialsState,
} from "./credential.decider.ts";

type AuditorCommand = CredentialCommand<AuditorGrant>;

const auditor = credentialDecider(auditorKind);
const spec = deciderSpec(auditor);
const auditorRefusal = (state: CredentialsState<AuditorGrant>, shownHash: string) =>
  credentialRefusal(auditorKind, credentialNamed(auditorKind, state, "3"), { shownHash, at });
const at = "2026-11-21T10:00:00.000000Z";
const expiresAt = "2026-12-21T10:00:00.000000Z";
const justBefore = "2026-12-21T09:59:59.999999Z";
const credentialHash = "ab".repeat(32);

const issued: AuditorEvent = {
  type: "AuditorCredentialIssued",
  data: { credentialId: 3, name: "Grace", credentialHash, prefix: "hla_3_abcdef", issuedAt: at, expiresAt },
};
const used: AuditorEvent = {
  type: "AuditorCredentialUsed",
  data: { credentialId: 3, method: "GetStatement", subject: "account 7", usedAt: at },
};
const revoked: AuditorEvent = { type: "AuditorCredentialRevoked", data: { credentialId: 3, revokedAt: at } };

const issue = (until = expiresAt): AuditorCommand => ({
  type: "IssueCredential",
  data: {
    wanted: { name: "3", auditor: "Grace", credentialHash, prefix: "hla_3_abcdef", expiresAt: until },
    at,
  },
});
const use = (
  data: Partial<{ credentialHash: string; at: string; subject: string; isOncePerDay: boolean }> = {},
): AuditorCommand => ({
  type: "UseCredential",
  data: { name: "3", credentialHash, method: "GetStatement", subject: "account 7", at, ...data },
});
const revoke: AuditorCommand = { type: "RevokeCredential", data: { name: "3", at } };

describe("an auditor's credential", () => {
  it("is issued once", () => {
    spec.given().when(issue()).then(issued);
    spec.given(issued).when(issue()).then();
  });

  it("is not issued with a term in the past", () => {
    spec.given().when(issue(at)).thenRejected("validation-failed");
  });

  it("has every use recorded", () => {
    spec.given(issued).when(use()).then(used);
    spec.given(issued, used).when(use()).then(used);
  });

  it("has repeated reads recorded once a day", () => {
    const again = use({ isOncePerDay: true });
    spec.given(issued).when(again).then(used);
    spec.given(issued, used).when(again).then();
    const other = { ...used.data, subject: "account 8" };
    spec
      .given(issued, used)
      .when(use({ isOncePerDay: true, subject: "account 8" }))
      .then({ ...used, data: other });
    const tomorrow = { ...used, data: { ...used.data, usedAt: "2026-11-22T00:00:00.000000Z" } };
    const asTomorrow = use({ isOncePerDay: true, at: tomorrow.data.usedAt });
    spec.given(issued, used).when(asTomorrow).then(tomorrow);
    spec.given(issued, used, tomorrow).when(asTomorrow).then();
  });

  it("is valid until the last microsecond before its expiry", () => {
    spec
      .given(issued)
      .when(use({ at: justBefore }))
      .then({ ...used, data: { ...used.data, usedAt: justBefore } });
    spec
      .given(issued)
      .when(use({ at: expiresAt }))
      .thenRejected("unauthenticated");
  });

  it("is refused after it was revoked, which is safe to repeat", () => {
    spec.given(issued, used).when(revoke).then(revoked);
    spec.given(issued, revoked).when(revoke).then();
    spec.given(issued, revoked).when(use()).thenRejected("unauthenticated");
  });

  it("is refused with a wrong secret, or if it does not exist", () => {
    spec
      .given(issued)
      .when(use({ credentialHash: "cd".repeat(32) }))
      .thenRejected("unauthenticated");
    spec.given().when(use()).thenRejected("unauthenticated");
    spec.given().when(revoke).thenRejected("not-found");
  });

  it("reveals nothing to a caller with a wrong secret", () => {
    const states = [[issued], [issued, revoked]].map((events) =>
      events.reduce(auditor.evolve, auditor.initialState),
    );
    const refusals = states.map((state) => auditorRefusal(state, "cd".repeat(32)));
    expect(refusals).toEqual([auditorRefusal(auditor.initialState, credentialHash), refusals[0]]);
  });

  it.each([
    { what: "a use before the issue", events: [used] },
    { what: "a revocation before the issue", events: [revoked] },
    { what: "a second issue", events: [issued, issued] },
    { what: "a use after the revocation", events: [issued, revoked, used] },
    { what: "a second revocation", events: [issued, revoked, revoked] },
  ])("$what is a corrupt stream", ({ events }) => {
    expect(() => events.reduce(auditor.evolve, auditor.initialState)).toThrow(CorruptStreamError);
  });
});
