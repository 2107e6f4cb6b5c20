import { request, type IncomingMessage } from "node:http";

import { accountExamples } from "@hostledger/core/testing";
import { refusalOf } from "@hostledger/rpc/testing";
import { defined } from "@hostledger/runtime";
import { describe, expect, it } from "vitest";

import { openAudit, type AuditFixture } from "../audit-service.fixture.ts";
import { createAuditorCredential } from "../credentials/auditor-credential.ts";

const { opened } = accountExamples;
const customerKey = `hlk_${"A".repeat(32)}00000000`;
const unknown = createAuditorCredential(999, "A".repeat(32)).secret;

const call = ({ url }: AuditFixture, method: string, authorization?: string, type = "application/json") =>
  fetch(`${url}/audit/rpc/hosting.audit.v1.AuditService/${method}`, {
    method: "POST",
    headers: { "content-type": type, ...defined({ authorization }) },
    body: "{}",
  });

async function usesOf({ store }: AuditFixture, credentialId: bigint): Promise<unknown[]> {
  const uses: unknown[] = [];
  for await (const { type, data } of store.read(`auditor-${String(credentialId)}`))
    if (type === "AuditorCredentialUsed.v1") uses.push(JSON.parse(data));
  return uses;
}

describe("an auditor", () => {
  it("reads with a credential, and every use is an event", async () => {
    const fixture = await openAudit();
    const { issue, overHttp, record, admins, settled } = fixture;
    await record("account-7", opened());
    const { credentialId, authorization } = await issue();
    const auditor = overHttp(authorization);
    expect((await auditor.listAuditedAccounts({})).accounts).toHaveLength(1);
    await refusalOf(auditor.getStatement({ accountId: 9n }));
    for await (const { events } of auditor.readEvents({ accountId: 7n, limit: 1n }))
      expect(events[0]?.stream).toBe("account-7");
    const use = { credentialId: Number(credentialId), usedAt: "2026-03-01T10:00:00.000000Z" };
    expect(await usesOf(fixture, credentialId)).toEqual([
      { ...use, method: "ListAuditedAccounts", subject: "-" },
      { ...use, method: "GetStatement", subject: "account 9" },
      { ...use, method: "ReadEvents", subject: "account 7" },
    ]);
    await settled();
    const { credentials } = await admins.listAuditorCredentials({});
    expect(credentials).toMatchObject([{ credentialId, name: "Grace", uses: 3n, lastUsedAt: use.usedAt }]);
  });

  it("cannot pass a use off as another by naming its operation", async () => {
    const fixture = await openAudit();
    const { credentialId, authorization } = await fixture.issue();
    for (let round = 0; round < 2; round += 1)
      await fetch(`${fixture.url}/audit/rpc/hosting.audit.v1.AuditService/GetCheckpoint`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          authorization,
          "x-request-id": "same",
          "hostledger-operation-id": "same",
        },
        body: "{}",
      });
    expect(await usesOf(fixture, credentialId)).toHaveLength(2);
  });
});

describe("everybody else", () => {
  it("is refused with a sentence and a challenge, for every method and every route", async () => {
    const fixture = await openAudit();
    const { issue, clock, admins } = fixture;
    const [expired, revoked, good] = [await issue(1), await issue(), (await issue()).authorization];
    await admins.revokeAuditorCredential({ credentialId: revoked.credentialId });
    clock.advance(86_400_000);
    const refused: readonly (readonly [string | undefined, string])[] = [
      [undefined, "An auditor credential is needed"],
      [`Bearer ${customerKey}`, "The audit does not accept a customer's API key"],
      [customerKey, "The audit does not accept a customer's API key"],
      [expired.authorization, "The auditor credential expired at 2026-03-02T10:00:00.000000Z."],
      [revoked.authorization, "The auditor credential was revoked at 2026-03-01T10:00:00.000000Z."],
      [`Bearer ${unknown}`, "There is no such auditor credential."],
      [`${good}x`, "The auditor credential is mistyped or cut short: copy all of it"],
      [good.slice("Bearer ".length), "The auditor credential is mistyped or cut short: copy all of it"],
      ["Bearer hla_1_abc", "The auditor credential is mistyped or cut short: copy all of it"],
      ...[`Bearer ${"x".repeat(600)}`, "Bearer k3Vb9-token-of-admin.token", "Basic abc"].map(
        (authorization) => [authorization, "This is neither an auditor credential (hla_…"] as const,
      ),
    ];
    const methods = [
      "ListAuditedAccounts",
      "GetStatement",
      "GetBalanceAsOf",
      "ExplainInvoice",
      "GetCheckpoint",
      "GetInclusionProof",
      "GetConsistencyProof",
      "SignBundle",
      "NoSuchMethod",
    ];
    for (const [authorization, sentence] of refused) {
      const answers = [
        ...(await Promise.all(methods.map((method) => call(fixture, method, authorization)))),
        await call(fixture, "ReadEvents", authorization, "application/connect+json"),
      ];
      for (const answer of answers) {
        expect([answer.status, answer.headers.get("www-authenticate")]).toEqual([
          401,
          'Bearer realm="hostledger-audit"',
        ]);
        const { code, message } = JSON.parse(await answer.text());
        expect(code).toBe("unauthenticated");
        expect(message).toContain(sentence);
      }
    }
    // A refused credential has no recorded use.
    expect(await usesOf(fixture, expired.credentialId)).toEqual([]);
    expect(await usesOf(fixture, revoked.credentialId)).toEqual([]);
  });
});

