import { readFileSync } from "node:fs";
import { join } from "node:path";

import type { DescMethod } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { staffRoles } from "@hostledger/core";
import {
  callHeaders,
  createCallerTokens,
  createOutgoing,
  createStaffClient,
  parseSigningKey,
  staffPermissions,
  type StaffClient,
} from "@hostledger/rpc";
import { virtualClock } from "@hostledger/runtime/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { startInstance, type Instance } from "../support/instance.ts";

/** Staff are persons: their permissions, the names in records, and refused callers. */

/** More than the mistakes of the other tests, from where those are made. */
const failuresAMinute = 60;

const clock = virtualClock();
let instance: Instance;
let bootstrap: string;
/** A token for each role; the owner is the first of the instance. */
const tokens = new Map<string, string>();
const as = (token: string): StaffClient =>
  createStaffClient({ baseUrl: instance.adminUrl, credential: token });
const asRole = (role: string): StaffClient => as(tokens.get(role) ?? "");

beforeAll(async () => {
  instance = await startInstance({
    clock,
    environment: {
      HOSTLEDGER_APPROVAL_CENTS: "100000",
      HOSTLEDGER_RATE_LIMIT: String(failuresAMinute),
      // The test is a proxy, so that it can guess from anywhere.
      HOSTLEDGER_TRUSTED_PROXIES: "127.0.0.1",
    },
  });
  bootstrap = readFileSync(join(instance.data, "admin.token"), "utf8").trim();
});
afterAll(() => instance.close());

async function refusalOf(call: Promise<unknown>): Promise<[Code, string]> {
  try {
    await call;
  } catch (error) {
    const { code, rawMessage } = ConnectError.from(error);
    return [code, rawMessage];
  }
  throw new Error("the call was not refused");
}

describe("the token of admin.token", () => {
  it("is an owner until one exists, despite other members, and is invalid from then on", async () => {
    for (const role of staffRoles.toReversed()) {
      const inCharge = tokens.get("owner") ?? bootstrap;
      if (role === "owner") expect((await as(bootstrap).members.listStaffMembers({})).members).toEqual([]);
      const { token } = await as(inCharge).members.addStaffMember({ name: `the.${role}`, role });
      expect(token).toMatch(/^hls_[A-Za-z0-9_-]{32}$/);
      tokens.set(role, token);
    }
    const [code, sentence] = await refusalOf(as(bootstrap).accounts.showAccount({ accountId: 1n }));
    expect(code).toBe(Code.Unauthenticated);
    expect(sentence).toContain("HOSTLEDGER_STAFF_RECOVERY=on");
    const [stored] = await refusalOf(
      as(bootstrap).members.addStaffMember({ name: "mallory", role: "owner" }),
    );
    expect(stored).toBe(Code.Unauthenticated);
  });

  it("acts as an owner again if the machine's operator enables it", async () => {
    const recovering = await startInstance({ environment: { HOSTLEDGER_STAFF_RECOVERY: "on" } });
    try {
      await recovering.staff.members.addStaffMember({ name: "first", role: "owner" });
      await recovering.staff.members.addStaffMember({ name: "second", role: "owner" });
      await recovering.staff.members.revokeStaffMember({ name: "first" });
    } finally {
      await recovering.close();
    }
  });
});

