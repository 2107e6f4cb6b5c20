import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { createRateCounter, rateLimitPolicy, rateLimitState } from "./rate-limit.ts";

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

describe("a rate counter", () => {
  it("counts down to the limit, then exceeds it", async () => {
    const counter = createRateCounter(2, "spec");
    expect(await counter.count("a")).toEqual({ remaining: 1, resetSeconds: 60, isExceeded: false });
    expect(await counter.count("a")).toEqual({ remaining: 0, resetSeconds: 60, isExceeded: false });
    expect(await counter.count("a")).toEqual({ remaining: 0, resetSeconds: 60, isExceeded: true });
  });

  it("counts each client for itself", async () => {
    const counter = createRateCounter(1, "spec");
    await counter.count("a");
    expect(await counter.count("b")).toMatchObject({ isExceeded: false });
  });

  it("opens a window with the first request and begins again when it ends", async () => {
    const counter = createRateCounter(1, "spec");
    await counter.count("a");
    vi.advanceTimersByTime(59_001);
    expect(await counter.count("a")).toEqual({ remaining: 0, resetSeconds: 1, isExceeded: true });
    vi.advanceTimersByTime(999);
    expect(await counter.count("a")).toEqual({ remaining: 0, resetSeconds: 60, isExceeded: false });
  });

  it("deletes clients whose window has ended", async () => {
    const counter = createRateCounter(1, "spec");
    for (let client = 0; client < 1_000; client += 1) await counter.count(String(client));
    expect(vi.getTimerCount()).toBe(1_000);
    vi.advanceTimersByTime(60_000);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("the headers", () => {
  it("have the draft's syntax", () => {
    expect(rateLimitPolicy(600)).toBe('"default";q=600;w=60');
    expect(rateLimitState({ remaining: 599, resetSeconds: 60, isExceeded: false })).toBe(
      '"default";r=599;t=60',
    );
  });
});
