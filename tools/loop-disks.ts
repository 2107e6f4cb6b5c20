import { existsSync, readFileSync } from "node:fs";

/** Says why this machine cannot cut the power of a disk (XFS on a loop device, which only root may mount); undefined if it can. */
export function noLoopDisks(): string | undefined {
  if (process.getuid?.() !== 0) return "only root may mount a disk";
  const isThere = existsSync("/dev/loop-control") && existsSync("/proc/filesystems");
  if (isThere && /\bxfs$/m.test(readFileSync("/proc/filesystems", "utf8"))) return undefined;
  return "this kernel has no XFS or no loop devices";
}
