import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

import { Code, ConnectError, createClient, type Client } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { serviceScopes } from "@hostledger/core";
import { account } from "@hostledger/protocol";
import { callPermissions, createStaffClient } from "@hostledger/rpc";
import { virtualClock } from "@hostledger/runtime/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { startInstance, type Instance } from "../support/instance.ts";
import { objectOf } from "../support/matchers.ts";
import { openCustomer, type Customer } from "../support/staff-client.ts";

/** Internal teams call the services with their own credentials: permissions and refusals. */

const root = join(import.meta.dirname, "../..");
const clock = virtualClock();
let instance: Instance;
let customer: Customer;
beforeAll(async () => {
  instance = await startInstance({ clock });
  customer = await openCustomer(instance.staff, instance.baseUrl, { balanceCents: 10_000n, name: "Ada" });
});
afterAll(() => instance.close());

const issue = async (name: string, scopes: readonly string[], expiresAt?: string): Promise<string> => {
  const requested = { name, scopes: [...scopes], ...(expiresAt === undefined ? {} : { expiresAt }) };
  return (await instance.staff.teams.issueServiceCredential(requested)).credential;
};

/** Returns a client of the account service with this credential. */
function as(credential: string, { rpcUrl } = instance): Client<typeof account.AccountService> {
  const transport = createConnectTransport({
    baseUrl: rpcUrl,
    httpVersion: "2",
    interceptors: [
      (next) => (request) => {
        request.header.set("authorization", `Bearer ${credential}`);
        return next(request);
      },
    ],
  });
  return createClient(account.AccountService, transport);
}

async function refusalOf(answered: Promise<unknown>): Promise<readonly [Code, string]> {
  try {
    await answered;
  } catch (error) {
    const { code, rawMessage } = ConnectError.from(error);
    return [code, rawMessage];
  }
  throw new Error("the call was answered");
}

const charge = (chargeId: string) => ({
  accountId: BigInt(customer.accountId),
  chargeId,
  action: "purchase",
  lines: [{ description: "A seminar", quantity: 1, unitNetCents: 1_000n }],
});

