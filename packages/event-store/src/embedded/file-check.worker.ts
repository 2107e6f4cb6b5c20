import { parentPort, workerData } from "node:worker_threads";

import { checkDatabase } from "./file-check.ts";

/** Looking at every page of a large file takes long: in a thread of its own it holds up nobody. */

if (parentPort === null) throw new Error("the check of a store's file runs as a worker thread only");
// The way of checking stands before the path, which may hold anything.
const [how = "", ...path] = String(workerData).split(" ");
parentPort.postMessage(checkDatabase(path.join(" "), how === "whole" ? "whole" : "quick"));
