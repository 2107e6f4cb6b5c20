import { readdirSync, readFileSync } from "node:fs";

/** Milliseconds of a clock tick in /proc/PID/stat: the 100 ticks a second of every Linux that Node runs on (proc(5)). */
const tickMs = 10;

/** A process, as listed by the kernel. */
interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly usedMs: number;
}

/**
 * Processor time that all processes below this one have used so far, in milliseconds; of those that have ended, none. Linux only:
 * elsewhere 0.
 *
 * @param except processes that do not count, nor those below them.
 */
export function processorTimeBelowMs(except: readonly number[]): number {
  const children = Map.groupBy(processes(), ({ parent }) => parent);
  const below = (pid: number): number =>
    (children.get(pid) ?? [])
      .filter((child) => !except.includes(child.pid))
      .reduce((sum, child) => sum + child.usedMs + below(child.pid), 0);
  return below(process.pid);
}

/** Processor time that one process has used so far, in milliseconds; 0 where it has ended, and elsewhere than on Linux. */
export function processorTimeOfMs(pid: number): number {
  return processes().find((process) => process.pid === pid)?.usedMs ?? 0;
}

function processes(): Process[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc").flatMap((name) => {
    const pid = Number(name);
    if (!Number.isInteger(pid)) return [];
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "utf8");
      // The second field is the program's name in brackets, which may hold anything.
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      const [parent, user, system] = [fields[1], fields[11], fields[12]].map(Number);
      return [{ pid, parent: parent ?? 0, usedMs: ((user ?? 0) + (system ?? 0)) * tickMs }];
    } catch {
      // The process has ended meanwhile.
      return [];
    }
  });
}
