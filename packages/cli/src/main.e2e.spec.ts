import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { realTiming } from "@hostledger/runtime";
import { directoryOfTest } from "@hostledger/runtime/testing";
import { beforeEach, describe, expect, it } from "vitest";
import packageJson from "../package.json" with { type: "json" };
import { mainFile, spawnFile, type RealProcess } from "./testing/real-process.ts";

const fixture = fileURLToPath(new URL("testing/idle-instance.fixture.ts", import.meta.url));
let data = "";

beforeEach(() => {
  data = directoryOfTest();
});

async function outcomeOf(running: RealProcess) {
  const end = await running.end;
  return { end, stdout: running.stdout(), stderr: running.stderr() };
}

describe("hostledger", () => {
  it.each([[["--help"]], [["start", "--help"]], [["admin", "account", "top-up", "--help"]], [["help"]]])(
    "answers %j on stdout",
    async (line) => {
      const { end, stdout, stderr } = await outcomeOf(spawnFile(mainFile, line));
      expect({ end, stderr }).toEqual({ end: 0, stderr: "" });
      expect(stdout).toMatch(/^Usage: hostledger /);
    },
  );

  it("answers its version", async () => {
    expect(await outcomeOf(spawnFile(mainFile, ["--version"]))).toEqual({
      end: 0,
      stdout: `${packageJson.version}\n`,
      stderr: "",
    });
  });

  it.each([
    [[]],
    [["nonsense"]],
    [["--nonsense"]],
    [["admin"]],
    [["admin", "account", "show"]],
    [["admin", "account", "show", "x"]],
    [["admin", "account", "top-up", "1", "--amount", "1.234", "--reference", "R"]],
    [["start", "--port", "x"]],
    [["projections", "nonsense"]],
  ])("ends %j with 2 and the reason on stderr", async (line) => {
    const { end, stdout, stderr } = await outcomeOf(spawnFile(mainFile, line));
    expect({ end, stdout }).toEqual({ end: 2, stdout: "" });
    expect(stderr).not.toBe("");
  });

  it("ends with 3 when no instance runs", async () => {
    const { end, stdout, stderr } = await outcomeOf(
      spawnFile(mainFile, ["admin", "price", "list", "--data", data, "--json"]),
    );
    expect({ end, stdout }).toEqual({ end: 3, stdout: "" });
    expect(stderr).toMatch(/^No instance runs on .*\n$/);
  });

  it("ends with 1 and one sentence on a directory of something else", async () => {
    writeFileSync(join(data, "thesis.tex"), "");
    const { end, stdout, stderr } = await outcomeOf(spawnFile(mainFile, ["start", "--data", data]));
    expect({ end, stdout }).toEqual({ end: 1, stdout: "" });
    expect(stderr.trimEnd().split("\n")).toEqual([expect.stringContaining("thesis.tex")]);
  });

  it("prints the configuration of its environment", async () => {
    const { end, stdout } = await outcomeOf(
      spawnFile(mainFile, ["config", "--json"], { HOSTLEDGER_PORT: "9000" }),
    );
    expect(end).toBe(0);
    expect(JSON.parse(stdout)).toContainEqual(
      expect.objectContaining({ variable: "HOSTLEDGER_PORT", value: "9000" }),
    );
  });

  it("ends quietly when its reader has seen enough", async () => {
    const running = spawnFile(mainFile, ["config", "--json"]);
    running.child.stdout?.destroy();
    expect(await outcomeOf(running)).toMatchObject({ end: 0, stderr: "" });
  });
});

describe("hostledger start", () => {
  function startIdle(environment = {}): Promise<RealProcess> {
    return untilReady(spawnFile(fixture, ["start", "--data", data], environment));
  }

  async function untilReady(running: RealProcess): Promise<RealProcess> {
    while (!running.stdout().includes("ready ")) {
      if (running.child.stdout !== null) await once(running.child.stdout, "data");
    }
    return running;
  }

  it.each(["SIGTERM", "SIGINT"] as const)("finishes at %s and ends with 0", async (signal) => {
    const running = await startIdle();
    expect(existsSync(join(data, "instance.json"))).toBe(true);
    running.child.kill(signal);
    expect(await running.end).toBe(0);
    expect(existsSync(join(data, "instance.json"))).toBe(false);
  });

  it.each([
    ["SIGTERM", 143],
    ["SIGINT", 130],
  ] as const)("ends at once after a second %s", async (signal, code) => {
    const running = await startIdle({ IDLE_CLOSE: "never" });
    while (running.child.exitCode === null && running.child.signalCode === null) {
      running.child.kill(signal);
      await realTiming.sleep(50);
    }
    expect(await running.end).toBe(code);
  });

  it("continues if nothing reads its log any more", async () => {
    const running = await startIdle();
    running.child.stderr?.destroy();
    // The log reports the signal and the shutdown.
    running.child.kill("SIGTERM");
    expect(await running.end).toBe(0);
  });

  it("continues if the disk of its log is full", async () => {
    const line = ["-c", 'exec "$@" 2>/dev/full', "sh", fixture, "start", "--data", data];
    const running = await untilReady(spawnFile("/bin/sh", line));
    running.child.kill("SIGTERM");
    expect(await running.end).toBe(0);
  });

  it("is refused while another process runs on the same data, and not after that was killed", async () => {
    const first = await startIdle();
    const second = await outcomeOf(spawnFile(fixture, ["start", "--data", data]));
    expect(second).toMatchObject({ end: 1, stdout: "" });
    expect(second.stderr).toMatch(/in use by another running Hostledger/);
    first.child.kill("SIGKILL");
    expect(await first.end).toBe("SIGKILL");
    const third = await startIdle();
    third.child.kill("SIGTERM");
    expect(await third.end).toBe(0);
  });
});
