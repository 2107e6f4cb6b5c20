import { parentPort, type MessagePort } from "node:worker_threads";

import {
  encodeFailure,
  type WriteMessage,
  type WriteOutcome,
  type WriteOutcomes,
} from "./write-channel.codec.ts";
import { openForWriting, WriteSession } from "./write-session.ts";

/** The thread that writes the read models, so that the main thread never waits for the disk. */
if (parentPort === null) throw new Error("the writer of read models runs as a worker thread only");
serve(parentPort);

function serve(port: MessagePort): void {
  const sessions = new Map<number, WriteSession>();
  port.on("message", ({ connection, path, requests }: WriteMessage) => {
    const session = (): WriteSession => {
      const known = sessions.get(connection) ?? new WriteSession(openForWriting(path));
      sessions.set(connection, known);
      return known;
    };
    const close = (): readonly unknown[] => {
      sessions.get(connection)?.close();
      sessions.delete(connection);
      return [];
    };
    const outcomes = requests?.map((request) => outcomeOf(() => session().carryOut(request)));
    const answer: WriteOutcomes = { connection, outcomes: outcomes ?? [outcomeOf(close)] };
    port.postMessage(answer);
  });
}

function outcomeOf(work: () => readonly unknown[]): WriteOutcome {
  try {
    return { rows: work() };
  } catch (error) {
    return { failure: encodeFailure(error) };
  }
}
