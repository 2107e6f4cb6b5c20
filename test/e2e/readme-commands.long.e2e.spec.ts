import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { basename, delimiter, join, relative } from "node:path";

import { realTiming } from "@hostledger/runtime";
import { freePort, temporaryDirectory } from "@hostledger/runtime/testing";
import { startPostgresServer, type PostgresServer } from "@hostledger/runtime/testing/postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

/**
 * Runs every command of the README, docs/auditors.md and docs/running.md in a copy of the checkout, as a reader
 * types them from the top: with an empty home and without network. Placeholders are replaced as the table says; a
 * command that the table lacks fails.
 */

const root = join(import.meta.dirname, "../..");
const documents = ["README.md", "docs/auditors.md", "docs/running.md"];
const readme = documents.map((document) => readFileSync(join(root, document), "utf8")).join("\n");

/** Exit code, or "serves" for a command that runs until it is stopped. */
type Outcome = number | "serves";

interface Line {
  /** The line in the README. */
  readonly line: string;
  readonly outcome?: Outcome;
  /** Placeholders of the README, and their values. */
  readonly where?: Readonly<Record<string, () => string>>;
  /** Expected output. */
  readonly prints?: RegExp;
  /** Environment that a comment beside the line requires. */
  readonly environment?: () => Readonly<Record<string, string>>;
}

let directory: ReturnType<typeof temporaryDirectory>;
let checkout: string;
let postgres: PostgresServer;
const serving: ChildProcess[] = [];
const ports = new Map<string, number>();

const inDirectory = (name: string) => (): string => join(directory.path, name);
const fixed = (text: string) => (): string => text;
const readJson = (...path: readonly string[]): Readonly<Record<string, string>> =>
  JSON.parse(readFileSync(join(checkout, ...path), "utf8")) as Readonly<Record<string, string>>;

/** A port of this machine in the place of the README's, which something else may have. */
async function reservePorts(...names: readonly string[]): Promise<void> {
  for (const name of names) ports.set(name, await freePort());
}
const port = (name: string) => (): string => String(ports.get(name));

const freePorts = { "npm start": fixed("npm start -- --port 0 --admin-port 0") };
const moreFreePorts = { "npm start --": fixed("npm start -- --admin-port 0") };
const node = { "127.0.0.1:2113": () => `127.0.0.1:${port("2113")()}` };
const deployed = {
  ...node,
  "postgres://…/hostledger": () => postgres.url,
  "HOSTLEDGER_ADMIN_TOKEN=…": fixed("HOSTLEDGER_ADMIN_TOKEN=readme-admin-token-0123456789abcdef"),
};
/** The instance that `npm start` runs, and its customer. */
const demo = {
  "hlk_…": () => String(readJson("data", "demo.json").api_key),
  "http://127.0.0.1:8080/api/v1": () => String(readJson("data", "instance.json").base_url),
};
const keyOfLog = {
  "hostledger/…": () => `'${readFileSync(join(checkout, "BUNDLE/key"), "utf8").trim()}'`,
};
const ownData = (name: string): { environment: () => Readonly<Record<string, string>> } => ({
  environment: () => ({ HOSTLEDGER_DATA: join(directory.path, name) }),
});

