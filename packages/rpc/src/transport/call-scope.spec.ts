import { realTiming } from "@hostledger/runtime/async";
import { describe, expect, it } from "vitest";

import { openCallScope } from "./call-scope.ts";

const never = new Promise<string>(() => undefined);

describe("a call scope", () => {
  it("returns the work's outcome and aborts its signal at the end", async () => {
    const scope = openCallScope(undefined, undefined);
    await expect(scope.race(Promise.resolve("done"))).resolves.toBe("done");
    expect(scope.signal.aborted).toBe(false);
    scope.close();
    scope.close();
    expect(scope.signal.aborted).toBe(true);
  });

  it("aborts its signal at each of its ends", async () => {
    const closed = openCallScope(undefined, undefined);
    closed.close();
    expect(closed.signal.aborted).toBe(true);
    expect(closed.signal.reason).toMatchObject({ name: "AbortError" });
    const parent = new AbortController();
    const interrupted = openCallScope(parent.signal, undefined);
    parent.abort("left");
    await expect(interrupted.race(never)).rejects.toBe("left");
    expect(interrupted.signal.reason).toBe("left");
  });

  it("fails with the reason of the caller's abort", async () => {
    const parent = new AbortController();
    const scope = openCallScope(parent.signal, undefined);
    const outcome = scope.race(never);
    parent.abort("left");
    await expect(outcome).rejects.toBe("left");
    expect(scope.signal.reason).toBe("left");
  });

  it("is over at once when the caller has left already", async () => {
    const scope = openCallScope(AbortSignal.abort("left"), undefined);
    expect(scope.signal.aborted).toBe(true);
    await expect(scope.race(never)).rejects.toBe("left");
  });

  it("fails with the limit's reason when the time is over", async () => {
    const scope = openCallScope(undefined, { limitMs: 1, reason: () => "late" });
    await expect(scope.race(never)).rejects.toBe("late");
    expect(scope.signal.reason).toBe("late");
  });

  it("interrupts the present wait", async () => {
    const parent = new AbortController();
    const scope = openCallScope(parent.signal, undefined);
    await expect(scope.race(Promise.resolve("first"))).resolves.toBe("first");
    const second = scope.race(never);
    parent.abort("left");
    await expect(second).rejects.toBe("left");
    await expect(scope.race(never)).rejects.toBe("left");
  });

  it("does not fire early for a limit longer than any timer", async () => {
    const scope = openCallScope(undefined, { limitMs: Number.MAX_SAFE_INTEGER, reason: () => "late" });
    await expect(scope.race(realTiming.sleep(5).then(() => "done"))).resolves.toBe("done");
    scope.close();
  });
});
