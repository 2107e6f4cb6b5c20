import { join } from "node:path";

import type { SandboxRegistryOptions } from "@hostledger/host";
import { claimDataDirectory, yieldToOthers } from "@hostledger/runtime";
import { describe, expect, it } from "vitest";

import { run } from "../cli.ts";
import type { System } from "../command-context.ts";
import { capturedIo } from "../testing/captured-io.ts";
import { useDirectory } from "../testing/data-directory.ts";
import { nothing } from "../testing/fake-system.ts";

const data = useDirectory();

async function runUntilSignal(...flags: string[]) {
  const started: SandboxRegistryOptions[] = [];
  const calls: string[] = [];
  const system: System = {
    ...nothing,
    startSandboxRegistry: (options) => {
      started.push(options);
      return Promise.resolve({
        url: "epps://127.0.0.1:7700",
        ca: join(options.configuration.data, "epp-ca.pem"),
        user: "sandbox",
        passwordFile: join(options.configuration.data, "epp.password"),
        close: () => {
          calls.push("closed");
          return Promise.resolve();
        },
      });
    },
  };
  const io = capturedIo();
  const line = ["sandbox", "epp", "--data", data().path, ...flags];
  const exit = run(line, io, { loadSystem: () => Promise.resolve(system) });
  while (io.stdout() === "" && io.stderr() === "") await yieldToOthers();
  io.signal("SIGTERM");
  return { exitCode: await exit, io, started, calls };
}

describe("sandbox epp", () => {
  it("prints its address and its CA, and ends at a signal", async () => {
    const { exitCode, io, started, calls } = await runUntilSignal();
    const { data: path } = started[0]?.configuration ?? { data: "" };
    expect(io.stdout()).toBe(
      `ready epps://127.0.0.1:7700\nca ${join(path, "epp-ca.pem")}\nuser sandbox\npassword-file ${join(path, "epp.password")}\n`,
    );
    expect(started).toMatchObject([{ host: "127.0.0.1", port: 7_700, greetingMs: 0 }]);
    expect([exitCode, calls]).toEqual([0, ["closed"]]);
  });

  it("prints one JSON document", async () => {
    const { io } = await runUntilSignal("--json", "--port", "0");
    expect(JSON.parse(io.stdout())).toEqual({
      url: "epps://127.0.0.1:7700",
      ca: expect.stringMatching(/epp-ca\.pem$/) as unknown,
      user: "sandbox",
      password_file: expect.stringMatching(/epp\.password$/) as unknown,
    });
  });

  it("runs beside the instance that has the data directory", async () => {
    const held = claimDataDirectory(data().path);
    try {
      expect(await runUntilSignal()).toMatchObject({ exitCode: 0, calls: ["closed"] });
    } finally {
      held.release();
    }
  });

  it.each([
    ["--port", "65536"],
    ["--port", "x"],
    ["--greeting-ms", "-1"],
  ])("refuses %s %s", async (flag, value) => {
    const { exitCode, io, started } = await runUntilSignal(flag, value);
    expect([exitCode, started, io.stdout()]).toEqual([2, [], ""]);
  });
});
