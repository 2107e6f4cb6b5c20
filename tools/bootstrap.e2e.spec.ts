import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

import { realTiming } from "@hostledger/runtime";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";

/** Stands in for npx: writes down how it was called, and installs a Node as pnpm would. */
const npx = `#!/bin/sh
echo "$@" >> installs.log
sleep 0.3
mkdir -p node_modules/.bin
ln -sf ${process.execPath} node_modules/.bin/node
`;

let root = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "hostledger-bootstrap-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const folder of ["tools", "machine", "packages/core"])
    mkdirSync(join(root, folder), { recursive: true });
  copyFileSync(join(import.meta.dirname, "bootstrap.mjs"), join(root, "tools/bootstrap.mjs"));
  const devDependencies = { node: "^26.9.0", pnpm: "^12.21.0" };
  writeFileSync(join(root, "package.json"), JSON.stringify({ devDependencies }));
  writeFileSync(join(root, "packages/core/package.json"), "{}");
  writeFileSync(join(root, "pnpm-workspace.yaml"), "");
  writeFileSync(join(root, "pnpm-lock.yaml"), "");
  program("npx", npx);
});

function program(name: string, text: string): void {
  writeFileSync(join(root, "machine", name), text);
  chmodSync(join(root, "machine", name), 0o755);
}

function start(...parameters: string[]) {
  const path = [join(root, "machine"), process.env.PATH ?? ""].join(delimiter);
  const child = spawn(process.execPath, ["tools/bootstrap.mjs", ...parameters], {
    cwd: root,
    env: { PATH: path },
  });
  const said = { out: "", error: "" };
  child.stdout.on("data", (chunk: Buffer) => (said.out += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (said.error += chunk.toString()));
  const ended = once(child, "close").then(() => ({ status: child.exitCode, ...said }));
  return { child, ended };
}

const run = (...parameters: string[]) => start(...parameters).ended;

const installs = (): string[] =>
  existsSync(join(root, "installs.log"))
    ? readFileSync(join(root, "installs.log"), "utf8").trim().split("\n")
    : [];

describe("the bootstrap", () => {
  it("installs with the versions of package.json, then runs the command", async () => {
    const { status, out, error } = await run("node", "-p", "process.argv.slice(1).join()", "a", "b c");
    expect({ status, out }).toEqual({ status: 0, out: "a,b c\n" });
    expect(error).toMatch(/^hostledger: installing what is missing .*\n$/);
    expect(installs()).toEqual([
      expect.stringMatching(/-p node@\^26\.9\.0 -p pnpm@\^12\.21\.0 -c pnpm install --frozen-lockfile/),
    ]);
  });

  it("installs nothing the second time, also after a build", async () => {
    await run("true");
    mkdirSync(join(root, "dist"));
    writeFileSync(join(root, "dist/package.json"), "{}");
    expect(await run("true")).toEqual({ status: 0, out: "", error: "" });
    expect(installs()).toHaveLength(1);
  });

  it.each(["pnpm-lock.yaml", "pnpm-workspace.yaml", "package.json", "packages/core/package.json"])(
    "installs again when %s has changed",
    async (file) => {
      await run("true");
      writeFileSync(join(root, file), `${readFileSync(join(root, file), "utf8")}\n`);
      await run("true");
      expect(installs()).toHaveLength(2);
    },
  );

  it("installs once when two start at the same time", async () => {
    const ends = await Promise.all([run("true"), run("true"), run("true")]);
    expect(ends.map(({ status }) => status)).toEqual([0, 0, 0]);
    expect(installs()).toHaveLength(1);
    expect(existsSync(join(root, ".bootstrap.lock"))).toBe(false);
  });

  it("takes over the lock of a process that died", async () => {
    const { child, ended } = start("true");
    await ended;
    rmSync(join(root, "node_modules"), { recursive: true });
    symlinkSync(String(child.pid), join(root, ".bootstrap.lock"));
    expect(await run("true")).toMatchObject({ status: 0 });
    expect(installs()).toHaveLength(2);
  });

  it("reports that the network is missing, with the installer's text and status", async () => {
    program("npx", "#!/bin/sh\necho 'getaddrinfo EAI_AGAIN' >&2\nexit 3\n");
    const { status, out, error } = await run("true");
    expect({ status, out }).toEqual({ status: 3, out: "" });
    expect(error).toMatch(
      /getaddrinfo EAI_AGAIN\n.*the npm registry cannot be reached\. Connect to the network/s,
    );
  });

  it("ends with the command's status", async () => {
    expect(await run("sh", "-c", "exit 7")).toMatchObject({ status: 7 });
    expect(await run("sh", "-c", "kill -TERM $$")).toMatchObject({ status: 128 + 15 });
    expect(await run("no-such-command")).toMatchObject({
      status: 127,
      error: "hostledger: there is no command no-such-command here.\n",
    });
    expect(await run()).toMatchObject({ status: 2 });
  });

  it.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)(
    "passes %s on, once, and waits for the command",
    async (signal) => {
      const program = `let n = 0; process.on("${signal}", () => { n += 1; setTimeout(() => { console.log(n); process.exit(5); }, 200); }); setInterval(() => {}, 1000); console.log("up");`;
      const { child, ended } = start("node", "-e", program);
      await once(child.stdout, "data");
      // Under npm, a signal comes once from the sender and once more from npm.
      child.kill(signal);
      await realTiming.sleep(20);
      child.kill(signal);
      expect(await ended).toMatchObject({ status: 5, out: "up\n1\n" });
    },
  );
});
