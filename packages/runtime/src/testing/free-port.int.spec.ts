import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { promisify } from "node:util";

import { expect, it } from "vitest";

import { freePort } from "./free-port.ts";

it("returns a different usable port to each of many concurrent callers", async () => {
  const ports = await Promise.all(Array.from({ length: 400 }, freePort));
  expect(new Set(ports).size).toBe(400);
  const server = createServer().listen(ports[0], "127.0.0.1");
  await once(server, "listening");
  server.close();
  await once(server, "close");
});

it("never gives another process a port of this one", async () => {
  const ours = new Set(await Promise.all(Array.from({ length: 400 }, freePort)));
  const program = `
    import { freePort } from ${JSON.stringify(import.meta.resolve("./free-port.ts"))};
    console.log(String(await Promise.all(Array.from({ length: 400 }, freePort))));`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", program]);
  const theirs = stdout.trim().split(",").map(Number);
  expect(theirs).toHaveLength(400);
  expect(theirs.filter((port) => ours.has(port))).toEqual([]);
});