describe("a guesser", () => {
  it("is answered 429 above the limit; a valid credential is admitted", async () => {
    let failures = 0;
    const fixture = await openAudit({
      countFailure: () => Promise.resolve((failures += 1) > 2 ? 7 : undefined),
    });
    const { authorization } = await fixture.issue();
    const statuses = [];
    for (let turn = 0; turn < 4; turn += 1)
      statuses.push((await call(fixture, "ListAuditedAccounts", `Bearer ${unknown}`)).status);
    expect(statuses).toEqual([401, 401, 429, 429]);
    const refused = await call(fixture, "ListAuditedAccounts");
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "7"]);
    expect(await refused.json()).toMatchObject({ code: "resource_exhausted" });
    expect((await call(fixture, "ListAuditedAccounts", authorization)).status).toBe(200);
  });
});

describe("paths", () => {
  it("go to the log, to the console, or nowhere", async () => {
    const { url } = await openAudit({
      logRoutes: () => (request, response) => response.end(`log ${request.url ?? ""}`),
      consoleRoutes: (request, response) => response.end(`console ${request.url ?? ""}`),
    });
    const textOf = async (path: string) => {
      const answer = await fetch(`${url}${path}`);
      return `${String(answer.status)} ${await answer.text()}`;
    };
    expect(await textOf("/audit/log/checkpoint")).toBe("200 log /audit/log/checkpoint");
    expect(await textOf("/audit")).toBe("200 console /audit");
    expect(await textOf("/audit/page.css?v=1")).toBe("200 console /audit/page.css?v=1");
    expect(await textOf("/audit/logs")).toBe("200 console /audit/logs");
    expect(await textOf("/auditor")).toMatch(/^404 /u);
    expect(await textOf("/")).toMatch(/^404 /u);
    expect(await textOf("//")).toMatch(/^404 /u);
  });

  it("are not served to a request with an invalid host, even with a credential", async () => {
    const fixture = await openAudit();
    const { authorization } = await fixture.issue();
    const method = "/audit/rpc/hosting.audit.v1.AuditService/ListAuditedAccounts";
    const answer = Promise.withResolvers<IncomingMessage>();
    const headers = { authorization, host: "[", "content-type": "application/json" };
    request(`${fixture.url}${method}`, { method: "POST", headers }, answer.resolve)
      .on("error", answer.reject)
      .end("{}");
    expect((await answer.promise).resume().statusCode).toBe(400);
    expect((await call(fixture, "ListAuditedAccounts", authorization)).status).toBe(200);
  });

  it("refuse large requests, and admin methods", async () => {
    const fixture = await openAudit();
    const { url, issue } = fixture;
    const { authorization } = await issue();
    const headers = { authorization, "content-type": "application/json" };
    const large = await fetch(`${url}/audit/rpc/hosting.audit.v1.AuditService/ListAuditedAccounts`, {
      method: "POST",
      headers,
      body: JSON.stringify({ search: "x".repeat(70_000) }),
    });
    expect(large.status).toBe(429);
    const issuing = await fetch(
      `${url}/audit/rpc/hosting.admin.v1.AuditorAdminService/ListAuditorCredentials`,
      {
        method: "POST",
        headers,
        body: "{}",
      },
    );
    expect(issuing.status).toBe(404);
  });
});