/** Every command, in the README's order as far as one needs the other. */
const lines: readonly Line[] = [
  { line: "npm start", where: freePorts, outcome: "serves", prints: /^curl -sS .*my-first-domain\.com/m },
  {
    line: "npm test",
    // The suite runs this test; one file of it says that the command does.
    where: { "npm test": fixed("npm test -- packages/core/src/money/money.spec.ts") },
    prints: /^[1-9]\d* passed, 0 failed$/m,
  },
  {
    line: "npm start -- --port 9000 --data /srv/hostledger",
    where: { ...moreFreePorts, "9000": port("9000"), "/srv/hostledger": inDirectory("srv-start") },
    outcome: "serves",
  },
  {
    line: "curl -H 'Authorization: hlk_…' -H 'Content-Type: application/json' -d '{\"domain\":\"my-first-domain.com\",\"years\":1}' http://127.0.0.1:8080/api/v1/domains",
    where: demo,
    prints: /"message": ?"Domain registered"/,
  },
  {
    line: "HOSTLEDGER_CLOCK_OFFSET=+51w npm start -- --data ./data-in-a-year",
    where: { "npm start --": fixed("npm start -- --port 0 --admin-port 0") },
    outcome: "serves",
  },
  // For auditors.
  { line: "./hostledger audit export BUNDLE", prints: /events are in BUNDLE/ },
  { line: "node BUNDLE/verify-bundle.mjs BUNDLE", prints: /^ok: / },
  {
    line: "./hostledger audit verify BUNDLE --since checkpoint-of-last-year --key hostledger/…",
    where: { ...keyOfLog, "checkpoint-of-last-year": fixed("BUNDLE/checkpoint") },
  },
  {
    line: "curl -sSf -H 'Authorization: hlk_…' -o invoice.pdf http://127.0.0.1:8080/api/v1/billing/invoices/ID.pdf",
    where: { ...demo, ID: fixed("1") },
  },
  {
    line: "curl -sSf -H 'Authorization: hlk_…' -o proof.json --retry 9 --retry-all-errors http://127.0.0.1:8080/api/v1/billing/invoices/ID/proof",
    where: { ...demo, ID: fixed("1") },
  },
  {
    line: "./hostledger verify-document invoice.pdf proof.json --key hostledger/…",
    where: keyOfLog,
    prints: /^The file is the PDF of document /m,
  },
  {
    line: "node BUNDLE/verify-bundle.mjs --document invoice.pdf --proof proof.json --key hostledger/…",
    where: keyOfLog,
    prints: /^The file is the PDF of document /,
  },
  { line: "./hostledger audit statement 1 --format pdf --output statement.pdf" },
  {
    line: "./hostledger audit explain 2026-1-000001",
    where: { "2026": thisYear },
    prints: /my-first-domain/,
  },
  { line: "./hostledger audit journal --format beancount", prints: /Balance top-up/ },
  {
    line: "./hostledger audit vat --from 2026-01-01 --to 2026-03-31",
    prints: /dated 2026-01-01 to 2026-03-31/,
  },
  { line: "./hostledger audit status", prints: /^log +following$/m },
  { line: "./hostledger audit reconcile", prints: /nothing differs/ },
  { line: "./hostledger audit reconcile BUNDLE", prints: /nothing differs/ },
  { line: "./hostledger admin auditor issue --name 'Ada' --days 30", prints: /^hla_/m },
  // Operating it.
  { line: "./hostledger --help", prints: /^Usage: hostledger/ },
  { line: "./hostledger config", prints: /HOSTLEDGER_HOST/ },
  { line: "./hostledger admin account quota ID", where: { ID: fixed("1") }, prints: /open_tickets/ },
  { line: "./hostledger admin clock accept" },
  { line: "./hostledger check providers", prints: /^ok +registrar/m },
  {
    line: "./hostledger admin service issue NAME --scopes S",
    where: { NAME: fixed("reporting"), "scopes S": fixed("scopes accounts:read") },
  },
  { line: "./hostledger admin approvals list", prints: /^none$/m },
  {
    line: "./hostledger admin auditor add ada --categories account,domain",
    prints: /ada reads account, domain/,
  },
  { line: "./hostledger backup DIR", where: { DIR: inDirectory("backup") }, prints: /^events +\d+$/m },
  {
    line: "./hostledger restore DIR --data D",
    where: { DIR: inDirectory("backup"), "data D": () => `data ${inDirectory("restored")()}` },
  },
  {
    line: "./hostledger certificates account=account.internal domain=… --directory tls",
    where: { "domain=…": fixed("domain=domain.internal") },
  },
  // The first owner invalidates the token of the data directory.
  {
    line: "./hostledger admin staff add NAME --role owner",
    where: { NAME: fixed("anna") },
  },
  { line: "./hostledger store export FILE", ...ownData("restored") },
  // The embedded store, talked to.
  {
    line: "./hostledger start --esdb-port 2113",
    where: { "start --esdb-port 2113": fixed("start --esdb-port 0 --port 0 --admin-port 0") },
    outcome: "serves",
    ...ownData("with-esdb"),
  },
  {
    line: "./hostledger node --data DIR",
    where: { "node --data DIR": () => `node --data ${inDirectory("node")()} --port ${port("2113")()}` },
    outcome: "serves",
    environment: fixedEnvironment({ HOSTLEDGER_ESDB_WRITERS: "anyone", HOSTLEDGER_ESDB_READERS: "anyone" }),
  },
  // More than one process.
  { line: "./hostledger service-keys", where: deployed, ...ownData("parts") },
  {
    line: "./hostledger service account --port 8090",
    where: { ...deployed, "8090": port("8090") },
    outcome: "serves",
    ...ownData("parts"),
  },
  {
    line: "./hostledger service domain --port 8091",
    where: { ...deployed, "8090": port("8090"), "8091": port("8091") },
    outcome: "serves",
    ...ownData("parts"),
  },
  {
    line: "./hostledger service gateway",
    where: { ...deployed, "service gateway": fixed("service gateway --port 0") },
    outcome: "serves",
    environment: () => ({
      HOSTLEDGER_DATA: inDirectory("parts")(),
      ...Object.fromEntries(
        ["ACCOUNT", "DOMAIN", "SERVER", "SUPPORT", "AUDIT"].map((name) => [
          `HOSTLEDGER_${name}_URL`,
          `http://127.0.0.1:${port(name === "DOMAIN" ? "8091" : "8090")()}`,
        ]),
      ),
    }),
  },
  // For good.
  { line: "pnpm build" },
  { line: "npm pack ./dist", prints: /^hostledger-0\.1\.0\.tgz$/m },
  {
    line: "node dist/hostledger.mjs start --data /srv/hostledger",
    where: { "/srv/hostledger": () => `${inDirectory("srv")()} --port 0 --admin-port 0` },
    outcome: "serves",
  },
  // Against a server: the node of above is one.
  {
    line: "EVENTSTORE_URL='esdb://127.0.0.1:2113?tls=false' pnpm test:eventstore",
    where: node,
    prints: /, 0 failed$/m,
  },
  {
    line: "TEST_EVENT_STORE='esdb://127.0.0.1:2113?tls=false' TEST_TIERS=integration pnpm exec vitest run test/acceptance --exclude '**/clock.int.spec.ts'",
    where: { ...node, "test/acceptance": fixed("test/acceptance/4.02-list-domains.int.spec.ts") },
  },
  { line: "npm run bench", where: { "run bench": fixed("run bench -- reads --quick") } },
];

