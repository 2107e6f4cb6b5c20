// @ts-check
/**
 * `node tools/bootstrap.mjs <command> [arguments…]` installs what is missing and then runs a command of the workspace
 * with the workspace's own Node and pnpm, which come as npm packages. It is plain JavaScript and needs only Node 20 and
 * npm, because it runs before anything else is there.
 *
 * "Missing" means: the dependencies in `node_modules` are not those of the lockfile and the manifests. A stamp written
 * after each install settles this without starting pnpm, so a second run downloads nothing and costs milliseconds.
 */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { constants } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isatty } from "node:tty";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const binaries = join(root, "node_modules", ".bin");
const stampFile = join(root, "node_modules", ".bootstrap-stamp");
const lockFile = join(root, ".bootstrap.lock");

const lockWaitMilliseconds = 10 * 60_000;
const lockPollMilliseconds = 250;
const keptOutputCharacters = 64_000;

/** One Ctrl-C can come twice: from the terminal and from npm, which passes it on. This long, they count as one. */
const sameSignalMilliseconds = 500;

const [command, ...parameters] = process.argv.slice(2);
if (command === undefined) {
  complain("usage: node tools/bootstrap.mjs <command> [arguments…]");
  process.exit(2);
}
await installWhatIsMissing();
const path = `${binaries}${delimiter}${process.env.PATH ?? ""}`;
const local = join(binaries, command);
const { status } = await run(existsSync(local) ? local : command, parameters, {
  env: { ...process.env, PATH: path },
  stdio: "inherit",
});
process.exit(status);

async function installWhatIsMissing() {
  if (isInstalled()) return;
  await takeLock();
  let status = 0;
  try {
    // Whoever held the lock before may have installed it all.
    if (!isInstalled()) status = await install();
  } finally {
    rmSync(lockFile, { force: true });
  }
  if (status !== 0) process.exit(status);
}

function isInstalled() {
  return (
    existsSync(join(binaries, "node")) &&
    existsSync(stampFile) &&
    readFileSync(stampFile, "utf8") === fingerprint()
  );
}

/** Changes whenever an install could have another result: other dependencies, or another kind of machine. */
function fingerprint() {
  const hash = createHash("sha256").update(`${process.platform} ${process.arch}`);
  for (const file of ["pnpm-lock.yaml", "pnpm-workspace.yaml", ...manifests()]) {
    hash.update(`\n${file}\n`).update(readFileSync(join(root, file)));
  }
  return hash.digest("hex");
}

/** Every package.json of the workspace. Packages lie at most two folders deep. */
function manifests(folder = "", depth = 2) {
  /** @type {string[]} */
  const found = existsSync(join(root, folder, "package.json")) ? [join(folder, "package.json")] : [];
  if (depth === 0) return found;
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    // What `pnpm build` makes is no part of the workspace.
    if (!entry.isDirectory() || ["node_modules", "dist"].includes(entry.name) || entry.name.startsWith("."))
      continue;
    found.push(...manifests(join(folder, entry.name), depth - 1));
  }
  return found.sort();
}

