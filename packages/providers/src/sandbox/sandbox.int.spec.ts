import { DatabaseSync } from "node:sqlite";
import { writeFileSync } from "node:fs";
import { yieldToOthers } from "@hostledger/runtime/async";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import type { RegistrationOrder } from "../registrar/registrar.port.ts";
import {
  held,
  notHeld,
  pending,
  rejected,
  SandboxFixture,
  soon,
  unreachable,
} from "./open-sandbox.fixture.ts";
import { openSandbox, type Sandbox } from "./sandbox.ts";

const nameservers = ["ns1.hostledger.example", "ns2.hostledger.example"];

let fixture: SandboxFixture;
let sandbox: Sandbox;
beforeEach(() => {
  fixture = new SandboxFixture();
  sandbox = fixture.open();
});
afterEach(() => {
  fixture.close();
});

const orderFor = (name: string, more: Partial<RegistrationOrder> = {}): RegistrationOrder => ({
  clientTransactionId: `order-${name}`,
  name,
  years: 1,
  nameservers,
  ...more,
});
const available = async (name: string): Promise<unknown> => {
  const answer = await sandbox.registrar.check(name);
  return answer.outcome === "done" ? answer.value.available : answer;
};
const namesHeld = (): string[] => sandbox.show().registrar.map(({ name }) => name);

describe("registration", () => {
  it("is for calendar years; 29 February becomes 28 February", async () => {
    fixture.clock.epochMs = Date.UTC(2024, 1, 29, 12);
    const answers = await Promise.all(
      [1, 4].map((years) => sandbox.registrar.register(orderFor(`leap${String(years)}.com`, { years }))),
    );
    expect(answers).toMatchObject([
      { value: { registeredAt: "2024-02-29T12:00:00.000000Z", expiresAt: "2025-02-28T12:00:00.000000Z" } },
      { value: { expiresAt: "2028-02-29T12:00:00.000000Z" } },
    ]);
  });
});

describe("a renewal", () => {
  const renew = async (name: string, years = 1) => {
    const inquiry = await sandbox.registrar.inquire(name);
    const currentExpiresAt =
      inquiry.outcome === "done" && inquiry.value.held ? inquiry.value.domain.expiresAt : "";
    return soon(
      sandbox.registrar.renew({ clientTransactionId: `renew-${name}`, name, currentExpiresAt, years }),
    );
  };
  const expiryOf = (name: string): string | undefined =>
    sandbox.show().registrar.find((domain) => domain.name === name)?.expiresAt;

  it("is an order: its answer can be lost", async () => {
    void sandbox.registrar.register(orderFor("lost.com"));
    const before = Number(expiryOf("lost.com")?.slice(0, 4));
    expect(await renew("lost.com")).toBe(pending);
    expect(Number(expiryOf("lost.com")?.slice(0, 4))).toBe(before + 1);
  });

  it("is in limbo for a while", async () => {
    expect(await soon(sandbox.registrar.register(orderFor("limbo.com")))).toBe(pending);
    fixture.clock.epochMs += 60_000;
    const before = expiryOf("limbo.com");
    expect(await renew("limbo.com")).toBe(pending);
    expect(await sandbox.registrar.inquire("limbo.com")).toMatchObject({ outcome: "unknown" });
    fixture.clock.epochMs += 60_000;
    expect(Number(expiryOf("limbo.com")?.slice(0, 4))).toBe(Number(before?.slice(0, 4)) + 1);
  });

  it("leads to ten years ahead at most, and compares days", async () => {
    await sandbox.registrar.register(orderFor("old.com", { years: 2 }));
    expect(await renew("old.com", 9)).toMatchObject(rejected);
    const day = expiryOf("old.com")?.slice(0, 10) ?? "";
    const order = { clientTransactionId: "r", name: "old.com", years: 8 };
    const noon = `${day}T12:34:56.000000Z`;
    expect(await sandbox.registrar.renew({ ...order, currentExpiresAt: noon })).toMatchObject({
      outcome: "done",
    });
  });

  it("outlasts the process, and leaves unrenewed names unchanged", async () => {
    await sandbox.registrar.register(orderFor("kept.com"));
    await renew("kept.com");
    const expiresAt = expiryOf("kept.com");
    sandbox = fixture.open();
    fixture.clock.epochMs += 40 * 365 * 86_400_000;
    expect(expiryOf("kept.com")).toBe(expiresAt);
  });
});

