import { DatabaseSync } from "node:sqlite";

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import type { ServerOrder } from "../compute/compute.port.ts";
import type { Outcome } from "../outcome.ts";
import {
  held,
  notHeld,
  pending,
  rejected,
  SandboxFixture,
  soon,
  unreachable,
  withoutRegistry,
} from "./open-sandbox.fixture.ts";
import type { Sandbox } from "./sandbox.ts";

const key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIrefusedlosttimeout";

let fixture: SandboxFixture;
let sandbox: Sandbox;
beforeEach(() => {
  fixture = new SandboxFixture();
  sandbox = fixture.open();
});
afterEach(() => {
  fixture.close();
});

/** Returns an order with a label in the plan's title, the region's code or the key's comment. */
const orderWith = (
  label: string,
  { at = "title", name = "server-1" }: { at?: string; name?: string } = {},
): ServerOrder => ({
  name,
  plan: { title: at === "title" ? `Small ${label}` : "Small", cores: 2, memoryGb: 4, storageGb: 40 },
  region: at === "region" ? `fra-${label}` : "fra",
  distro: "Debian 13",
  sshKey: at === "comment" ? `${key} me@${label}-host` : key,
  firewall: { enabled: true, rules: [] },
});
const namesHeld = (): string[] => sandbox.show().compute.map(({ name }) => name);

describe("labels of an order", () => {
  const places = ["title", "region", "comment"];

  it.each(places)("are looked for in the %s", async (at) => {
    expect(await sandbox.compute.provision(orderWith("refused", { at }))).toMatchObject(rejected);
    expect(await sandbox.compute.inquire("server-1")).toEqual(notHeld);
  });

  it("count in capitals too, and not inside a public key", async () => {
    expect(await sandbox.compute.provision(orderWith("Refused"))).toMatchObject(rejected);
    expect(await sandbox.compute.provision(orderWith("plain"))).toMatchObject({ outcome: "done" });
  });

  it("offline: nothing is sent", async () => {
    expect(await sandbox.compute.provision(orderWith("offline"))).toMatchObject(unreachable);
    expect(namesHeld()).toEqual([]);
  });

  it("timeout: the order never answers and is not carried out", async () => {
    expect(await soon(sandbox.compute.provision(orderWith("timeout")))).toBe(pending);
    expect(await sandbox.compute.inquire("server-1")).toEqual(notHeld);
    sandbox = fixture.open();
    expect(await sandbox.compute.inquire("server-1")).toEqual(notHeld);
  });

  it("lost: the order never answers, asking finds the server", async () => {
    expect(await soon(sandbox.compute.provision(orderWith("lost")))).toBe(pending);
    expect(await sandbox.compute.inquire("server-1")).toMatchObject(held);
    sandbox = fixture.open();
    expect(await sandbox.compute.inquire("server-1")).toMatchObject(held);
  });

  it("slow: every call takes 3 s", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const calls: readonly (() => Promise<Outcome<unknown>>)[] = [
        () => sandbox.compute.provision(orderWith("slow")),
        () => sandbox.compute.suspend("server-1"),
        () => sandbox.compute.readFirewall("server-1"),
      ];
      for (const call of calls) {
        const answer = call();
        await vi.advanceTimersByTimeAsync(2_999);
        expect(await soon(answer)).toBe(pending);
        await vi.advanceTimersByTimeAsync(1);
        expect(await answer).toMatchObject({ outcome: "done" });
      }
    } finally {
      vi.useRealTimers();
    }
  });
});

