import { execFileSync } from "node:child_process";
import { mkdirSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { temporaryDirectory } from "@hostledger/runtime/testing";

import type { Disk } from "./disks.ts";

/** A disk whose power can be cut: unsynced data is lost, as on a real machine. */
export interface CuttableDisk extends Disk {
  /** Cuts the power. Whoever uses the disk gets errors from now on. */
  cut(): void;
  /** Has the power back. Nobody may have a file open there any more. */
  repower(): void;
}

/** Minimum size for today's mkfs.xfs; the image file is sparse. */
const imageBytes = 400 * 1_048_576;

/**
 * An XFS of its own on a loop device. It is shut down without writing its log, so that data and names that nobody synced are
 * dropped. Only root may do that, where there are loop devices: see the tier `xfs`.
 */
export function cuttableDisk(): CuttableDisk {
  const directory = temporaryDirectory();
  const image = join(directory.path, "image");
  const path = join(directory.path, "disk");
  writeFileSync(image, "");
  truncateSync(image, imageBytes);
  mkdirSync(path);
  const run = (program: string, ...line: string[]): void => {
    execFileSync(program, line, { stdio: ["ignore", "ignore", "pipe"] });
  };
  const mount = (): void => {
    run("mount", "-t", "xfs", "-o", "loop", image, path);
  };
  run("mkfs.xfs", "-q", image);
  mount();
  return {
    path,
    cut() {
      run("xfs_io", "-x", "-c", "shutdown", path);
    },
    repower() {
      run("umount", path);
      mount();
    },
    remove() {
      run("umount", path);
      directory.remove();
    },
  };
}
