import { DatabaseSync } from "node:sqlite";
import { Worker } from "node:worker_threads";

import { expect, it, onTestFinished } from "vitest";

import { EventStoreUnavailableError } from "../event-store.port.ts";
import type { AppendRequest } from "./channel.ts";
import { CommitGroups } from "./commit-groups.ts";
import { openForWriting } from "./database.ts";
import { temporaryStorePath } from "./test-store.fixture.ts";
import { WriterClient } from "./writer-client.ts";

const time = "2026-01-02T03:04:05.000006Z";

function request(stream: string, expected: number, data: string): AppendRequest {
  const id = `${stream}/${String(expected + 1)}`;
  const fields = [id, "Something.v1", JSON.stringify(data), "{}"];
  return { kind: "append", time, streams: [stream], expected: [expected], counts: [1], fields };
}

function pagesOf(database: DatabaseSync): number {
  return Number(database.prepare("PRAGMA page_count").get()?.page_count);
}

it("a group without disk space is not stored, and is stored when there is space", () => {
  const path = temporaryStorePath();
  const database = openForWriting(path);
  const groups = new CommitGroups(database);
  onTestFinished(() => {
    groups.close();
  });
  expect(groups.commit([request("a-1", -1, "first")])).toMatchObject({ kind: "committed", positions: [1] });

  database.exec(`PRAGMA max_page_count = ${String(pagesOf(database) + 1)}`);
  const large = [request("a-1", 0, "second"), request("b-1", -1, "x".repeat(100_000))];
  for (let time = 0; time < 2; time += 1) expect(groups.commit(large)).toEqual({ kind: "full", requests: 2 });
  // A smaller append still fits and is stored.
  expect(groups.commit([request("c-1", -1, "small")])).toMatchObject({ positions: [2], revisions: [0] });

  database.exec("PRAGMA max_page_count = 100000");
  expect(groups.commit(large)).toMatchObject({ kind: "committed", positions: [3, 4], revisions: [1, 0] });
  const stored = new DatabaseSync(path, { readOnly: true });
  const ids = stored.prepare("SELECT id FROM events ORDER BY position").all();
  stored.close();
  expect(ids.map(({ id }) => id)).toEqual(["a-1/0", "c-1/0", "a-1/1", "b-1/0"]);
});

/** A writer that answers each request with the next of the given answers. */
const scripted = `
  const { parentPort, workerData } = require("node:worker_threads");
  const answers = [...workerData];
  parentPort.on("message", ({ kind }) => {
    if (kind === "close") parentPort.close();
    else parentPort.postMessage(answers.shift());
  });
`;

function clientOf(answers: readonly object[], failures: Error[]): WriterClient {
  const worker = new Worker(scripted, { eval: true, workerData: answers });
  const client = new WriterClient(worker, {
    lastPosition: 0,
    now: () => time,
    queueLimit: 1,
    onStored: () => undefined,
    onFailure: (error) => failures.push(error),
  });
  onTestFinished(() => client.close());
  return client;
}

const event = {
  id: "00000000-0000-4000-8000-000000000001",
  type: "Something.v1",
  data: "{}",
  metadata: "{}",
};

it("an append on a full disk is refused as one to send again, and the next one is accepted", async () => {
  const failures: Error[] = [];
  const committed = { kind: "committed", requests: 1, revisions: [0], positions: [1] };
  const client = clientOf([{ kind: "full", requests: 1 }, committed], failures);
  const refused = client.append("a-1", "no-stream", [event]);
  await expect(refused).rejects.toThrow("the event store has no room left: its disk is full");
  await expect(refused).rejects.toBeInstanceOf(EventStoreUnavailableError);
  await expect(client.append("a-1", "no-stream", [event])).resolves.toEqual({ revision: 0n, position: 1n });
  expect(failures).toEqual([]);
});

it("an append without an answer of the writer is refused as one to send again, and the store has failed", async () => {
  const failures: Error[] = [];
  const client = clientOf([{ kind: "failed", message: "disk I/O error" }], failures);
  for (let time = 0; time < 2; time += 1)
    await expect(client.append("a-1", "no-stream", [event])).rejects.toBeInstanceOf(
      EventStoreUnavailableError,
    );
  expect(failures).toMatchObject([{ name: "EventStoreFailedError" }]);
});
