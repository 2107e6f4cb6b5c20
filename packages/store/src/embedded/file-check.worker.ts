import { parentPort, workerData } from "node:worker_threads";

import { checkDatabase } from "./file-check.ts";

/** A check of a large file takes long, so it runs in a thread of its own. */

if (parentPort === null) throw new Error("the check of a store's file runs as a worker thread only");
// The extent comes before the path, because a path may contain spaces.
const [how = "", ...path] = String(workerData).split(" ");
parentPort.postMessage(checkDatabase(path.join(" "), how === "whole" ? "whole" : "quick"));
