import { existsSync } from "node:fs";
import { join } from "node:path";
import type { StartedParts, StartOptions } from "@hostledger/host";
import { createShutdown, startOrClose } from "@hostledger/runtime";
import { describe, expect, it } from "vitest";
import { capturedIo } from "../testing/captured-io.ts";
import { useDirectory } from "../testing/data-directory.ts";
import { fakeSystem, startWith, untilReady } from "../testing/fake-system.ts";

const data = useDirectory();

describe("signals", () => {
  it("that come while it starts are heeded once it has", async () => {
    const io = capturedIo();
    const system = fakeSystem();
    const exit = startWith(system, data().path, io);
    await system.started;
    io.signal("SIGTERM");
    expect(await exit).toBe(0);
    expect(system.calls).toEqual(["started", "closed, still announced"]);
  });

  it("that come while a start waits end it at once, and it is no failure", async () => {
    const io = capturedIo();
    const waiting = Promise.withResolvers<undefined>();
    const start = ({ stopping, logger }: StartOptions): Promise<StartedParts> =>
      startOrClose(createShutdown({ logger, stepLimitMs: 1_000 }), stopping, () => {
        waiting.resolve(undefined);
        return new Promise(() => undefined);
      });
    const exit = startWith({ start }, data().path, io);
    await waiting.promise;
    io.signal("SIGTERM");
    expect(await exit).toBe(0);
    expect(io.stdout()).toBe("");
    const again = capturedIo();
    const next = startWith(fakeSystem(), data().path, again);
    await untilReady(again);
    again.signal("SIGTERM");
    expect(await next).toBe(0);
  });

  it("end a process that does not come to its end in time", async () => {
    const overdue: (() => void)[] = [];
    const io = capturedIo();
    const timing = {
      ...io.timing,
      after(_milliseconds: number, call: () => void) {
        overdue.push(call);
        return () => undefined;
      },
    };
    const begun = Promise.withResolvers<undefined>();
    const start = (): Promise<StartedParts> => {
      begun.resolve(undefined);
      return new Promise(() => undefined);
    };
    void startWith({ start }, data().path, { ...io, timing });
    await begun.promise;
    io.signal("SIGTERM");
    expect(io.exits).toEqual([]);
    for (const call of overdue) call();
    expect(io.exits).toEqual([143]);
  });

  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("%s, the second time, ends it at once", async (signal, code) => {
    const io = capturedIo();
    const closing = Promise.withResolvers<undefined>();
    const exit = startWith(fakeSystem({ close: () => closing.promise }), data().path, io);
    await untilReady(io);
    io.signal("SIGTERM");
    expect(io.exits).toEqual([]);
    io.signal(signal, 1_000);
    expect(io.exits).toEqual([code]);
    closing.resolve(undefined);
    expect(await exit).toBe(0);
  });

  it("that arrive twice for one keypress count once", async () => {
    const io = capturedIo();
    const exit = startWith(fakeSystem(), data().path, io);
    await untilReady(io);
    io.signal("SIGINT");
    io.signal("SIGINT", 20);
    io.signal("SIGINT", 20);
    expect(await exit).toBe(0);
    io.signal("SIGINT", 20);
    expect(io.exits).toEqual([]);
  });
});

describe("a fatal failure", () => {
  it("ends it with a sentence and 1, without waiting for unfinishable work", async () => {
    const io = capturedIo();
    const system = fakeSystem();
    const exit = startWith(system, data().path, io);
    await untilReady(io);
    const { onFatal } = await system.started;
    onFatal(Object.assign(new Error("disk I/O error"), { code: "ERR_SQLITE_ERROR", errcode: 1034 }));
    expect(await exit).toBe(1);
    expect(io.stderr()).toBe("The disk failed while a database in the data directory was read or written.\n");
    expect(system.calls).toEqual(["started"]);
    expect(existsSync(join(data().path, "instance.json"))).toBe(false);
  });

  it("ends it while it closes, too", async () => {
    const io = capturedIo();
    const system = fakeSystem({ close: () => new Promise(() => undefined) });
    const exit = startWith(system, data().path, io);
    await untilReady(io);
    io.signal("SIGTERM");
    const { onFatal } = await system.started;
    onFatal(new Error("the writer died"));
    expect(await exit).toBe(1);
    expect(io.stderr()).toContain("Hostledger had to stop: the writer died\n");
  });

  it("ends it while it starts, too", async () => {
    const io = capturedIo();
    const start = ({ onFatal }: StartOptions): Promise<StartedParts> => {
      onFatal(new Error("the writer died"));
      return new Promise(() => undefined);
    };
    expect(await startWith({ start }, data().path, io)).toBe(1);
  });

  it("releases the directory for the next start", async () => {
    const start = (): Promise<StartedParts> => Promise.reject(new Error("no"));
    expect(await startWith({ start }, data().path, capturedIo())).toBe(1);
    const io = capturedIo();
    const exit = startWith(fakeSystem(), data().path, io);
    await untilReady(io);
    io.signal("SIGINT");
    expect(await exit).toBe(0);
  });
});