function thisYear(): string {
  return String(new Date().getUTCFullYear());
}

function fixedEnvironment(variables: Readonly<Record<string, string>>) {
  return (): Readonly<Record<string, string>> => variables;
}

/** A command of the README, with the exports of its block. */
interface Written {
  readonly line: string;
  readonly exported: readonly string[];
}

/** The commands of the shell blocks, and those within the text that begin with a program of ours. */
function commandsOfReadme(): readonly Written[] {
  const blocks = [...readme.matchAll(/^```sh\n(.*?)^```$/gmsu)].flatMap(([, block = ""]) => {
    const exported: string[] = [];
    const found: Written[] = [];
    for (const written of block.replaceAll("\\\n", " ").split("\n")) {
      const line = written
        .replace(/\s+#.*$/u, "")
        .replaceAll(/ {2,}/gu, " ")
        .trim();
      if (line.startsWith("export ")) exported.push(line);
      else if (line !== "") found.push({ line, exported: [...exported] });
    }
    return found;
  });
  const inText = readme
    .replaceAll(/^```.*?^```$/gmsu, "")
    .matchAll(/`((?:HOSTLEDGER_\w+=\S+ )?(?:\.\/hostledger |npm (?:start|test|run) |pnpm )[^`]+)`/gu);
  const known = new Map(blocks.map((each) => [each.line, each]));
  for (const [, line = ""] of inText) if (!known.has(line)) known.set(line, { line, exported: [] });
  return [...known.values()];
}

const commands = commandsOfReadme();

/** Copies the checkout without build results and data; its packages are links to the installed ones. */
function copyCheckout(): void {
  const left = new Set(["node_modules", "dist", "data", ".git"]);
  mkdirSync(join(checkout, "node_modules"), { recursive: true });
  const isLeft = (source: string): boolean => {
    const path = relative(root, source);
    return left.has(path) || path.startsWith("data-") || path.endsWith(".tgz");
  };
  cpSync(root, checkout, { recursive: true, verbatimSymlinks: true, filter: (source) => !isLeft(source) });
  const installed = join(root, "node_modules");
  for (const name of readdirSync(installed)) {
    const [from, to] = [join(installed, name), join(checkout, "node_modules", name)];
    if (name === ".pnpm") symlinkSync(from, to);
    else if (name !== ".cache") cpSync(from, to, { recursive: true, verbatimSymlinks: true });
  }
}

/** A closed port: every request to an outside address fails there at once. */
const nowhere = "http://127.0.0.1:2";

function environmentOf({ environment }: Line): NodeJS.ProcessEnv {
  const path = (process.env.PATH ?? "").split(delimiter);
  return {
    HOME: join(directory.path, "home"),
    TMPDIR: directory.path,
    PATH: path.filter((folder) => basename(folder) !== ".bin").join(delimiter),
    npm_config_offline: "true",
    // The packages are put there by this test: pnpm has no part in it, and would install them anew.
    pnpm_config_verify_deps_before_run: "false",
    npm_config_registry: nowhere,
    HTTPS_PROXY: nowhere,
    HTTP_PROXY: nowhere,
    NO_PROXY: "127.0.0.1,localhost",
    // Commands get the tests' locations of PostgreSQL and memory.
    TEST_POSTGRES_URL: postgres.url,
    ...environment?.(),
  };
}

/** Returns the line with its placeholders replaced, after the exports of its block. */
function typed({ line, where = {} }: Line): string {
  const { exported = [] } = commands.find((each) => each.line === line) ?? {};
  return [...exported, line]
    .map((text) =>
      Object.entries(where).reduce((typedSoFar, [word, value]) => typedSoFar.replaceAll(word, value()), text),
    )
    .join("\n");
}

async function run(command: Line): Promise<void> {
  const { outcome = 0, prints } = command;
  const text = typed(command);
  expect(text).not.toContain("…");
  // The shell makes way for the program, which gets the signals then.
  const child = spawn("/bin/sh", ["-ec", text], {
    cwd: checkout,
    env: environmentOf(command),
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  serving.push(child);
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (words: string) => (stdout += words));
  child.stderr.setEncoding("utf8").on("data", (words: string) => (stderr += words));
  const ended = once(child, "close").then(() => true);
  const isUp = async (): Promise<boolean> => {
    while (!/^ready /mu.test(stdout) && child.exitCode === null) await realTiming.sleep(100);
    return child.exitCode === null;
  };
  if (outcome === "serves") expect(await isUp(), stderr + stdout).toBe(true);
  else {
    await ended;
    expect(child.exitCode, stderr + stdout).toBe(outcome);
  }
  if (prints !== undefined) await expect.poll(() => stdout, { timeout: 10_000 }).toMatch(prints);
}

beforeAll(async () => {
  directory = temporaryDirectory();
  checkout = join(directory.path, "hostledger");
  mkdirSync(join(directory.path, "home"));
  copyCheckout();
  postgres = await startPostgresServer();
  await reservePorts("9000", "2113", "8090", "8091");
});

afterAll(async () => {
  for (const child of serving.toReversed()) {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) continue;
    const closed = once(child, "close");
    process.kill(-child.pid, "SIGTERM");
    await closed;
  }
  await postgres.stop();
  directory.remove();
});

describe("the README", () => {
  it("has no command without a test here", () => {
    const known = lines.map(({ line }) => line);
    expect(commands.map(({ line }) => line).toSorted()).toEqual(known.toSorted());
  });

  it.each(lines)("has $line, which works", run);
});
