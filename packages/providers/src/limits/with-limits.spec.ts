import { CircuitBreaker, onBehalfOf, yieldToOthers } from "@hostledger/runtime/async";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import type { Compute } from "../compute/compute.port.ts";
import type { Dns } from "../dns/dns.port.ts";
import { done, refused, type Outcome } from "../outcome.ts";
import type { Registrar } from "../registrar/registrar.port.ts";
import { withLimits } from "./with-limits.ts";

type Check = Outcome<{ readonly available: boolean }>;
const yes: Check = done({ available: true });
const unreachable = { outcome: "refused", reason: "unreachable" };
const silence = () => new Promise<never>(() => undefined);
const limits = { timeLimitMs: 1_000, concurrency: 2, queue: 3 };

/** A registrar that implements only `check`. */
function registrarThat(check: (name: string) => Promise<Check>): Registrar {
  const never = () => Promise.reject(new Error("not asked in this test"));
  return {
    name: "test",
    years: { least: 1, most: 10 },
    needsRegistrant: (name) => name.endsWith(".de"),
    check,
    register: never,
    renew: never,
    restore: never,
    inquire: never,
    updateNameservers: never,
    updateSettings: never,
    authCode: never,
    cancel: never,
    transferIn: never,
    inquireTransfer: never,
    cancelTransfer: never,
  };
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe("withLimits", () => {
  it("passes an answer on, and a refusal too", async () => {
    const no = refused("rejected", "no");
    expect(
      await withLimits(
        registrarThat(() => Promise.resolve(yes)),
        limits,
      ).check("a.com"),
    ).toBe(yes);
    expect(
      await withLimits(
        registrarThat(() => Promise.resolve(no)),
        limits,
      ).check("a.com"),
    ).toBe(no);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("returns who must be named in an order while the registrar is silent and no calls are allowed", () => {
    const registrar = withLimits(
      registrarThat(() => new Promise(() => undefined)),
      { ...limits, concurrency: 1, queue: 0 },
    );
    void registrar.check("a.com");
    expect(["a.de", "a.com"].map((name) => registrar.needsRegistrant(name))).toEqual([true, false]);
  });

  it('reports "unknown" without an answer in time', async () => {
    const registrar = withLimits(
      registrarThat(() => new Promise(() => undefined)),
      limits,
    );
    const asking = registrar.check("a.com");
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await asking).toEqual({ outcome: "unknown", message: "No answer came within 1000 ms." });
  });

  it('reports "unknown" if the call throws, at once or later, because it may have succeeded', async () => {
    const later = withLimits(
      registrarThat(() => Promise.reject(new Error("ECONNRESET"))),
      limits,
    );
    expect(await later.check("a.com")).toEqual({
      outcome: "unknown",
      message: "The call failed: ECONNRESET",
    });
    const now = withLimits(
      registrarThat(() => {
        throw new Error("a bug");
      }),
      limits,
    );
    expect(await now.check("a.com")).toMatchObject({ outcome: "unknown" });
  });

  it("limits parallel and waiting calls, and refuses the others without a call", async () => {
    const waiting: ((answer: Check) => void)[] = [];
    const registrar = withLimits(
      registrarThat(() => new Promise((resolve) => waiting.push(resolve))),
      limits,
    );
    const asking = Array.from({ length: 8 }, () => registrar.check("a.com"));
    expect(await Promise.all(asking.slice(5))).toMatchObject(Array(3).fill(unreachable));
    expect(waiting).toHaveLength(2);
    for (let answered = 0; answered < 5; answered += 1) {
      await vi.waitUntil(() => waiting.length > 0);
      waiting.shift()?.(yes);
      await yieldToOthers();
    }
    expect(await Promise.all(asking.slice(0, 5))).toEqual(Array(5).fill(yes));
  });

  it("reserves an eighth of the calls for other accounts, however many one account makes", async () => {
    const asked: string[] = [];
    const registrar = withLimits(
      registrarThat((name) => {
        asked.push(name);
        return silence();
      }),
      { ...limits, concurrency: 8, queue: 100 },
    );
    const check = (account: string, name: string) => onBehalfOf(account, () => registrar.check(name));
    for (let order = 0; order < 20; order += 1) void check("account:7", "slow.com");
    void check("account:8", "quick.com");
    await yieldToOthers();
    expect(asked).toEqual([...Array<string>(7).fill("slow.com"), "quick.com"]);
  });

  it("reports every call with its kind, outcome and duration", async () => {
    const settled: object[] = [];
    const onSettled = (call: object) => settled.push(call);
    const registrar = withLimits(
      registrarThat((name) => {
        if (name === "silent.com") return new Promise(() => undefined);
        return Promise.resolve(name === "no.com" ? refused("rejected", "no") : yes);
      }),
      { ...limits, onSettled },
    );
    await registrar.check("a.com");
    await registrar.check("no.com");
    const asking = registrar.check("silent.com");
    await vi.advanceTimersByTimeAsync(1_000);
    await asking;
    expect(settled).toEqual([
      { call: "check", outcome: "done", seconds: 0 },
      { call: "check", outcome: "refused", reason: "rejected", seconds: 0 },
      { call: "check", outcome: "unknown", seconds: 1 },
    ]);
  });

  it("settles within twice the time limit even behind a party that never answers", async () => {
    let calls = 0;
    const silent = registrarThat(() => {
      calls += 1;
      return new Promise(() => undefined);
    });
    const registrar = withLimits(silent, { timeLimitMs: 1_000, concurrency: 1, queue: 100 });
    const asking = Array.from({ length: 50 }, () => registrar.check("a.com"));
    await vi.advanceTimersByTimeAsync(2_001);
    const outcomes = (await Promise.all(asking)).map(({ outcome }) => outcome);
    expect(outcomes.filter((outcome) => outcome === "unknown")).toHaveLength(calls);
    expect(calls).toBeLessThanOrEqual(2);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("limits each party's calls by themselves", async () => {
    const silent = withLimits(
      registrarThat(() => new Promise(() => undefined)),
      { ...limits, concurrency: 1, queue: 0 },
    );
    const other = withLimits(
      registrarThat(() => Promise.resolve(yes)),
      { ...limits, concurrency: 1, queue: 0 },
    );
    void silent.check("a.com");
    expect(await silent.check("b.com")).toMatchObject(unreachable);
    expect(await other.check("b.com")).toBe(yes);
  });

  it("limits a DNS server in the same way", async () => {
    const dns: Dns = {
      createZone: silence,
      replaceRecordSets: silence,
      inquireZone: silence,
      deleteZone: () => Promise.resolve(done(undefined)),
    };
    const limited = withLimits(dns, { ...limits, concurrency: 3 });
    const asking = [
      limited.createZone({ name: "a.com", records: [] }),
      limited.replaceRecordSets("a.com", []),
      limited.inquireZone("a.com"),
    ];
    await vi.advanceTimersByTimeAsync(1_000);
    expect((await Promise.all(asking)).map(({ outcome }) => outcome)).toEqual(Array(3).fill("unknown"));
    expect(await limited.deleteZone("a.com")).toEqual(done(undefined));
  });

  it("limits every call of a compute provider in the same way", async () => {
    const compute: Compute = {
      provision: silence,
      inquire: silence,
      destroy: silence,
      suspend: silence,
      resume: silence,
      replaceFirewall: silence,
      readFirewall: silence,
    };
    const limited = withLimits(compute, { ...limits, concurrency: 7 });
    const plan = { title: "Small", cores: 1, memoryGb: 1, storageGb: 1 };
    const firewall = { enabled: true, rules: [] };
    const order = { name: "server-1", plan, region: "fra", distro: "Debian 13", sshKey: null, firewall };
    const asking = [
      limited.provision(order),
      limited.inquire("server-1"),
      limited.destroy("server-1"),
      limited.suspend("server-1"),
      limited.resume("server-1"),
      limited.replaceFirewall("server-1", firewall),
      limited.readFirewall("server-1"),
    ];
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await Promise.all(asking)).toMatchObject(Array(7).fill({ outcome: "unknown" }));
  });

  it("sends no orders to a registrar that does not answer, but questions, and continues after an answer", async () => {
    const calls: string[] = [];
    let isSilent = true;
    const answer = (name: string): Promise<Check> => {
      calls.push(name);
      return isSilent ? silence() : Promise.resolve(yes);
    };
    const breaker = new CircuitBreaker({ subjects: 2, silentMs: 1_000, pauseMs: 5_000 });
    const held = done({ held: false as const });
    const registrar = withLimits(
      { ...registrarThat(answer), inquire: (name) => answer(name).then(() => held) },
      { ...limits, breaker },
    );
    const during = async (...made: Promise<{ readonly outcome: string }>[]) => {
      await vi.advanceTimersByTimeAsync(1_000);
      return (await Promise.all(made)).map(({ outcome }) => outcome);
    };
    expect(await during(registrar.check("a.com"), registrar.check("b.com"))).toEqual(["unknown", "unknown"]);
    expect(breaker.state).toBe("open");
    expect(await registrar.check("c.com")).toEqual({
      ...unreachable,
      message: "The provider does not answer at present; this call was not made.",
    });
    expect(await during(registrar.inquire("a.com"))).toEqual(["unknown"]);
    isSilent = false;
    expect(await registrar.inquire("a.com")).toBe(held);
    expect(await registrar.check("d.com")).toBe(yes);
    expect(calls).toEqual(["a.com", "b.com", "a.com", "a.com", "d.com"]);
  });

  it("keeps calling a registrar that refuses everything, and one that is busy with others", async () => {
    const breaker = new CircuitBreaker({ subjects: 1, silentMs: 0, pauseMs: 5_000 });
    const refusing = withLimits(
      registrarThat(() => Promise.resolve(refused("rejected", "no"))),
      { ...limits, breaker },
    );
    for (const name of ["a.com", "b.com", "c.com"]) await refusing.check(name);
    const busy = withLimits(registrarThat(silence), { ...limits, concurrency: 1, queue: 0, breaker });
    void busy.check("a.com");
    expect(await busy.check("b.com")).toMatchObject(unreachable);
    expect(breaker.state).toBe("closed");
  });

  it("treats an unreachable registrar as a silent one", async () => {
    const breaker = new CircuitBreaker({ subjects: 1, silentMs: 0, pauseMs: 5_000 });
    const registrar = withLimits(
      registrarThat(() => Promise.resolve(refused("unreachable", "no route"))),
      { ...limits, breaker },
    );
    await registrar.check("a.com");
    expect(breaker.state).toBe("open");
  });
});