describe("the table of labels", () => {
  it("taken: not available, and an order for it is rejected", async () => {
    expect(await available("is-taken.com")).toBe(false);
    expect(await sandbox.registrar.register(orderFor("is-taken.com"))).toMatchObject(rejected);
    expect(namesHeld()).toEqual([]);
  });

  it.each([
    ["refused", rejected],
    ["offline", unreachable],
  ])("%s: available, the order is refused and nothing is registered", async (label, answer) => {
    const name = `very-${label}-name.com`;
    expect(await available(name)).toBe(true);
    expect(await sandbox.registrar.register(orderFor(name))).toMatchObject(answer);
    expect(await sandbox.registrar.inquire(name)).toEqual(notHeld);
  });

  it("timeout: the order never answers and is not carried out", async () => {
    expect(await available("timeout.com")).toBe(true);
    expect(await soon(sandbox.registrar.register(orderFor("timeout.com")))).toBe(pending);
    expect(await sandbox.registrar.inquire("timeout.com")).toEqual(notHeld);
    sandbox = fixture.open();
    expect(await sandbox.registrar.inquire("timeout.com")).toEqual(notHeld);
  });

  it("lost: the order never answers, asking finds it", async () => {
    expect(await soon(sandbox.registrar.register(orderFor("lost.com")))).toBe(pending);
    expect(await sandbox.registrar.inquire("lost.com")).toMatchObject(held);
    sandbox = fixture.open();
    expect(await sandbox.registrar.inquire("lost.com")).toMatchObject(held);
  });

  it("nozone: the zone is refused three times, also across a restart", async () => {
    const zone = { name: "nozone.com", records: [] };
    expect(await sandbox.dns.createZone(zone)).toMatchObject(rejected);
    expect(await sandbox.dns.createZone(zone)).toMatchObject(rejected);
    sandbox = fixture.open();
    expect(await sandbox.dns.createZone(zone)).toMatchObject(rejected);
    expect(await sandbox.dns.inquireZone(zone.name)).toEqual(notHeld);
    expect(await sandbox.dns.createZone({ name: "other-nozone.com", records: [] })).toMatchObject(rejected);
    expect(await sandbox.dns.createZone(zone)).toMatchObject({ outcome: "done" });
    expect(await sandbox.dns.createZone(zone)).toMatchObject({ outcome: "done" });
    // Only the creation is refused; later changes succeed.
    expect(await sandbox.dns.replaceRecordSets(zone.name, [])).toMatchObject({ outcome: "done" });
  });

  it("badns: registered as ordered, other nameservers are refused", async () => {
    await sandbox.registrar.register(orderFor("badns.com"));
    expect(await sandbox.registrar.updateNameservers("badns.com", ["a.example", "b.example"])).toMatchObject(
      rejected,
    );
    expect(await sandbox.registrar.inquire("badns.com")).toMatchObject({
      value: { domain: { nameservers } },
    });
  });

  it("combines labels, at any place in the name", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const creating = sandbox.dns.createZone({ name: "my-slow-nozone.com", records: [] });
      await vi.advanceTimersByTimeAsync(2_999);
      expect(await soon(creating)).toBe(pending);
      await vi.advanceTimersByTimeAsync(1);
      expect(await creating).toMatchObject(rejected);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe("limbo", () => {
  const name = "limbo.com";
  const order = orderFor(name);
  beforeEach(async () => {
    expect(await available(name)).toBe(true);
    expect(await soon(sandbox.registrar.register(order))).toBe(pending);
  });

  it("answers no question about the name until the time is up, then it was carried out when it was ordered", async () => {
    fixture.clock.epochMs += 59_999;
    expect(await sandbox.registrar.inquire(name)).toMatchObject({ outcome: "unknown" });
    expect(await available(name)).toBe(false);
    expect(namesHeld()).toEqual([]);
    fixture.clock.epochMs += 1;
    expect(await sandbox.registrar.inquire(name)).toMatchObject({
      value: {
        held: true,
        domain: { name, registeredAt: "2026-11-21T01:30:00.000000Z" },
      },
    });
    expect(namesHeld()).toEqual([name]);
  });

  it("does not change with a restart of the core", async () => {
    sandbox = fixture.open();
    expect(await sandbox.registrar.inquire(name)).toMatchObject({ outcome: "unknown" });
    fixture.clock.epochMs += 60_000;
    sandbox = fixture.open();
    expect(await sandbox.registrar.inquire(name)).toMatchObject(held);
  });

  it("cannot be cancelled or changed before it is settled, and can be after", async () => {
    expect(await sandbox.registrar.cancel(name)).toMatchObject({ outcome: "unknown" });
    for (const asking of [
      sandbox.registrar.updateNameservers(name, nameservers),
      sandbox.registrar.updateSettings(name, { transferLock: false }),
      sandbox.registrar.authCode(name),
    ])
      expect(await asking).toMatchObject({ outcome: "unknown" });
    fixture.clock.epochMs += 60_000;
    expect(await sandbox.registrar.cancel(name)).toMatchObject({ outcome: "done" });
    expect(await sandbox.registrar.inquire(name)).toEqual(notHeld);
    expect(namesHeld()).toEqual([]);
  });

  it("is not made longer by a repeated order, nor does another order get through", async () => {
    fixture.clock.epochMs += 30_000;
    expect(await soon(sandbox.registrar.register(order))).toBe(pending);
    expect(await soon(sandbox.registrar.register({ ...order, clientTransactionId: "another" }))).toBe(
      pending,
    );
    fixture.clock.epochMs += 30_000;
    expect(await sandbox.registrar.inquire(name)).toMatchObject({
      value: { domain: { clientTransactionId: order.clientTransactionId } },
    });
  });
});

describe("the line", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("has the latency at every call; the effect happens in the middle", async () => {
    sandbox = fixture.open({ latencyMs: 100, random: () => 0.25 });
    const ordering = sandbox.registrar.register(orderFor("far.com"));
    await vi.advanceTimersByTimeAsync(24);
    expect(namesHeld()).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(namesHeld()).toEqual(["far.com"]);
    await vi.advanceTimersByTimeAsync(74);
    expect(await soon(ordering)).toBe(pending);
    await vi.advanceTimersByTimeAsync(1);
    expect(await ordering).toMatchObject({ outcome: "done" });
  });

  it("rejects waiting callers if the provider itself fails", async () => {
    sandbox = fixture.open({ latencyMs: 100, random: () => 0.25 });
    const asking = [
      sandbox.dns.createZone({ name: "far.com", records: [] }),
      sandbox.dns.inquireZone("far.com"),
    ];
    const answers = Promise.allSettled(asking);
    using other = new DatabaseSync(fixture.path);
    other.exec("DROP TABLE zone");
    await vi.advanceTimersByTimeAsync(50);
    await yieldToOthers();
    await vi.advanceTimersByTimeAsync(50);
    const failed = { status: "rejected", reason: { message: "no such table: zone" } };
    expect(await answers).toMatchObject([failed, failed]);
  });

  it("settles every call when it is closed", async () => {
    sandbox = fixture.open({ latencyMs: 100, random: () => 0.5 });
    const arrived = sandbox.registrar.register(orderFor("arrived.com"));
    const silent = sandbox.registrar.register(orderFor("lost.com"));
    await vi.advanceTimersByTimeAsync(60);
    const underWay = sandbox.registrar.register(orderFor("under-way.com"));
    sandbox.close();
    expect(await Promise.all([arrived, silent, underWay])).toMatchObject([
      { outcome: "done" },
      { outcome: "unknown" },
      unreachable,
    ]);
    sandbox = fixture.open();
    expect(namesHeld()).toEqual(["arrived.com", "lost.com"]);
    sandbox.close();
    expect(await sandbox.registrar.check("late.com")).toMatchObject(unreachable);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("the sandbox's file", () => {
  it("stores everything, and lists it by name after it is opened again", async () => {
    const zone = {
      name: "b.com",
      records: [{ type: "A", name: "@", value: "192.0.2.10", ttlSeconds: 3_600 }],
    };
    await sandbox.dns.createZone(zone);
    for (const name of ["b.com", "a.com", "gone.com"]) await sandbox.registrar.register(orderFor(name));
    await sandbox.registrar.updateNameservers("b.com", ["x.example", "y.example"]);
    await sandbox.registrar.updateSettings("b.com", { whoisPrivacy: false, transferLock: false });
    await sandbox.dns.replaceRecordSets("b.com", [
      { type: "MX", name: "@", ttlSeconds: 600, records: [{ value: "mail.b.com", priority: 10 }] },
    ]);
    const authCode = await sandbox.registrar.authCode("b.com");
    await sandbox.registrar.cancel("gone.com");
    const before = sandbox.show();
    sandbox = fixture.open();
    expect(sandbox.show()).toEqual(before);
    expect(await sandbox.registrar.authCode("b.com")).toEqual(authCode);
    const changed = { name: "b.com", nameservers: ["x.example", "y.example"], whoisPrivacy: false };
    const mail = { type: "MX", name: "@", value: "mail.b.com", ttlSeconds: 600, priority: 10 };
    expect(before).toMatchObject({
      registrar: [{ name: "a.com", nameservers, whoisPrivacy: true, transferLock: true }, changed],
      dns: [{ name: "b.com", records: [...zone.records, mail] }],
    });
  });

  it("is refused if it is another file", () => {
    const { clock, path } = fixture;
    const open = (suffix: string): Sandbox =>
      openSandbox({ path: path + suffix, clock, latencyMs: 0, limboMs: 0 });
    writeFileSync(`${path}.text`, "x".repeat(5_000));
    expect(() => open(".text")).toThrow(/not a database/);
    const database = new DatabaseSync(`${path}.newer`);
    database.exec("PRAGMA user_version = 99");
    database.close();
    expect(() => open(".newer")).toThrow(/another version of the sandbox \(99\)/);
  });
});

describe("the register of VAT ids", () => {
  const ask = (name: string) =>
    soon(sandbox.vatIds.check("NL004495445B01", { name, askedBy: "DE123456788" }));

  it.each([
    [
      "Customer BV",
      { outcome: "done", value: { isValid: true, consultationNumber: "SANDBOXNL004495445B01" } },
    ],
    ["Refused BV", { outcome: "done", value: { isValid: false } }],
    ["Taken BV", { outcome: "done", value: { isValid: false } }],
    ["Offline BV", unreachable],
  ])("answers about %s", async (name, answer) => {
    expect(await ask(name)).toMatchObject(answer);
  });

  it.each(["Timeout BV", "Lost BV", "Limbo BV", "Late BV", "Slow BV"])(
    "returns no answer about %s at once",
    async (name) => {
      expect(await ask(name)).toBe(pending);
    },
  );
});
