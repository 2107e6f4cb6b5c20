import type { Configuration } from "@hostledger/host/configuration";
import { createLogger, type Logger } from "@hostledger/runtime";

import type { Io } from "../io.ts";

/** Where a part that runs tells what it does. */
export interface StartLog {
  readonly logger: Logger;
  /** A sentence for the person who looks on; where nobody does, nothing. */
  readonly say: (sentence: string) => void;
}

/**
 * The log of a part. At a terminal a person looks on, who is told in a few sentences, and in lines that can be read when something
 * is wrong; programs get JSON. Whoever sets the log's level or format has chosen, and is told nothing else.
 */
export function openStartLog(io: Io, { logLevel, logFormat }: Configuration): StartLog {
  const { HOSTLEDGER_LOG_LEVEL: level, HOSTLEDGER_LOG_FORMAT: format } = io.environment;
  const isWatched = io.errColumns !== undefined && level === undefined && format === undefined;
  return {
    logger: createLogger({
      level: isWatched ? "warn" : logLevel,
      format: isWatched ? "pretty" : logFormat,
      sink: { write: io.err },
    }),
    say(sentence) {
      if (isWatched) io.err(`${sentence}\n`);
    },
  };
}
