import { DatabaseSync } from "node:sqlite";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { ServerOrder } from "../compute/compute.port.ts";
import type { RegistrationOrder, TransferOrder } from "../registrar/registrar.port.ts";
import { notHeld, pending, SandboxFixture, soon, withoutRegistry } from "./open-sandbox.fixture.ts";
import type { Sandbox } from "./sandbox.ts";

let fixture: SandboxFixture;
let sandbox: Sandbox;
beforeEach(() => {
  fixture = new SandboxFixture();
  sandbox = fixture.open({ lateMs: 5_000 });
});
afterEach(() => {
  fixture.close();
});

function restartAfter(milliseconds: number): void {
  fixture.clock.epochMs += milliseconds;
  sandbox = fixture.open({ lateMs: 5_000 });
}

describe("a late registration", () => {
  const order: RegistrationOrder = {
    clientTransactionId: "order-1",
    name: "late.com",
    years: 2,
    nameservers: ["ns1.example", "ns2.example"],
  };

  it("is never answered, is not held when asked, and is carried out 5 s later, despite restarts", async () => {
    expect(await sandbox.registrar.check(order.name)).toMatchObject({ value: { available: true } });
    expect(await soon(sandbox.registrar.register(order))).toBe(pending);
    expect(await sandbox.registrar.inquire(order.name)).toEqual(notHeld);
    restartAfter(4_999);
    expect(await sandbox.registrar.inquire(order.name)).toEqual(notHeld);
    expect(sandbox.show().registrar).toEqual([]);
    restartAfter(1);
    expect(await sandbox.registrar.inquire(order.name)).toMatchObject({
      value: {
        held: true,
        domain: {
          name: order.name,
          clientTransactionId: order.clientTransactionId,
          nameservers: order.nameservers,
          registeredAt: "2026-11-21T01:30:05.000000Z",
          expiresAt: "2028-11-21T01:30:05.000000Z",
        },
      },
    });
    expect(sandbox.show().registrar).toMatchObject([{ name: order.name }]);
  });

  it("is not held at the first question, however late: its delay starts there", async () => {
    void sandbox.registrar.register(order);
    restartAfter(3_600_000);
    expect(sandbox.show().registrar).toEqual([]);
    expect(await sandbox.registrar.inquire(order.name)).toEqual(notHeld);
    restartAfter(4_999);
    expect(await sandbox.registrar.inquire(order.name)).toEqual(notHeld);
    restartAfter(1);
    expect(await sandbox.registrar.inquire(order.name)).toMatchObject({ value: { held: true } });
  });

  it("is carried out when it is due, once, even if it is asked for later", async () => {
    void sandbox.registrar.register(order);
    expect(await sandbox.registrar.inquire(order.name)).toEqual(notHeld);
    fixture.clock.epochMs += 3_600_000;
    expect(sandbox.show().registrar).toMatchObject([{ registeredAt: "2026-11-21T01:30:05.000000Z" }]);
    await sandbox.registrar.cancel(order.name);
    restartAfter(3_600_000);
    expect(sandbox.show().registrar).toEqual([]);
  });

  it("cannot be prevented by a cancellation that comes too early, and can be cancelled afterwards", async () => {
    void sandbox.registrar.register(order);
    expect(await sandbox.registrar.inquire(order.name)).toEqual(notHeld);
    expect(await sandbox.registrar.cancel(order.name)).toMatchObject({ outcome: "done" });
    fixture.clock.epochMs += 5_000;
    expect(await sandbox.registrar.inquire(order.name)).toMatchObject({ value: { held: true } });
    expect(await sandbox.registrar.cancel(order.name)).toMatchObject({ outcome: "done" });
    expect(await sandbox.registrar.inquire(order.name)).toEqual(notHeld);
  });

  it("is neither delayed nor duplicated by a repeat; of two orders the first gets the name", async () => {
    void sandbox.registrar.register(order);
    expect(await sandbox.registrar.inquire(order.name)).toEqual(notHeld);
    fixture.clock.epochMs += 4_000;
    void sandbox.registrar.register(order);
    void sandbox.registrar.register({ ...order, clientTransactionId: "order-2" });
    expect(await sandbox.registrar.inquire(order.name)).toEqual(notHeld);
    fixture.clock.epochMs += 1_000;
    expect(sandbox.show().registrar).toMatchObject([{ clientTransactionId: "order-1" }]);
    fixture.clock.epochMs += 10_000;
    expect(sandbox.show().registrar).toMatchObject([{ clientTransactionId: "order-1" }]);
  });
});

it("a late renewal: the date stays, and advances 5 s later", async () => {
  const name = "late.com";
  void sandbox.registrar.register({ clientTransactionId: "order", name, years: 1, nameservers: [] });
  expect(await sandbox.registrar.inquire(name)).toEqual(notHeld);
  fixture.clock.epochMs += 5_000;
  const currentExpiresAt = "2027-11-21T01:30:05.000000Z";
  expect(sandbox.show().registrar).toMatchObject([{ expiresAt: currentExpiresAt }]);
  const renewal = { clientTransactionId: "renewal", name, currentExpiresAt, years: 3 };
  expect(await soon(sandbox.registrar.renew(renewal))).toBe(pending);
  expect(await sandbox.registrar.inquire(name)).toMatchObject({
    value: { domain: { expiresAt: currentExpiresAt } },
  });
  restartAfter(4_999);
  expect(await sandbox.registrar.inquire(name)).toMatchObject({
    value: { domain: { expiresAt: currentExpiresAt } },
  });
  restartAfter(1);
  expect(await sandbox.registrar.inquire(name)).toMatchObject({
    value: { domain: { expiresAt: "2030-11-21T01:30:05.000000Z" } },
  });
});

