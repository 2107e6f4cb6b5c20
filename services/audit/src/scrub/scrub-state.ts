import { join } from "node:path";

import { logFiles } from "../log/log-files.ts";
import type { LogPlace } from "../log.port.ts";

/** What a scrub remembers across restarts. Losing it costs a round that begins anew, and nothing else. */
export interface ScrubState {
  readonly place: LogPlace;
  /** When the present round began. */
  readonly roundStartedAt: string | undefined;
  /** When the last full round ended. */
  readonly roundEndedAt: string | undefined;
  /** Events of the present round that are not those of the log. */
  readonly differences: number;
  /** Those of the last full round. */
  readonly lastDifferences: number;
  /** The first difference that is known, in words; undefined where there is none. */
  readonly first: string | undefined;
  /** What is wrong with a file of the log, a sentence; undefined where nothing is. */
  readonly tileFault: string | undefined;
  /** When the store's file was looked at last. */
  readonly fileCheckedAt: string | undefined;
  /** What was wrong with the file then, a clause each. */
  readonly fileProblems: readonly string[];
}

/** Where a scrub keeps its state. */
export interface ScrubMemory {
  read(): Promise<ScrubState>;
  write(state: ScrubState): Promise<void>;
}

/** Before the first round. */
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

/** The state in the log's directory, beside what it is about. A file that cannot be read is as good as none. */
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

/** Every member is looked at on its own: what is not as it has to be is left out. */
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