describe("limbo", () => {
  const order = orderWith("limbo");
  const { name } = order;
  beforeEach(async () => {
    expect(await soon(sandbox.compute.provision(order))).toBe(pending);
  });

  it("answers no question until the time is over, also across a restart; then the server exists", async () => {
    fixture.clock.epochMs += 59_999;
    sandbox = fixture.open();
    expect(await sandbox.compute.inquire(name)).toMatchObject({ outcome: "unknown" });
    expect(namesHeld()).toEqual([]);
    fixture.clock.epochMs += 1;
    expect(await sandbox.compute.inquire(name)).toMatchObject({
      value: { held: true, server: { name, provisionedAt: "2026-11-21T01:30:00.000000Z" } },
    });
    expect(namesHeld()).toEqual([name]);
  });

  it("cannot be destroyed, suspended or protected before it is settled, and can be after", async () => {
    const calls: readonly (() => Promise<Outcome<unknown>>)[] = [
      () => sandbox.compute.suspend(name),
      () => sandbox.compute.resume(name),
      () => sandbox.compute.replaceFirewall(name, { enabled: false, rules: [] }),
      () => sandbox.compute.readFirewall(name),
      () => sandbox.compute.destroy(name),
    ];
    for (const call of calls) expect(await call()).toMatchObject({ outcome: "unknown" });
    fixture.clock.epochMs += 60_000;
    for (const call of calls) expect(await call()).toMatchObject({ outcome: "done" });
    expect(namesHeld()).toEqual([]);
  });

  it("is not made longer by a repeated order", async () => {
    fixture.clock.epochMs += 30_000;
    expect(await soon(sandbox.compute.provision(order))).toBe(pending);
    fixture.clock.epochMs += 30_000;
    expect(await sandbox.compute.inquire(name)).toMatchObject(held);
  });
});

describe("addresses", () => {
  it("are given in order, and freed ones again, the lowest first", async () => {
    const addressFor = async (number: number): Promise<unknown> => {
      const answer = await sandbox.compute.provision(orderWith("", { name: `server-${String(number)}` }));
      return answer.outcome === "done" ? answer.value.ipAddress : answer;
    };
    expect(await addressFor(1)).toBe("192.0.2.1");
    expect(await addressFor(2)).toBe("192.0.2.2");
    expect(await addressFor(3)).toBe("192.0.2.3");
    await sandbox.compute.destroy("server-3");
    await sandbox.compute.destroy("server-1");
    sandbox = fixture.open();
    expect(await addressFor(4)).toBe("192.0.2.1");
    expect(await addressFor(5)).toBe("192.0.2.3");
    expect(await addressFor(6)).toBe("192.0.2.4");
    for (const number of [2, 4, 5, 6]) await sandbox.compute.destroy(`server-${String(number)}`);
    expect(await addressFor(7)).toBe("192.0.2.1");
  });
});

describe("the sandbox's file", () => {
  it("stores servers, and lists them by name after it is opened again", async () => {
    const firewall = { enabled: false, rules: [] };
    for (const name of ["server-2", "server-1"]) await sandbox.compute.provision(orderWith("", { name }));
    await sandbox.compute.replaceFirewall("server-2", firewall);
    await sandbox.compute.suspend("server-1");
    const before = sandbox.show();
    sandbox = fixture.open();
    expect(sandbox.show()).toEqual(before);
    expect(before.compute).toMatchObject([
      { name: "server-1", running: false, node: "fra-node-1", firewall: { enabled: true } },
      { name: "server-2", running: true, firewall },
    ]);
  });

  it("gets servers if an older version of the sandbox had none", async () => {
    await sandbox.registrar.register({
      clientTransactionId: "order-1",
      name: "old.com",
      years: 1,
      nameservers: [],
    });
    sandbox.close();
    const database = new DatabaseSync(fixture.path);
    database.exec(
      `${withoutRegistry} DROP TABLE server; DROP TABLE free_place; DROP TABLE late_order; DROP TABLE transfer; PRAGMA user_version = 1`,
    );
    database.close();
    sandbox = fixture.open();
    expect(await sandbox.compute.provision(orderWith(""))).toMatchObject({ outcome: "done" });
    expect(sandbox.show().registrar).toMatchObject([{ name: "old.com" }]);
  });

  it("settles calls after it is closed", async () => {
    sandbox.close();
    expect(await sandbox.compute.inquire("server-1")).toMatchObject(unreachable);
    expect(await sandbox.compute.destroy("server-1")).toMatchObject(unreachable);
  });
});
