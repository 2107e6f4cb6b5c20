import { join } from "node:path";

import { logFiles } from "../log/log-files.ts";
import type { LogPlace } from "../log.port.ts";

/** Stored state of a scrub. If it is lost, the present round begins again. */
export interface ScrubState {
  readonly place: LogPlace;
  readonly roundStartedAt: string | undefined;
  readonly roundEndedAt: string | undefined;
  /** Differing events in the present round. */
  readonly differences: number;
  /** Differing events in the last full round. */
  readonly lastDifferences: number;
  /** The first known difference, in words; undefined if there is none. */
  readonly first: string | undefined;
  /** A sentence about a damaged file of the log; undefined if there is none. */
  readonly tileFault: string | undefined;
  /** Time of the last check of the store's file. */
  readonly fileCheckedAt: string | undefined;
  /** Problems that this check found, one clause each. */
  readonly fileProblems: readonly string[];
}

export interface ScrubMemory {
  read(): Promise<ScrubState>;
  write(state: ScrubState): Promise<void>;
}

export const nothingScrubbed: ScrubState = {
  place: { index: 0, after: "start" },
  roundStartedAt: undefined,
  roundEndedAt: undefined,
  differences: 0,
  lastDifferences: 0,
  first: undefined,
  tileFault: undefined,
  fileCheckedAt: undefined,
  fileProblems: [],
};

const fileName = "scrub.json";
const fileMode = 0o644;
const maximumProblems = 20;

/** Stores the state in the log's directory. An unreadable file counts as missing. */
export function scrubFile(dataDirectory: string): ScrubMemory {
  const files = logFiles(join(dataDirectory, "audit"));
  return {
    async read() {
      try {
        return stateOf(JSON.parse(Buffer.from((await files.read(fileName)) ?? []).toString("utf8")));
      } catch {
        return nothingScrubbed;
      }
    },
    write: (state) => {
      const { place, fileProblems, ...others } = state;
      const written = {
        ...others,
        index: place.index,
        after: String(place.after),
        fileProblems: fileProblems.slice(0, maximumProblems),
      };
      return files.replace(fileName, `${JSON.stringify(written)}\n`, fileMode);
    },
  };
}

/** Reads each member on its own and leaves out invalid ones. */
function stateOf(value: unknown): ScrubState {
  const members = new Map(typeof value === "object" && value !== null ? Object.entries(value) : []);
  const textOf = (name: string): string | undefined => {
    const member: unknown = members.get(name);
    return typeof member === "string" ? member : undefined;
  };
  const countOf = (name: string): number => {
    const member: unknown = members.get(name);
    return typeof member === "number" && Number.isSafeInteger(member) && member >= 0 ? member : 0;
  };
  const problems: unknown = members.get("fileProblems");
  const after = textOf("after") ?? "";
  const isPlace = /^\d{1,39}$/u.test(after);
  return {
    place: isPlace ? { index: countOf("index"), after: BigInt(after) } : nothingScrubbed.place,
    roundStartedAt: textOf("roundStartedAt"),
    roundEndedAt: textOf("roundEndedAt"),
    differences: countOf("differences"),
    lastDifferences: countOf("lastDifferences"),
    first: textOf("first"),
    tileFault: textOf("tileFault"),
    fileCheckedAt: textOf("fileCheckedAt"),
    fileProblems: Array.isArray(problems) ? problems.filter((each) => typeof each === "string") : [],
  };
}
