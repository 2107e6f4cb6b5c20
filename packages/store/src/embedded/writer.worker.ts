import { parentPort, type MessagePort } from "node:worker_threads";

import { afterThisTurn } from "@hostledger/runtime/event-loop";

import type { AppendRequest, CloseRequest, WriterAnswer, WriterRequest } from "./channel.ts";
import { CommitGroups } from "./commit-groups.ts";
import { messageOf, opening, openForWriting } from "./database.ts";

/**
 * The writer thread, the only writer of the file. While a commit runs, requests queue. The event loop delivers all of
 * them in one turn, and one sync commits them together. A single append therefore never waits, and groups grow with the
 * load.
 */

/** Maximum events of one transaction, so that a long queue is answered in steps; a single request may exceed it. */
const groupLimit = 4_096;

if (parentPort === null) throw new Error("the writer runs as a worker thread only");
serve(parentPort);

function serve(port: MessagePort): void {
  let commits: CommitGroups | undefined;
  const inbox: (AppendRequest | CloseRequest)[] = [];
  port.on("message", (request: WriterRequest) => {
    if (request.kind === "open") {
      guarded(port, () => {
        commits = openCommits(request.path);
        answer(port, { kind: "ready" });
      });
      return;
    }
    inbox.push(request);
    if (inbox.length > 1) return;
    afterThisTurn(() => {
      guarded(port, () => {
        if (commits === undefined) throw new Error("no store is open");
        drain(port, commits, inbox);
      });
    });
  });
}

function openCommits(path: string): CommitGroups {
  const database = openForWriting(path);
  return opening(path, () => new CommitGroups(database));
}

/**
 * Stops all writing after a failed sync, because the kernel's buffers are in an unknown state. The main thread ends the
 * process.
 */
function guarded(port: MessagePort, work: () => void): void {
  try {
    work();
  } catch (error) {
    answer(port, { kind: "failed", message: messageOf(error) });
    port.close();
  }
}

function drain(port: MessagePort, commits: CommitGroups, inbox: (AppendRequest | CloseRequest)[]): void {
  while (inbox.length > 0) {
    const group = takeGroup(inbox);
    if (group.length > 0) answer(port, commits.commit(group));
    if (inbox[0]?.kind !== "close") continue;
    inbox.shift();
    commits.close();
    answer(port, { kind: "closed" });
  }
}

function takeGroup(inbox: (AppendRequest | CloseRequest)[]): readonly AppendRequest[] {
  const group: AppendRequest[] = [];
  let events = 0;
  for (const request of inbox) {
    if (request.kind === "close" || events >= groupLimit) break;
    group.push(request);
    events += request.fields.length / 4;
  }
  inbox.splice(0, group.length);
  return group;
}

function answer(port: MessagePort, message: WriterAnswer): void {
  port.postMessage(message);
}