describe("a late server", () => {
  const orderFor = (title: string, region: string, name = "server-1"): ServerOrder => ({
    name,
    plan: { title, cores: 2, memoryGb: 4, storageGb: 40 },
    region,
    distro: "Debian 13",
    sshKey: null,
    firewall: { enabled: true, rules: [] },
  });

  it.each([
    ["the plan's title", orderFor("Small late", "fra")],
    ["the region's code", orderFor("Small", "fra-late")],
  ])("by %s: runs 5 s later, restarts or not", async (_place, order) => {
    expect(await soon(sandbox.compute.provision(order))).toBe(pending);
    expect(await sandbox.compute.inquire(order.name)).toEqual(notHeld);
    restartAfter(4_999);
    expect(await sandbox.compute.inquire(order.name)).toEqual(notHeld);
    expect(await sandbox.compute.destroy(order.name)).toMatchObject({ outcome: "done" });
    restartAfter(1);
    expect(await sandbox.compute.inquire(order.name)).toMatchObject({
      value: { held: true, server: { running: true, provisionedAt: "2026-11-21T01:30:05.000000Z" } },
    });
    expect(sandbox.show().compute).toMatchObject([{ name: order.name }]);
    expect(await sandbox.compute.destroy(order.name)).toMatchObject({ outcome: "done" });
    expect(sandbox.show().compute).toEqual([]);
  });

  it("gets its address when it is carried out", async () => {
    void sandbox.compute.provision(orderFor("Small late", "fra"));
    expect(await sandbox.compute.inquire("server-1")).toEqual(notHeld);
    await sandbox.compute.provision(orderFor("Small", "fra", "server-2"));
    fixture.clock.epochMs += 5_000;
    const addresses = sandbox.show().compute.map(({ name, ipAddress }) => [name, ipAddress]);
    expect(addresses).toEqual([
      ["server-1", "192.0.2.2"],
      ["server-2", "192.0.2.1"],
    ]);
  });
});

describe("names held elsewhere", () => {
  const orderFor = (name: string): TransferOrder => ({
    clientTransactionId: `transfer-${name}`,
    name,
    authCode: "let-me-go",
  });
  const stateOf = async (name: string): Promise<unknown> => {
    const answer = await sandbox.registrar.inquireTransfer(name);
    return answer.outcome === "done" ? answer.value.state : answer;
  };

  it.each([
    ["elsewhere.com", 1_000, "done"],
    ["elsewhere-refused.com", 1_000, "refused"],
    ["elsewhere-slow.com", 30_000, "done"],
  ])("%s: answered after %i ms, restarts or not: %s", async (name, milliseconds, state) => {
    expect(await sandbox.registrar.transferIn(orderFor(name))).toEqual({ outcome: "pending" });
    restartAfter(milliseconds - 1);
    expect(await stateOf(name)).toBe("pending");
    restartAfter(1);
    expect(await stateOf(name)).toBe(state);
    expect(sandbox.show().registrar).toHaveLength(state === "done" ? 1 : 0);
  });

  it("are transferred with the rest of their term and one year more", async () => {
    await sandbox.registrar.transferIn(orderFor("elsewhere.com"));
    restartAfter(60_000);
    expect(sandbox.show().registrar).toMatchObject([
      {
        registeredAt: "2025-08-13T01:30:01.000000Z",
        expiresAt: "2028-08-13T01:30:01.000000Z",
        nameservers: ["ns1.elsewhere.example", "ns2.elsewhere.example"],
      },
    ]);
  });

  it("can be cancelled after they came, and be ordered again", async () => {
    await sandbox.registrar.transferIn(orderFor("elsewhere.com"));
    fixture.clock.epochMs += 1_000;
    await sandbox.registrar.cancel("elsewhere.com");
    expect(await stateOf("elsewhere.com")).toBe("none");
    expect(await sandbox.registrar.transferIn(orderFor("elsewhere.com"))).toEqual({ outcome: "pending" });
  });

  it.each([
    ["taken.com", { outcome: "refused", reason: "rejected" }],
    ["elsewhere-offline.com", { outcome: "refused", reason: "unreachable" }],
    ["elsewhere-timeout.com", pending],
    ["elsewhere-lost.com", pending],
    ["elsewhere-late.com", pending],
  ])("%s: the order fares as any order", async (name, answer) => {
    const ordered = await soon(sandbox.registrar.transferIn(orderFor(name)));
    expect(ordered).toEqual(typeof answer === "string" ? answer : expect.objectContaining(answer));
    expect(await stateOf(name)).toBe(name === "elsewhere-lost.com" ? "pending" : "none");
    fixture.clock.epochMs += 5_000;
    expect(await stateOf(name)).toBe(
      { "elsewhere-lost.com": "done", "elsewhere-late.com": "pending" }[name] ?? "none",
    );
  });
});

it("an older sandbox's file gets the missing columns", async () => {
  await sandbox.registrar.register({
    clientTransactionId: "order-1",
    name: "old.com",
    years: 1,
    nameservers: [],
  });
  sandbox.close();
  const database = new DatabaseSync(fixture.path);
  database.exec(`${withoutRegistry} DROP TABLE late_order; DROP TABLE transfer; PRAGMA user_version = 2`);
  database.close();
  sandbox = fixture.open();
  expect(sandbox.show().registrar).toMatchObject([{ name: "old.com" }]);
});
