import { DatabaseSync } from "node:sqlite";
import { parentPort, workerData } from "node:worker_threads";

import { messageOf } from "../errors.ts";
import type { DdlJob } from "./background-ddl.ts";
import { isDatabaseFailure } from "./sqlite-connection.ts";

/** Runs DDL on a thread of its own; see `executeInBackground`. Errors lose their codes on the way, so they go as data. */
const { path, statements } = readJob(workerData);
const database = new DatabaseSync(path, { timeout: 5_000 });
try {
  database.exec("pragma synchronous = normal");
  for (const statement of statements) database.exec(statement);
} catch (error) {
  parentPort?.postMessage({ message: messageOf(error), databaseFailed: isDatabaseFailure(error) });
} finally {
  database.close();
}

function readJob(data: unknown): DdlJob {
  if (isJob(data)) return data;
  throw new Error("the thread was started without a job");
}

function isJob(data: unknown): data is DdlJob {
  return typeof data === "object" && data !== null && "path" in data && "statements" in data;
}
