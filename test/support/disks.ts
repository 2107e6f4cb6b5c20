import { execFileSync } from "node:child_process";
import { chmodSync } from "node:fs";

import { temporaryDirectory } from "@hostledger/runtime/testing";

/** A place to put data in. */
export interface Disk {
  readonly path: string;
  remove(): void;
}

/** A disk that is soon full. */
export interface SmallDisk extends Disk {
  /** Set where it is not a disk that ends but, without the privilege to mount one, every file: in blocks of 512 bytes. */
  readonly fileBlocks?: number;
}

/** A disk with room for so many MiB. */
export function smallDisk(mebibytes: number): SmallDisk {
  const directory = temporaryDirectory();
  return mounted(directory, `size=${String(mebibytes)}m`) ?? { ...directory, fileBlocks: mebibytes * 1_024 };
}

/** A directory that cannot be written. */
export function readOnlyDirectory(): Disk {
  const directory = temporaryDirectory();
  const readOnly = mounted(directory, "ro");
  if (readOnly !== undefined) return readOnly;
  if (process.getuid?.() === 0) {
    directory.remove();
    // Root writes everywhere unless the disk refuses, and without the privilege to mount the test runs in a
    // container, where this path refuses.
    return { path: "/sys/hostledger-test", remove: () => undefined };
  }
  chmodSync(directory.path, 0o500);
  return directory;
}

/** A file system in memory on the directory; undefined where this user may not mount one. */
function mounted({ path, remove }: Disk, options: string): Disk | undefined {
  try {
    // Only the owner may access it, as required of a data directory.
    execFileSync("mount", ["-t", "tmpfs", "-o", `mode=0700,${options}`, "tmpfs", path], { stdio: "ignore" });
  } catch {
    return undefined;
  }
  return {
    path,
    remove() {
      execFileSync("umount", [path]);
      remove();
    },
  };
}