describe("a person's token", () => {
  it("puts the person's name into every event", async () => {
    const { accountId } = await asRole("support").accounts.openAccount({ name: "Ada" });
    await asRole("finance").accounts.topUpAccount({ accountId, amountCents: 500n, reference: "R-1" });
    const actors = new Set<string>();
    for await (const { events } of asRole("owner").audits.readEvents({
      stream: `account-${String(accountId)}`,
    }))
      for (const { metadata } of events) actors.add(String(Reflect.get(JSON.parse(metadata), "actor")));
    expect([...actors]).toEqual(["staff:the.support", "staff:the.finance"]);
  });

  it("is stored as a hash only", async () => {
    const seen: string[] = [];
    for await (const { events } of asRole("owner").audits.readEvents({ stream: "staff-all" }))
      seen.push(
        ...events.map((event) =>
          JSON.stringify(event, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value)),
        ),
      );
    expect(seen.join()).toContain("the.owner");
    for (const token of tokens.values()) expect(seen.join()).not.toContain(token);
  });

  it("ends when it expires, and when it is revoked, and the last owner's not at all", async () => {
    const { members } = asRole("owner");
    const ends = new Date(clock.epochMilliseconds() + 60_000).toISOString();
    const { token: short } = await members.addStaffMember({ name: "ben", role: "support", expiresAt: ends });
    await expect(as(short).support.listAllTickets({})).resolves.toBeDefined();
    clock.advance(60_000);
    expect(await refusalOf(as(short).support.listAllTickets({}))).toEqual([
      Code.Unauthenticated,
      expect.stringMatching(/^The staff token expired at /),
    ]);

    const { token } = await members.addStaffMember({ name: "carl", role: "support" });
    await members.revokeStaffMember({ name: "carl" });
    expect(await refusalOf(as(token).support.listAllTickets({}))).toEqual([
      Code.Unauthenticated,
      expect.stringMatching(/^The staff token was revoked at /),
    ]);
    expect(await refusalOf(members.revokeStaffMember({ name: "the.owner" }))).toEqual([
      Code.InvalidArgument,
      "the.owner is the last owner who does not expire: add another first, without --expires.",
    ]);
  });

  it("opens the audit console as well, within the role", async () => {
    const ask = (token: string, method: string): Promise<Response> =>
      fetch(new URL(`/audit/rpc/hosting.audit.v1.AuditService/${method}`, instance.baseUrl), {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
        body: "{}",
      });
    expect((await ask(tokens.get("finance") ?? "", "ListAuditedAccounts")).status).toBe(200);
    expect((await ask(tokens.get("support") ?? "", "ListAuditedAccounts")).status).toBe(200);
    expect((await ask(tokens.get("support") ?? "", "SignBundle")).status).toBe(403);
    expect((await ask(`hls_${"x".repeat(32)}`, "ListAuditedAccounts")).status).toBe(401);
  });
});

describe("a credit above the configured amount", () => {
  const balanceOf = async (accountId: bigint): Promise<bigint> =>
    (await asRole("finance").accounts.showAccount({ accountId })).balanceCents;

  it("is carried out once after another person approved it, and not by its requester", async () => {
    const { accountId } = await asRole("support").accounts.openAccount({ name: "Grace" });
    const { accounts } = asRole("finance");
    const requested = { accountId, amountCents: 100_001n, reference: "R-large" };
    await accounts.topUpAccount({ ...requested, amountCents: 100_000n, reference: "R-small" });
    for (const _again of [1, 2]) {
      const [code, sentence] = await refusalOf(accounts.topUpAccount(requested));
      expect(code).toBe(Code.FailedPrecondition);
      expect(sentence).toMatch(/^Another person must approve this .*admin approvals approve 1$/);
    }
    expect(await balanceOf(accountId)).toBe(100_000n);
    const { approvals } = await asRole("owner").accounts.listApprovals({});
    expect(approvals).toMatchObject([{ approvalId: 1n, ...requested, requestedBy: "the.finance" }]);

    expect(await refusalOf(accounts.approveCredit({ approvalId: 1n }))).toEqual([
      Code.PermissionDenied,
      "the.finance made the request: another person must approve it.",
    ]);
    expect((await refusalOf(asRole("support").accounts.approveCredit({ approvalId: 1n })))[0]).toBe(
      Code.PermissionDenied,
    );
    const given = await asRole("owner").accounts.approveCredit({ approvalId: 1n });
    expect(given).toMatchObject({ accountId, balanceCents: 200_001n });
    // Whatever of it is repeated, it is given once.
    await expect(accounts.topUpAccount(requested)).resolves.toMatchObject({ invoiceId: given.invoiceId });
    await expect(accounts.approveCredit({ approvalId: 1n })).resolves.toMatchObject({
      invoiceId: given.invoiceId,
    });
    expect(await balanceOf(accountId)).toBe(200_001n);
    expect((await asRole("owner").accounts.listApprovals({})).approvals).toEqual([]);
  });

  it("also applies to corrections, in either direction", async () => {
    const { accountId } = await asRole("support").accounts.openAccount({ name: "Mary" });
    const { accounts } = asRole("finance");
    await accounts.topUpAccount({ accountId, amountCents: 100_000n, reference: "R-mary-1" });
    await asRole("owner").accounts.topUpAccount({ accountId, amountCents: 50_000n, reference: "R-mary-2" });
    const requested = { accountId, amountCents: -100_001n, reference: "case-1", reason: "Paid twice" };
    expect((await refusalOf(accounts.adjustBalance(requested)))[0]).toBe(Code.FailedPrecondition);
    expect(await balanceOf(accountId)).toBe(150_000n);
    const [waiting] = (await asRole("owner").accounts.listApprovals({})).approvals;
    expect(waiting).toMatchObject({ kind: "debit", amountCents: 100_001n, reason: "Paid twice" });
    const approvalId = waiting?.approvalId ?? 0n;
    for (const _again of [1, 2])
      expect(await asRole("owner").accounts.approveCredit({ approvalId })).toMatchObject({
        balanceCents: 49_999n,
        invoiceId: 0n,
      });
    await expect(accounts.adjustBalance(requested)).resolves.toMatchObject({ balanceCents: 49_999n });
    expect((await refusalOf(asRole("support").accounts.adjustBalance(requested)))[0]).toBe(
      Code.PermissionDenied,
    );
  });

  it("expires after a week", async () => {
    const { accountId } = await asRole("support").accounts.openAccount({ name: "Joan" });
    const requested = { accountId, amountCents: 500_000n, reference: "R-week" };
    await refusalOf(asRole("finance").accounts.topUpAccount(requested));
    const [approval] = (await asRole("owner").accounts.listApprovals({})).approvals;
    clock.advance(7 * 86_400_000);
    const approvalId = approval?.approvalId ?? 0n;
    expect(await refusalOf(asRole("owner").accounts.approveCredit({ approvalId }))).toEqual([
      Code.InvalidArgument,
      expect.stringMatching(/^The request expired at .*: ask for it again\.$/),
    ]);
    expect(await balanceOf(accountId)).toBe(0n);
    expect((await refusalOf(asRole("owner").accounts.approveCredit({ approvalId: 99n })))[0]).toBe(
      Code.NotFound,
    );
  });
});

