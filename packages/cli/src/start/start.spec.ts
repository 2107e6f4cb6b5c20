import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import type { StartedParts } from "@hostledger/host";
import { describe, expect, it } from "vitest";
import { capturedIo } from "../testing/captured-io.ts";
import { marker, useDirectory } from "../testing/data-directory.ts";
import { fakeSystem, startWith, untilReady } from "../testing/fake-system.ts";

const data = useDirectory();

describe("start", () => {
  it("announces itself, runs until a signal, then closes and exits with 0", async () => {
    const io = capturedIo();
    const system = fakeSystem();
    const exit = startWith(system, data().path, io);
    await untilReady(io);
    expect(io.stdout()).toBe("ready http://h:8080/api/v1\n");
    expect(JSON.parse(data().read("instance.json"))).toEqual({
      base_url: "http://h:8080/api/v1",
      admin_url: "http://h:8081",
      rpc_url: "http://h:8082",
      pid: 4711,
    });
    expect(statSync(join(data().path, "instance.json")).mode & 0o777).toBe(0o600);
    io.signal("SIGTERM");
    expect(await exit).toBe(0);
    expect(system.calls).toEqual(["started", "closed, still announced"]);
    expect(existsSync(join(data().path, "instance.json"))).toBe(false);
    expect(existsSync(join(data().path, "demo.json"))).toBe(false);
  });

  it("prefers flags to the environment", async () => {
    const io = capturedIo({ HOSTLEDGER_PORT: "1", HOSTLEDGER_HOST: "::1", HOSTLEDGER_DATA: "/nowhere" });
    const system = fakeSystem();
    const exit = startWith(system, data().path, io, "--port", "0", "--admin-port", "9");
    const { configuration } = await system.started;
    expect(configuration).toMatchObject({ port: 0, adminPort: 9, host: "::1" });
    io.signal("SIGINT");
    expect(await exit).toBe(0);
  });

  it("removes the announcement of a killed instance before it starts", async () => {
    data().write(...marker);
    data().write("instance.json", "{}");
    const io = capturedIo();
    const start = (): Promise<StartedParts> =>
      Promise.reject(
        new Error(existsSync(join(data().path, "instance.json")) ? "it is there" : "it is gone"),
      );
    expect(await startWith({ start }, data().path, io)).toBe(1);
    expect(io.stderr()).toContain("it is gone");
  });
});

describe("start refuses", () => {
  it("a second start on the same data, and does not affect the first", async () => {
    const io = capturedIo();
    const system = fakeSystem();
    const exit = startWith(system, data().path, io);
    await untilReady(io);
    const second = capturedIo();
    const other = fakeSystem();
    expect(await startWith(other, data().path, second)).toBe(1);
    expect(second.stderr()).toMatch(/^The data directory .* is in use by another running Hostledger.*\n$/);
    expect(other.calls).toEqual([]);
    expect(existsSync(join(data().path, "instance.json"))).toBe(true);
    io.signal("SIGINT");
    expect(await exit).toBe(0);
  });

  it("a directory of something else", async () => {
    data().write("thesis.tex", "");
    const io = capturedIo();
    expect(await startWith(fakeSystem(), data().path, io)).toBe(1);
    expect(io.stderr()).toMatch(
      /^The directory .* holds files that are not Hostledger's \(thesis\.tex\).*\n$/,
    );
    expect(io.stdout()).toBe("");
  });

  it.each([
    [["--port", "x"], "--port must be"],
    [["--port", "65536"], "--port must be"],
    [["--admin-port", "-1"], "--admin-port must be"],
    [["--host", ""], "error: option '--host <address>' argument '' is invalid. It must not be empty."],
    [["--host", "a b"], "--host must be"],
    [["--port"], "error: option '--port <port>' argument missing"],
    [["--json"], "error: unknown option '--json'"],
    [["surplus"], "error: too many arguments"],
  ])("%j as wrong usage", async (flags, sentence) => {
    const io = capturedIo();
    const system = fakeSystem();
    expect(await startWith(system, data().path, io, ...flags)).toBe(2);
    expect(io.stderr()).toMatch(new RegExp(`^${sentence}`));
    expect(system.calls).toEqual([]);
  });

  it("a wrong variable as wrong usage", async () => {
    const io = capturedIo({ HOSTLEDGER_REGISTRAR: "nobody" });
    expect(await startWith(fakeSystem(), data().path, io)).toBe(2);
    expect(io.stderr()).toMatch(/^HOSTLEDGER_REGISTRAR must be one of: sandbox, epp, not "nobody"\.\n$/);
  });
});
