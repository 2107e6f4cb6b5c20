import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Demo } from "@hostledger/host";
import { describe, expect, it } from "vitest";
import { capturedIo } from "../testing/captured-io.ts";
import { marker, useDirectory } from "../testing/data-directory.ts";
import { fakeSystem, startWith, untilReady } from "../testing/fake-system.ts";

const data = useDirectory();

const demo: Demo = { apiKey: "hl_the-key", accountId: 1, serverIds: [1, 2] };
const demoDocument = {
  base_url: "http://h:8080/api/v1",
  api_key: "hl_the-key",
  account_id: 1,
  server_ids: [1, 2],
};

describe("start --demo", () => {
  it("on an empty store stores the key and prints it with example lines", async () => {
    const io = capturedIo();
    const exit = startWith(fakeSystem({ openDemo: () => Promise.resolve(demo) }), data().path, io, "--demo");
    await untilReady(io);
    expect(JSON.parse(data().read("demo.json"))).toEqual(demoDocument);
    expect(statSync(join(data().path, "demo.json")).mode & 0o777).toBe(0o600);
    const lines = io.stdout().split("\n");
    expect(lines[0]).toBe("ready http://h:8080/api/v1");
    const curls = lines.filter((line) => line.startsWith("curl "));
    expect(curls).toHaveLength(3);
    for (const curl of curls) expect(curl).toContain("Authorization: hl_the-key");
    expect(curls.join("\n")).toContain(`"domain":"`);
    expect(curls.join("\n")).toContain("http://h:8080/api/v1/billing/balance");
    io.signal("SIGINT");
    expect(await exit).toBe(0);
    expect(existsSync(join(data().path, "demo.json"))).toBe(true);
  });

  it("names the servers that the compute provider did not set up", async () => {
    const io = capturedIo();
    const missing = ["The demo's server of the plan Small is missing: no template."];
    const openDemo = () => Promise.resolve({ ...demo, serverIds: [], missing });
    const exit = startWith(fakeSystem({ openDemo }), data().path, io, "--demo");
    await untilReady(io);
    expect(io.stdout().trimEnd().split("\n").at(-1)).toBe(missing[0]);
    expect(JSON.parse(data().read("demo.json"))).toMatchObject({ server_ids: [] });
    io.signal("SIGINT");
    expect(await exit).toBe(0);
  });

  it("on a used store leaves the file, with the address of this start", async () => {
    data().write(...marker);
    data().write("demo.json", JSON.stringify({ ...demoDocument, base_url: "http://h:1/api/v1" }));
    const io = capturedIo();
    const exit = startWith(fakeSystem(), data().path, io, "--demo");
    await untilReady(io);
    expect(JSON.parse(data().read("demo.json"))).toEqual(demoDocument);
    expect(io.stdout()).not.toContain("hl_the-key");
    expect(io.stdout()).toContain("demo.json");
    io.signal("SIGINT");
    expect(await exit).toBe(0);
  });

  it("is opened only on request, but its file is kept up to date", async () => {
    data().write(...marker);
    data().write("demo.json", JSON.stringify({ ...demoDocument, base_url: "http://h:1/api/v1" }));
    const io = capturedIo();
    const exit = startWith(
      fakeSystem({ openDemo: () => Promise.reject(new Error("asked for")) }),
      data().path,
      io,
    );
    await untilReady(io);
    expect(JSON.parse(data().read("demo.json"))).toEqual(demoDocument);
    expect(io.stdout()).toBe("ready http://h:8080/api/v1\n");
    io.signal("SIGINT");
    expect(await exit).toBe(0);
  });
});

describe("demo.json", () => {
  it.each(["", "{", "[]", '{"base_url":1}'])("leaves a file unchanged that contains %j", async (text) => {
    data().write(...marker);
    data().write("demo.json", text);
    const io = capturedIo();
    const exit = startWith(fakeSystem(), data().path, io, "--demo");
    await untilReady(io);
    expect(data().read("demo.json")).toBe(text);
    io.signal("SIGINT");
    expect(await exit).toBe(0);
  });

  it("closes what it started when the demo cannot be opened", async () => {
    const io = capturedIo();
    const system = fakeSystem({ openDemo: () => Promise.reject(new Error("no such thing")) });
    expect(await startWith(system, data().path, io, "--demo")).toBe(1);
    expect(system.calls).toEqual(["started", "closed, still announced"]);
    expect(io.stdout()).toBe("");
    expect(existsSync(join(data().path, "instance.json"))).toBe(false);
  });
});
