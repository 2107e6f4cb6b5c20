import { parentPort, type MessagePort } from "node:worker_threads";

import { afterThisTurn } from "@hostledger/runtime/event-loop";

import type { AppendRequest, CloseRequest, WriterAnswer, WriterRequest } from "./channel.ts";
import { CommitGroups } from "./commit-groups.ts";
import { messageOf, opening, openForWriting } from "./database.ts";

/**
 * The writer thread: it alone writes the file. There is no timer in it. While a commit runs, requests queue; the event
 * loop then delivers all of them before its turn is over, and they are committed together, with one sync. So an
 * append that comes alone waits for nobody, and under load the groups grow by themselves.
 */

/** Events of one transaction, so that a long queue is answered in steps; a single request may exceed it. */
const groupLimit = 4_096;

if (parentPort === null) throw new Error("the writer runs as a worker thread only");
serve(parentPort);

/** Serves one store after the other. */
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

/** Nothing may be written after a failed sync: what the kernel still holds is unknown. The main side ends the process. */
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
