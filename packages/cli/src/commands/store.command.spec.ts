import { createHash } from "node:crypto";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

import { claimDataDirectory } from "@hostledger/runtime";
import { describe, expect, it } from "vitest";

import { run } from "../cli.ts";
import { capturedIo } from "../testing/captured-io.ts";
import { useDirectory } from "../testing/data-directory.ts";
import { nothing } from "../testing/fake-system.ts";

const directory = useDirectory();

async function runStore(...line: string[]) {
  const io = capturedIo();
  const exitCode = await run(["store", ...line], io, { loadSystem: () => import("@hostledger/host") });
  return { exitCode, stdout: io.stdout(), stderr: io.stderr() };
}

/** Writes a transfer file by the documented format alone, like a foreign program. */
function transferFile(events: number): string {
  const lines = [
    { format: "hostledger-store", version: 1, exportedAt: "2026-01-02T04:00:00.000000Z", engine: "other" },
    ...Array.from({ length: events }, (_, revision) => ({
      stream: "account-1",
      revision,
      id: `11111111-1111-4111-8111-${String(revision).padStart(12, "0")}`,
      type: "Noted.v1",
      time: "2026-01-02T03:04:05.000006Z",
      data: "{}",
      metadata: "{}",
      position: String(revision + 10),
    })),
  ].map((line) => `${JSON.stringify(line)}\n`);
  const sha256 = createHash("sha256").update(lines.join("")).digest("hex");
  return `${lines.join("")}${JSON.stringify({ end: "hostledger-store", events, streams: 1, sha256 })}\n`;
}

function inDirectory(name: string): string {
  return join(directory().path, name);
}

describe("hostledger store", () => {
  it("imports a file and exports the same events", async () => {
    directory().write("in.ndjson", transferFile(3));
    const imported = await runStore(
      "import",
      inDirectory("in.ndjson"),
      "--data",
      inDirectory("data"),
      "--json",
    );
    expect(imported).toMatchObject({ exitCode: 0, stderr: "" });
    expect(JSON.parse(imported.stdout)).toMatchObject({ events: 3, streams: 1 });
    const exported = await runStore(
      "--json",
      "export",
      inDirectory("out.ndjson"),
      "--data",
      inDirectory("data"),
    );
    const sha256 = /"sha256":"(\w+)"/.exec(directory().read("out.ndjson"))?.[1];
    expect(JSON.parse(exported.stdout)).toEqual({ events: 3, streams: 1, sha256 });
    const ids = [
      ...directory()
        .read("out.ndjson")
        .matchAll(/"id":"[^"]+"/g),
    ];
    expect(ids).toHaveLength(3);
  });

  it("refuses a damaged file in one sentence", async () => {
    directory().write("in.ndjson", transferFile(3).replace("Noted", "Moved"));
    const outcome = await runStore("import", inDirectory("in.ndjson"), "--data", inDirectory("data"));
    expect(outcome).toMatchObject({ exitCode: 1, stdout: "" });
    expect(outcome.stderr).toMatch(/^The file is damaged: .*\.\n$/);
  });

  it("refuses the data of a running instance, and explains how to reach it", async () => {
    const claimed = claimDataDirectory(inDirectory("data"));
    directory().write("data/events.sqlite", "");
    const outcome = await runStore("export", inDirectory("out.ndjson"), "--data", inDirectory("data"));
    expect(outcome.exitCode).toBe(1);
    expect(outcome.stderr).toMatch(/in use by another running Hostledger.*--event-store/);
    claimed.release();
  });

  it("names a missing file or folder, and creates nothing", async () => {
    directory().write("in.ndjson", transferFile(1));
    const data = ["--data", inDirectory("data")];
    const noStore = await runStore("export", inDirectory("out.ndjson"), ...data);
    expect(noStore).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/^There is no event store in /),
    });
    expect(existsSync(inDirectory("data"))).toBe(false);
    const noFile = await runStore("import", inDirectory("none"), ...data);
    expect(noFile).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(/^There is no file /) });
    expect(existsSync(inDirectory("data"))).toBe(false);
    await runStore("import", inDirectory("in.ndjson"), ...data);
    const noFolder = await runStore("export", inDirectory("none/out"), ...data);
    expect(noFolder).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(/^The folder of /) });
    expect(readdirSync(directory().path).sort()).toEqual(["data", "in.ndjson"]);
  });

  it("reports problems of a server, also by the exit code", async () => {
    const both = await runStore(
      "export",
      "f",
      "--data",
      "d",
      "--event-store",
      "esdb://127.0.0.1:1?tls=false",
    );
    expect(both).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("give one of them") });
    const failing = (name: string, more: object) => () =>
      Promise.reject(Object.assign(new Error("The server said no."), { name, ...more }));
    const cases = [
      [failing("EventStoreDbError", { reason: "unreachable" }), 3],
      [failing("EventStoreDbError", { reason: "unauthorised" }), 1],
      [failing("Error", { code: "ENOSPC" }), 1],
    ] as const;
    for (const [exportStoreFile, code] of cases) {
      const io = capturedIo();
      const system = { ...nothing, exportStoreFile };
      const line = ["store", "export", "f", "--event-store", "esdb://127.0.0.1:1?tls=false"];
      expect(await run(line, io, { loadSystem: () => Promise.resolve(system) })).toBe(code);
      expect(io.stderr()).toMatch(/\.\n$/);
    }
  });
});