describe("whoever is no member of staff", () => {
  it.each([
    ["an invented token", `hls_${"x".repeat(32)}`],
    ["a customer's key", `hlk_1_1_${"x".repeat(40)}`],
    ["a token and more", "a b"],
  ])("is refused with %s", async (_, token) => {
    expect(await refusalOf(as(token).support.listAllTickets({}))).toEqual([
      Code.Unauthenticated,
      expect.stringMatching(/^The staff credential is missing or wrong: put your staff token/),
    ]);
  });

  it("is refused with a caller token that names staff", async () => {
    const text = readFileSync(join(instance.data, "service-keys", "gateway.key"), "utf8");
    const key = parseSigningKey(text, "gateway");
    const tokens = createCallerTokens({ signing: () => key, verifying: () => undefined }, clock);
    const outgoing = createOutgoing(tokens, ["admin", "account"]);
    const headers = outgoing({ caller: { kind: "staff", name: "the.owner" }, requestId: "r" });
    expect(headers.has(callHeaders.caller)).toBe(true);
    const response = await fetch(
      new URL("/hosting.admin.v1.SupportAdminService/ListAllTickets", instance.adminUrl),
      {
        method: "POST",
        headers: { ...Object.fromEntries(headers), "content-type": "application/json" },
        body: "{}",
      },
    );
    expect(response.status).toBe(401);
  });

  it.each([
    ["an unknown role", { name: "dora", role: "root" }],
    ["no name", { name: "", role: "support" }],
    ["a name that is no word", { name: "dora\nowner", role: "support" }],
    ["an end that was", { name: "dora", role: "support", expiresAt: "2001-01-01" }],
    ["an end that is no time", { name: "dora", role: "support", expiresAt: "soon" }],
  ])("does not become staff with %s", async (_, request) => {
    expect((await refusalOf(asRole("owner").members.addStaffMember(request)))[0]).toBe(Code.InvalidArgument);
  });
});