describe("a credential of an internal team", () => {
  it("permits its scopes; the events name the team, and contain only the hash", async () => {
    const credential = await issue("seminars", ["charges", "accounts:read"]);
    expect(credential).toMatch(/^hlt_[A-Za-z0-9_-]{32}$/u);
    const accountId = BigInt(customer.accountId);
    expect(await as(credential).getAccount({ accountId })).toMatchObject({ name: "Ada" });
    const first = await as(credential).chargeBalance(charge("7"));
    expect(await as(credential).chargeBalance(charge("7"))).toEqual(first);
    expect(await as(credential).getAccount({ accountId })).toMatchObject({ balanceCents: 8_810n });

    const seen: string[] = [];
    for (const stream of ["servicecredential-all", `account-${String(customer.accountId)}`])
      for await (const { events } of instance.staff.audits.readEvents({ stream }))
        seen.push(...events.map(({ type, data, metadata }) => `${type} ${data} ${metadata}`));
    expect(seen.find((event) => event.startsWith("BalanceCharged"))).toContain('"actor":"service:seminars"');
    expect(seen.find((event) => event.startsWith("ServiceCredentialIssued"))).toContain("seminars");
    expect(seen.join("\n")).not.toContain(credential);
  });

  it("charges under names of its own, and returns no charge of others", async () => {
    const [one, other] = [await issue("one", ["charges"]), await issue("other", ["charges"])];
    await as(one).chargeBalance(charge("mine"));
    const { accountId } = charge("mine");
    const refund = { accountId, chargeId: "mine", reason: "Not held." };
    expect(await refusalOf(as(other).refundCharge(refund))).toEqual([Code.NotFound, expect.any(String)]);
    expect((await refusalOf(as(other).refundCharge({ ...refund, chargeId: "service:one/mine" })))[0]).toBe(
      Code.NotFound,
    );
    await expect(as(one).refundCharge(refund)).resolves.toMatchObject({ grossCents: 1_190n });
  });

  it("refunds its charges for a domain, as for anything else", async () => {
    const shop = as(await issue("shop", ["charges"]));
    const { accountId, chargeId } = charge("certificate");
    await shop.chargeBalance({ ...charge(chargeId), domainId: 7n });
    const refund = shop.refundCharge({ accountId, chargeId, reason: "Not issued." });
    await expect(refund).resolves.toMatchObject({ grossCents: 1_190n });
  });

  it("is refused with the reason if it is unknown, revoked or expired", async () => {
    const ends = new Date(clock.epochMilliseconds() + 60_000).toISOString();
    const short = await issue("short", ["accounts:read"], ends);
    const gone = await issue("gone", ["accounts:read"]);
    const ask = { accountId: BigInt(customer.accountId) };
    await expect(as(short).getAccount(ask)).resolves.toBeDefined();
    await instance.staff.teams.revokeServiceCredential({ name: "gone" });
    expect(await refusalOf(as(gone).getAccount(ask))).toEqual([
      Code.Unauthenticated,
      expect.stringMatching(/^The service credential was revoked at .*\.$/u),
    ]);
    clock.advance(60_000);
    expect(await refusalOf(as(short).getAccount(ask))).toEqual([
      Code.Unauthenticated,
      expect.stringMatching(/^The service credential expired at .*\.$/u),
    ]);
    for (const [shown, sentence] of [
      [`hlt_${"x".repeat(32)}`, "There is no such service credential."],
      [`hls_${"x".repeat(32)}`, "The service credential is missing or malformed."],
      [`hlt_${"x".repeat(33)}`, "The service credential is missing or malformed."],
      [customer.apiKey, "The service credential is missing or malformed."],
    ] as const)
      expect(await refusalOf(as(shown).getAccount(ask))).toEqual([Code.Unauthenticated, sentence]);
    // A name whose credential has ended may get another one.
    for (const name of ["short", "gone"])
      await expect(as(await issue(name, ["accounts:read"])).getAccount(ask)).resolves.toBeDefined();
  });

  it("is refused at the staff listener, the API and the console", async () => {
    const credential = await issue("elsewhere", serviceScopes);
    expect(
      await refusalOf(
        createStaffClient({ baseUrl: instance.adminUrl, credential }).accounts.showAccount({ accountId: 1n }),
      ),
    ).toEqual([Code.Unauthenticated, expect.stringContaining("The staff credential is missing or wrong")]);
    const headers = { authorization: credential };
    expect((await fetch(`${instance.baseUrl}/domains`, { headers })).status).toBe(401);
  });

  it.each<[string, { name?: string; scopes?: string[]; expiresAt?: string }, RegExp]>([
    ["no name", { name: "" }, /1 to 63 lower-case letters/u],
    ["a name that is too long", { name: "a".repeat(64) }, /1 to 63 lower-case letters/u],
    ["a name that is no word", { name: "a\nb" }, /1 to 63 lower-case letters/u],
    ["a part's name", { name: "gateway" }, /another name than that of a part/u],
    [
      "a name that has one",
      { name: "taken" },
      /^There is a service credential taken already: revoke it first\.$/u,
    ],
    ["an unknown scope", { scopes: ["charges", "root"] }, /must be some of accounts:read, .*charges/u],
    ["no scope", { scopes: [] }, /must be some of/u],
    [
      "an end that was",
      { expiresAt: "2001-01-01" },
      /^The service credential would have expired already\.$/u,
    ],
    ["an end that is no time", { expiresAt: "soon" }, /./u],
  ])("is not issued with %s", async (_what, requested, sentence) => {
    if (requested.name === "taken") await issue("taken", ["charges"]);
    const asked = instance.staff.teams.issueServiceCredential({
      name: "new",
      scopes: ["accounts:read"],
      ...requested,
    });
    const [code, said] = await refusalOf(asked);
    expect(code).toBe(Code.InvalidArgument);
    expect(said).toMatch(sentence);
  });

  it("cannot be revoked if it does not exist", async () => {
    expect(await refusalOf(instance.staff.teams.revokeServiceCredential({ name: "nobody" }))).toEqual([
      Code.NotFound,
      "There is no service credential nobody.",
    ]);
  });
});

/** The rows of the generated document: service, method, and the callers that it says may call. */
function documented(): Map<string, ReadonlySet<string>> {
  const rows = new Map<string, ReadonlySet<string>>();
  const text = readFileSync(join(root, "docs/reference/service-scopes.md"), "utf8");
  for (const section of text.split("\n## ").slice(1)) {
    const [service = "", , heading = "", , ...lines] = section.split("\n");
    const columns = heading.split("|").slice(2, -1);
    for (const line of lines.filter((one) => one.startsWith("|"))) {
      const [, method = "", ...cells] = line.split("|").map((cell) => cell.trim());
      const callers = columns.filter((_, index) => cells[index] === "yes");
      rows.set(`${service}/${method}`, new Set(callers.map((one) => one.replaceAll("`", "").trim())));
    }
  }
  return rows;
}

