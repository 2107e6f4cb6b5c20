import { accessSync, chmodSync, constants, mkdtempSync, readFileSync, rmSync, statfsSync } from "node:fs";
import { join } from "node:path";

/** Directory in which Linux keeps files in memory. */
const inMemory = "/dev/shm";

/** Free bytes required: several times the suite's peak use. */
const bytesNeeded = 4 * 1_024 ** 3;

/**
 * Sets the environment that every test inherits, before the first worker starts. Existing values stay.
 * @param cache folder for Node's cache of compiled modules.
 */
export function prepareTestEnvironment(environment: NodeJS.ProcessEnv, cache: string): void {
  // Each instance of a test starts threads, which would strip and compile their TypeScript anew.
  environment.NODE_COMPILE_CACHE ??= cache;
  environment.TMPDIR ??= folderInMemory();
  if (environment.TMPDIR === undefined) delete environment.TMPDIR;
}

/**
 * Creates a folder in memory, because tests create thousands of databases whose syncs take half of the time on a
 * disk. (`sync-before-answer` checks by system calls that a sync precedes each answer, on any file system.)
 * @returns a folder that is removed when this process ends; undefined if memory has no files, too little room, or
 * runs no programs (in most containers).
 */
function folderInMemory(): string | undefined {
  try {
    accessSync(inMemory, constants.W_OK);
    const { bavail, bsize } = statfsSync(inMemory);
    if (Math.min(bavail * bsize, process.availableMemory()) < bytesNeeded || !runsPrograms(inMemory))
      return undefined;
    const folder = mkdtempSync(join(inMemory, "hostledger-tests-"));
    // PostgreSQL runs as another user, who must reach its data.
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
