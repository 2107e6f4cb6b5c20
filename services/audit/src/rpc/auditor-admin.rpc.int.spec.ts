import { describe, expect, it } from "vitest";

import { createClient } from "@connectrpc/connect";
import { admin } from "@hostledger/protocol";
import { callHeaders, createInProcessTransport, serverInterceptors } from "@hostledger/rpc";
import { openTokens, refusalOf } from "@hostledger/rpc/testing";
import { silentLogger } from "@hostledger/runtime";

import { openAudit } from "../audit-service.fixture.ts";

describe("credentials of auditors", () => {
  it("are issued once shown, listed without their secret, and revoked", async () => {
    const { admins, store } = await openAudit();
    const issued = await admins.issueAuditorCredential({ name: " Grace ", days: 30 });
    expect(issued).toMatchObject({ credentialId: 1n, expiresAt: "2026-03-31T10:00:00.000000Z" });
    expect(issued.credential).toMatch(/^hla_1_/u);
    for await (const { data } of store.read("auditor-1")) expect(data).not.toContain(issued.credential);
    const second = await admins.issueAuditorCredential({ name: "Ada", days: 366 });
    await admins.revokeAuditorCredential({ credentialId: second.credentialId });
    await admins.revokeAuditorCredential({ credentialId: second.credentialId });
    const { credentials } = await admins.listAuditorCredentials({});
    expect(credentials).toMatchObject([
      { credentialId: 1n, name: "Grace", prefix: issued.credential.slice(0, 12), uses: 0n },
      { credentialId: 2n, name: "Ada", revokedAt: "2026-03-01T10:00:00.000000Z" },
    ]);
    expect(credentials[0]?.revokedAt).toBeUndefined();
    const next = await admins.listAuditorCredentials({ page: { afterId: 1n, limit: 5 } });
    expect(next.credentials.map(({ credentialId }) => credentialId)).toEqual([2n]);
  });

  it("are refused with one sentence for a wrong request", async () => {
    const { admins } = await openAudit();
    for (const days of [0, -1, 367])
      expect(await refusalOf(admins.issueAuditorCredential({ name: "Grace", days }))).toMatchObject({
        code: "validation-failed",
        message: "days must be 1 to 366 days.",
      });
    for (const name of ["", " ", "x".repeat(201), "a\nb"])
      expect((await refusalOf(admins.issueAuditorCredential({ name, days: 1 }))).code).toBe(
        "validation-failed",
      );
    for (const credentialId of [0n, 5n, 2n ** 60n])
      expect(await refusalOf(admins.revokeAuditorCredential({ credentialId }))).toMatchObject({
        code: "not-found",
        message: "There is no such auditor credential.",
      });
  });

  it("are for staff only", async () => {
    const { service } = await openAudit();
    const tokens = openTokens();
    for (const caller of [
      { kind: "account", accountId: 7 },
      { kind: "service", name: "domain" },
    ] as const) {
      const transport = createInProcessTransport(service.staffRoutes, {
        interceptors: [
          (next) => (request) => {
            request.header.set(callHeaders.caller, tokens.issue(caller));
            return next(request);
          },
          ...serverInterceptors({ tokens, logger: silentLogger() }),
        ],
      });
      const client = createClient(admin.AuditorAdminService, transport);
      const calls: Promise<unknown>[] = [
        client.issueAuditorCredential({ name: "Grace", days: 1 }),
        client.revokeAuditorCredential({ credentialId: 1n }),
        client.listAuditorCredentials({}),
        client.rotateAuditKey({}),
      ];
      for (const { code } of await Promise.all(calls.map(refusalOf))) expect(code).toBe("unauthorized");
    }
  });
});

it("the key of the log is rotated", async () => {
  const { admins, audits } = await openAudit();
  const { verifierKeys } = await admins.rotateAuditKey({});
  expect(verifierKeys).toEqual(["hostledger/spec+00000002+key", "hostledger/spec+00000001+key"]);
  expect((await audits().getCheckpoint({})).verifierKeys).toEqual(verifierKeys);
});