describe("whoever guesses tokens of staff", () => {
  const listTickets = "/hosting.admin.v1.SupportAdminService/ListAllTickets";
  const call = (token: string, from: string, path = listTickets): Promise<Response> =>
    fetch(new URL(path, instance.adminUrl), {
      ...(path === listTickets ? { method: "POST", body: "{}" } : {}),
      headers: {
        "content-type": "application/json",
        "x-forwarded-for": from,
        ...(token === "" ? {} : { authorization: `Bearer ${token}` }),
      },
    });
  /** Tokens that begin otherwise, each of them. */
  const guess = (number: number): string => `hls_${String(100_000 + number).padEnd(32, "x")}`;

  it.each([listTickets, "/metrics", "/readyz"])(
    "is limited by address, at %s, and does not affect others",
    async (path) => {
      const from = `203.0.113.${String(path.length)}`;
      const statuses = new Set<number>();
      for (let number = 0; number < failuresAMinute; number += 1)
        statuses.add((await call(guess(number), from, path)).status);
      expect([...statuses]).toEqual([path === "/readyz" ? 200 : 401]);
      const limited = await call(guess(0), from, path);
      expect(limited.status).toBe(429);
      if (path === listTickets) expect(await limited.json()).toMatchObject({ code: "resource_exhausted" });
      else expect(limited.headers.get("retry-after")).toMatch(/^\d+$/);
      expect((await call(tokens.get("operator") ?? "", from, path)).status).toBe(200);
      expect((await call(guess(0), "203.0.113.200", path)).status).not.toBe(429);
    },
  );

  it("is limited by the beginning of a token, wherever the guesses come from", async () => {
    const begin = (tokens.get("operator") ?? "").slice(0, 10);
    const statuses: number[] = [];
    for (let number = 0; number <= failuresAMinute; number += 1)
      statuses.push((await call(`${begin}${"x".repeat(26)}`, `198.51.100.${String(number)}`)).status);
    expect(new Set(statuses.slice(0, -1))).toEqual(new Set([401]));
    expect(statuses.at(-1)).toBe(429);
    expect((await call(tokens.get("operator") ?? "", "198.51.100.1")).status).toBe(200);
  });

  it("is not who only asks whether it is ready", async () => {
    for (let ask = 0; ask <= failuresAMinute; ask += 1)
      expect((await call("", "203.0.113.77", "/readyz")).status).toBe(200);
  });
});

describe("the figures, and the names of the parts", () => {
  const open = async (path: string, token: string) => {
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch(new URL(path, instance.adminUrl), { headers });
    return { status: response.status, text: await response.text() };
  };

  it.each(staffRoles)("are an operator's and an owner's, not everybody's: %s", async (role) => {
    const isAllowed = role === "operator" || role === "owner";
    const token = tokens.get(role) ?? "";
    const figures = await open("/metrics", token);
    expect(figures.status).toBe(isAllowed ? 200 : 403);
    expect(figures.text.includes("hostledger_")).toBe(isAllowed);
    const names = await open("/readyz", token);
    expect(names.status).toBe(200);
    expect(names.text.includes("event-store")).toBe(isAllowed);
  });

  it("are refused after the token was revoked", async () => {
    const { members } = asRole("owner");
    const { token } = await members.addStaffMember({ name: "olga", role: "operator" });
    expect((await open("/metrics", token)).status).toBe(200);
    await members.revokeStaffMember({ name: "olga" });
    expect((await open("/metrics", token)).status).toBe(401);
    expect((await open("/readyz", token)).text).not.toContain("event-store");
  });
});

/** The rows of the generated document: service, method, and the roles that it says may call. */
function documented(): Map<string, ReadonlySet<string>> {
  const text = readFileSync(new URL("../../docs/reference/staff-roles.md", import.meta.url), "utf8");
  const rows = new Map<string, ReadonlySet<string>>();
  for (const section of text.split("\n## ").slice(1)) {
    const [service = "", , , , ...lines] = section.split("\n");
    for (const line of lines.filter((one) => one.startsWith("|"))) {
      const [, method = "", ...cells] = line.split("|").map((cell) => cell.trim());
      rows.set(`${service}/${method}`, new Set(staffRoles.filter((_, index) => cells[index] === "yes")));
    }
  }
  return rows;
}

describe("the table of roles", () => {
  const rows = documented();
  const methods = staffPermissions.flatMap(({ service }) => service.methods);

  it("has a row for every method, and no other", () => {
    expect([...rows.keys()].sort()).toEqual(
      methods.map((method) => `${method.parent.typeName}/${method.name}`).sort(),
    );
  });

  it.each(methods.map((method) => [`${method.parent.typeName}/${method.name}`, method] as const))(
    "matches the instance's behaviour: %s",
    async (name, method) => {
      for (const role of staffRoles) {
        const refused = await isRefused(method, tokens.get(role) ?? "");
        expect(refused, role).toBe(!rows.get(name)?.has(role));
      }
    },
  );
});

/** Returns true if an empty call of a method is refused because of the caller's role. */
async function isRefused(method: DescMethod, token: string): Promise<boolean> {
  const isStream = method.methodKind !== "unary";
  const response = await fetch(new URL(`/${method.parent.typeName}/${method.name}`, instance.adminUrl), {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": isStream ? "application/connect+json" : "application/json",
    },
    // A message of a stream has five octets before it: flags, and its length.
    body: isStream ? "\0\0\0\0\x02{}" : "{}",
  });
  const text = await response.text();
  expect(text).not.toContain("unauthenticated");
  return text.includes('"code":"permission_denied"');
}
