import { accessSync, chmodSync, constants, mkdtempSync, readFileSync, rmSync, statfsSync } from "node:fs";
import { join } from "node:path";

/** Where Linux keeps files in memory. */
const inMemory = "/dev/shm";

/** Bytes that have to be free: several times of what the whole suite holds at a time. */
const bytesNeeded = 4 * 1_024 ** 3;

/**
 * Puts into an environment what every test is to find there, before the first worker starts, which inherits it. What
 * somebody has set is left as it is.
 *
 * @param cache a folder for what Node keeps of the modules it has compiled.
 */
export function prepareTestEnvironment(environment: NodeJS.ProcessEnv, cache: string): void {
  // Each instance of a test starts threads, which would strip and compile their TypeScript anew.
  environment.NODE_COMPILE_CACHE ??= cache;
  environment.TMPDIR ??= folderInMemory();
  if (environment.TMPDIR === undefined) delete environment.TMPDIR;
}

/**
 * Thousands of databases come and go in the tests, each synced before it answers: on a disk that takes half of the time. That
 * a sync comes before the answer is seen in the calls of the system (`sync-before-answer`), whatever is below them.
 *
 * @returns a new folder in memory, removed when this process ends; undefined where memory has no files, or too little room
 * for them, or runs no programs (in most containers).
 */
function folderInMemory(): string | undefined {
  try {
    accessSync(inMemory, constants.W_OK);
    const { bavail, bsize } = statfsSync(inMemory);
    if (Math.min(bavail * bsize, process.availableMemory()) < bytesNeeded || !runsPrograms(inMemory))
      return undefined;
    const folder = mkdtempSync(join(inMemory, "hostledger-tests-"));
    // PostgreSQL has a user of its own, who must be able to get at its data.
    chmodSync(folder, 0o711);
    process.once("exit", () => {
      rmSync(folder, { recursive: true, force: true });
    });
    return folder;
  } catch {
    return undefined;
  }
}

/** @param path where a file system is mounted. */
function runsPrograms(path: string): boolean {
  const mounts = readFileSync("/proc/self/mounts", "utf8").split("\n");
  const mount = mounts.map((line) => line.split(" ")).find(([, place]) => place === path);
  return mount?.[3]?.split(",").includes("noexec") === false;
}