/** Runs pnpm from the npm registry, since there may be none here yet. Returns the exit status. */
async function install() {
  const { node, pnpm } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")).devDependencies;
  complain("installing what is missing (the first time takes about half a minute) …");
  const script = "pnpm install --frozen-lockfile --prefer-offline --config.confirm-modules-purge=false";
  const { status, output } = await run(
    "npx",
    [
      "--yes",
      "--prefer-offline",
      "--fetch-retries=1",
      "-p",
      `node@${node}`,
      "-p",
      `pnpm@${pnpm}`,
      "-c",
      script,
    ],
    {
      cwd: root,
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  if (status === 0) {
    writeFileSync(stampFile, fingerprint());
    return 0;
  }
  process.stderr.write(output);
  complain(
    /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ENETUNREACH|EHOSTUNREACH|ETIMEDOUT|META_FETCH_FAIL|dns error/i.test(
      output,
    )
      ? "the dependencies could not be installed: the npm registry cannot be reached. Connect to the network, or set npm's `registry` or `proxy`, and try again."
      : "the dependencies could not be installed; the output above says why.",
  );
  return status;
}

/**
 * Waits until this process alone may install. The lock is a symbolic link to the owner's pid: unlike a file or folder it
 * is created together with its content, so nobody ever sees a lock without an owner.
 */
async function takeLock() {
  const giveUpAt = Date.now() + lockWaitMilliseconds;
  let announced = false;
  while (!tryLock()) {
    const owner = lockOwner();
    if (owner !== undefined && !isRunning(owner)) {
      breakLock(owner);
      continue;
    }
    if (!announced) complain("another process is installing; waiting for it …");
    announced = true;
    if (Date.now() > giveUpAt) {
      complain(
        `gave up waiting for process ${String(owner)} to install. If it does not, remove ${lockFile}.`,
      );
      process.exit(1);
    }
    await sleep(lockPollMilliseconds);
  }
}

function tryLock() {
  try {
    symlinkSync(String(process.pid), lockFile);
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    complain(`cannot write to ${root}: ${String(error)}`);
    process.exit(1);
  }
}

/** The pid that holds the lock, or undefined when it has just been released. */
function lockOwner() {
  try {
    return Number(readlinkSync(lockFile));
  } catch {
    return undefined;
  }
}

/** Removes the lock of a dead process. Renaming first makes sure that a new owner's lock is not taken away with it. */
function breakLock(/** @type {number} */ owner) {
  const aside = `${lockFile}.${String(process.pid)}`;
  try {
    renameSync(lockFile, aside);
    if (Number(readlinkSync(aside)) === owner) rmSync(aside);
    else renameSync(aside, lockFile);
  } catch {
    // Somebody else broke it first.
  }
}

function isRunning(/** @type {number} */ pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
}

/**
 * Runs a program to its end, passes signals on to it, and answers the exit status a shell would show: its own, or
 * 128 + n when signal n ended it. Output that is not inherited is kept, up to a bound.
 *
 * @param {string} program
 * @param {string[]} parameters
 * @param {import("node:child_process").SpawnOptions} options
 * @returns {Promise<{ status: number, output: string }>}
 */
function run(program, parameters, options) {
  return new Promise((resolve) => {
    const child = spawn(program, parameters, options);
    const stopForwarding = forwardSignals(child);
    let output = "";
    const keep = (/** @type {Buffer} */ chunk) =>
      (output = (output + chunk.toString()).slice(-keptOutputCharacters));
    child.stdout?.on("data", keep);
    child.stderr?.on("data", keep);
    child.once("error", (error) => {
      stopForwarding();
      complain(
        codeOf(error) === "ENOENT"
          ? `there is no command ${program} here.`
          : `${program} could not be started: ${error.message}`,
      );
      resolve({ status: codeOf(error) === "ENOENT" ? 127 : 126, output });
    });
    child.once("close", (code, signal) => {
      stopForwarding();
      resolve({ status: signal === null ? (code ?? 1) : 128 + constants.signals[signal], output });
    });
  });
}

/**
 * Passes on signals sent to this process alone. The child stays in this process group, so that killing the group kills
 * it too; a terminal's Ctrl-C therefore reaches it by itself, and must not be sent a second time.
 *
 * @param {import("node:child_process").ChildProcess} child
 */
function forwardSignals(child) {
  const atTerminal = [0, 1, 2].some((descriptor) => isatty(descriptor));
  let last = { signal: "", time: 0 };
  const forward = (/** @type {NodeJS.Signals} */ signal) => {
    const repeated = last.signal === signal && Date.now() - last.time < sameSignalMilliseconds;
    last = { signal, time: Date.now() };
    if (!repeated && !(signal === "SIGINT" && atTerminal)) child.kill(signal);
  };
  /** @type {NodeJS.Signals[]} */
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
  for (const signal of signals) process.on(signal, forward);
  return () => {
    for (const signal of signals) process.off(signal, forward);
  };
}

function codeOf(/** @type {unknown} */ error) {
  return error instanceof Error && "code" in error ? error.code : undefined;
}

function complain(/** @type {string} */ sentence) {
  process.stderr.write(`hostledger: ${sentence}\n`);
}
