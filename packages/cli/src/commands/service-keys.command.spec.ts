import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { makeServiceKeys } from "@hostledger/host";
import { parsePublicJwks } from "@hostledger/rpc";
import { expect, it } from "vitest";

import { run } from "../cli.ts";
import { capturedIo } from "../testing/captured-io.ts";
import { useDirectory } from "../testing/data-directory.ts";
import { nothing } from "../testing/fake-system.ts";

const data = useDirectory();
const parts = ["account", "domain", "server", "support", "audit", "gateway"];

async function keys(...line: string[]) {
  const io = capturedIo();
  const system = { ...nothing, makeServiceKeys };
  const exitCode = await run(["service-keys", ...line, "--json"], io, {
    loadSystem: () => Promise.resolve(system),
  });
  return { exitCode, stdout: io.stdout(), stderr: io.stderr() };
}

it("creates a key for each part, once, and retains the last one at a rotation", async () => {
  const directory = join(data().path, "keys");
  const kids = (): string[] => {
    const text = readFileSync(join(directory, "jwks.json"), "utf8");
    return parsePublicJwks(text).map(({ kid }) => kid);
  };
  const first = await keys("--directory", directory);
  expect(first).toMatchObject({ exitCode: 0, stderr: "" });
  expect(JSON.parse(first.stdout)).toEqual({
    directory,
    made: parts,
    public_keys: join(directory, "jwks.json"),
  });
  expect(readdirSync(directory).toSorted()).toEqual(
    [...parts.map((part) => `${part}.key`), "jwks.json"].toSorted(),
  );
  for (const part of parts) expect(statSync(join(directory, `${part}.key`)).mode & 0o777).toBe(0o600);
  // The public file contains no private key.
  expect(readFileSync(join(directory, "jwks.json"), "utf8")).not.toContain('"d"');
  const before = kids();
  expect(before.map((kid) => kid.split(".")[0])).toEqual(parts);

  expect(JSON.parse((await keys("--directory", directory)).stdout)).toMatchObject({ made: [] });
  expect(kids()).toEqual(before);
  await keys("--directory", directory, "--rotate", "gateway");
  expect(kids()).toHaveLength(7);
  expect(kids()).toEqual(expect.arrayContaining(before));
  await keys("--directory", directory, "--rotate", "gateway");
  expect(kids()).toHaveLength(7);
  expect(kids()).not.toEqual(expect.arrayContaining(before));
});

it("refuses an unknown part, and a file that is no key, in one sentence", async () => {
  const unknown = await keys("--data", data().path, "--rotate", "billing");
  expect(unknown).toMatchObject({ exitCode: 2, stdout: "" });
  expect(unknown.stderr).toContain("account, domain, server, support, audit, gateway");
  const both = await keys("--data", data().path, "--directory", data().path);
  expect(both).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("leave --data out") });
  await keys("--data", data().path);
  const list = join(data().path, "service-keys", "jwks.json");
  writeFileSync(list, "{}");
  expect(await keys("--data", data().path)).toEqual({
    exitCode: 2,
    stdout: "",
    stderr: `The file ${list} is no list of at most 64 public Ed25519 keys (a JSON Web Key Set).\n`,
  });
});
