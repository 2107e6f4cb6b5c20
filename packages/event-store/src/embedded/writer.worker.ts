import { parentPort, workerData, type MessagePort } from "node:worker_threads";

import { afterThisTurn } from "@hostledger/runtime/event-loop";

import type { AppendRequest, WriterAnswer, WriterRequest } from "./channel.ts";
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
start(parentPort, String(workerData));

function start(port: MessagePort, path: string): void {
  guarded(port, () => {
    const database = openForWriting(path);
    const commits = opening(path, () => new CommitGroups(database));
    const inbox: WriterRequest[] = [];
    port.on("message", (request: WriterRequest) => {
      inbox.push(request);
      if (inbox.length > 1) return;
      afterThisTurn(() => {
        guarded(port, () => {
          drain(port, commits, inbox);
        });
      });
    });
    answer(port, { kind: "ready" });
  });
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

function drain(port: MessagePort, commits: CommitGroups, inbox: WriterRequest[]): void {
  while (inbox.length > 0) {
    const group = takeGroup(inbox);
    if (group.length > 0) answer(port, commits.commit(group));
    if (inbox[0]?.kind !== "close") continue;
    commits.close();
    port.close();
    return;
  }
}

function takeGroup(inbox: WriterRequest[]): readonly AppendRequest[] {
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
