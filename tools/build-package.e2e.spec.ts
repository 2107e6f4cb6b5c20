import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { temporaryDirectory } from "@hostledger/runtime/testing";
import { afterAll, beforeAll, expect, it } from "vitest";

import { startInstanceProcess } from "../test/support/instance-process.ts";
import { buildPackage } from "./build-package.ts";

/** The package of `pnpm build` on a machine that has Node and npm, and nothing of ours: no network, no checkout. */

let directory: ReturnType<typeof temporaryDirectory>;
let app: string;

const npm = (folder: string, ...parameters: readonly string[]): string =>
  execFileSync("npm", [...parameters, "--offline", "--no-audit", "--no-fund", "--silent"], {
    cwd: folder,
    encoding: "utf8",
    env: { ...process.env, npm_config_cache: join(directory.path, "npm-cache") },
  });

beforeAll(async () => {
  directory = temporaryDirectory();
  app = join(directory.path, "app");
  mkdirSync(app);
  await buildPackage(join(directory.path, "dist"));
  npm(directory.path, "pack", "./dist");
  const [packed = ""] = readdirSync(directory.path).filter((name) => name.endsWith(".tgz"));
  writeFileSync(join(app, "package.json"), JSON.stringify({ private: true }));
  npm(app, "install", join(directory.path, packed));
});

afterAll(() => {
  directory.remove();
});

it("starts, registers a domain, and has its pages, its documents and its verifier", async () => {
  const program = join(app, "node_modules/hostledger/hostledger.mjs");
  const data = join(directory.path, "data");
  const instance = await startInstanceProcess(data, { entry: program, flags: ["--demo"] });
  try {
    const apiKeyIn = (): string | undefined => /hlk_[\w-]+/.exec(instance.stdout())?.[0];
    await expect.poll(apiKeyIn).toBeDefined();
    const apiKey = apiKeyIn() ?? "";
    const headers = { authorization: apiKey, "content-type": "application/json" };
    const registered = await fetch(`${instance.baseUrl}/domains`, {
      method: "POST",
      headers,
      body: JSON.stringify({ domain: "packed.com" }),
    });
    expect(registered.status).toBe(201);
    const pdf = await fetch(`${instance.baseUrl}/billing/invoices/2.pdf`, { headers });
    expect([pdf.status, (await pdf.text()).slice(0, 5)]).toEqual([200, "%PDF-"]);
    const { origin } = new URL(instance.baseUrl);
    for (const path of ["/docs", "/docs/assets/swagger-ui-bundle.js", "/audit", "/audit/console.js"])
      expect([path, (await fetch(origin + path)).status]).toEqual([path, 200]);
  } finally {
    await instance.kill();
  }
});