describe("the table of scopes", () => {
  const rows = documented();
  const methods = callPermissions.flatMap(({ service }) =>
    service.methods.map(({ name }) => `${service.typeName}/${name}`),
  );

  it("has a row for every method, and no other", () => {
    expect([...rows.keys()]).toEqual(methods);
  });

  it.each(serviceScopes)("matches the instance's behaviour: %s", async (scope) => {
    const credential = await issue(`table-${scope.replace(":", "-")}`, [scope]);
    const headers = { authorization: `Bearer ${credential}`, "content-type": "application/json" };
    for (const method of methods) {
      const response = await fetch(`${instance.rpcUrl}/${method}`, { method: "POST", headers, body: "{}" });
      const { code, message } = objectOf(await response.json());
      expect(code, method).not.toBe("unauthenticated");
      const isOpen = rows.get(method)?.has(scope) ?? false;
      expect(code !== "permission_denied", method).toBe(isOpen);
      const opening = serviceScopes.filter((one) => rows.get(method)?.has(one));
      if (isOpen) continue;
      expect(message).toContain(
        opening.length === 0 ? "no scope opens it" : `it takes the scope ${opening.join(" or ")}`,
      );
    }
  });
});

describe("docs/internal-callers.md", () => {
  const text = readFileSync(join(root, "docs/internal-callers.md"), "utf8");
  const snippet = (language: string): string => {
    const [, found] = new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``, "u").exec(text) ?? [];
    if (found === undefined) throw new Error(`there is no example in ${language}`);
    return found;
  };
  const run = async (program: string, ...line: readonly string[]): Promise<string> => {
    const credential = await issue(`example-${program}`, ["accounts:read"]);
    const bin = join(root, "node_modules/.bin");
    const env = {
      ...process.env,
      PATH: `${bin}:${process.env.PATH ?? ""}`,
      RPC_URL: instance.rpcUrl,
      SERVICE_CREDENTIAL: credential,
    };
    return (await promisify(execFile)(program, line, { env, timeout: 60_000 })).stdout;
  };

  it("has a call in JSON that works", async () => {
    const stdout = await run("node", "--input-type=module", "--eval", snippet("js"));
    expect(stdout).toMatch(/^200 \{"accountId":"1","name":"Ada"/u);
  });

  it("has a call by reflection that works", async () => {
    expect(JSON.parse(await run("sh", "-c", snippet("sh")))).toMatchObject({ accountId: "1", name: "Ada" });
  });

  it("names every scope", () => {
    for (const scope of serviceScopes) expect(text).toContain(`| \`${scope}\``);
  });
});

describe("guesses of a team's credential", () => {
  it("are limited as for other credentials, and a valid one is still accepted", async () => {
    const limited = await startInstance({ clock, environment: { HOSTLEDGER_RATE_LIMIT: "5" } });
    try {
      const requested = { name: "reporting", scopes: ["accounts:read"] };
      const { credential } = await limited.staff.teams.issueServiceCredential(requested);
      const { accountId } = await limited.staff.accounts.openAccount({ name: "Ada", vatExempt: false });
      const guess = (text: string) => refusalOf(as(text, limited).getAccount({ accountId }));
      const codes: Code[] = [];
      for (let count = 0; count < 10; count += 1) codes.push((await guess(`hlt_guess${String(count)}`))[0]);
      const wrong = Array.from({ length: 5 }, () => Code.Unauthenticated);
      expect(codes).toEqual([...wrong, ...wrong.map(() => Code.ResourceExhausted)]);
      await expect(as(credential, limited).getAccount({ accountId })).resolves.toMatchObject({ name: "Ada" });
    } finally {
      await limited.close();
    }
  });
});

describe("a charge whose price was mistyped", () => {
  const send = async (line: object): Promise<unknown> => {
    const credential = await issue(`typo-${String(JSON.stringify(line).length)}`, ["charges"]);
    const answer = await fetch(`${instance.rpcUrl}/hosting.account.v1.AccountService/ChargeBalance`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${credential}` },
      body: JSON.stringify({
        accountId: String(customer.accountId),
        chargeId: "typo",
        action: "purchase",
        lines: [{ description: "A seminar", quantity: 1, ...line }],
      }),
    });
    return [answer.status, objectOf(await answer.json()).message];
  };

  it("is refused, and names the field", async () => {
    expect(await send({ unitNetCent: "1000" })).toEqual([400, expect.stringContaining("unitNetCent")]);
  });

  it("is refused without a price, and with a price of zero", async () => {
    expect(await send({})).toEqual([400, expect.stringContaining("unitNetCents")]);
    expect(await send({ unitNetCents: "0" })).toEqual([400, expect.stringContaining("unitNetCents")]);
  });

  it("is made with the right price", async () => {
    expect(await send({ unitNetCents: "1000" })).toEqual([200, undefined]);
  });
});
