import type { BatchAppendReq, ReadReq } from "@eventstore/db-client/generated/streams_pb.js";
import { status } from "@grpc/grpc-js";
import { realTiming } from "@hostledger/runtime/async";
import { afterEach, describe, expect, it } from "vitest";
import { collect, isCaughtUp, listen, newEvents } from "@hostledger/store/testing";
import type { EventStore } from "@hostledger/store";

import { openEventStoreDb } from "./eventstoredb-event-store.adapter.ts";
import {
  caughtUp,
  checkpointAt,
  eventAt,
  failCall,
  invalidArgument,
  missingStream,
  refused,
  startScriptedServer,
  stored,
  type Script,
  type ScriptedServer,
} from "./scripted-server.fixture.ts";

const limits = { answerMs: 200, firstPauseMs: 1, longestPauseMs: 5, overallMs: 20_000 };

let server: ScriptedServer;
let store: EventStore;
const warnings: unknown[] = [];
afterEach(async () => {
  await store.close();
  server.stop();
  warnings.length = 0;
});

async function open(script: Script, answerMs = limits.answerMs, sharesTail = false): Promise<EventStore> {
  server = await startScriptedServer(script);
  store = await openEventStoreDb({
    connectionString: server.connectionString,
    limits: { ...limits, answerMs },
    sharesTail,
    logger: { warn: (fields) => warnings.push(fields) },
  });
  return store;
}

/** Returns the requested start of a subscription: a position, or `start`. */
function startOf(request: ReadReq): string {
  return request.getOptions()?.getAll()?.getPosition()?.getCommitPosition() ?? "start";
}

const isSubscription = (request: ReadReq): boolean => request.getOptions()?.hasSubscription() ?? false;

/**
 * Answers the question for the end of the log that precedes a subscription, and passes subscriptions on with their
 * number.
 */
function logEndingAt(
  end: number,
  subscribed: (call: Parameters<Script["read"]>[0], time: number) => void,
): Script["read"] {
  let time = 0;
  return (call) => {
    if (isSubscription(call.request)) {
      time += 1;
      subscribed(call, time);
      return;
    }
    call.write(eventAt(end));
    call.end();
  };
}

describe("a server that says what servers say seldom", () => {
  it("is waited for while it starts", async () => {
    let asked = 0;
    await open({
      read: (call) => {
        asked += 1;
        if (asked < 4) failCall(call, status.UNAVAILABLE, "Server Is Not Ready");
        else call.end();
      },
    });
    expect(asked).toBe(4);
    expect(await store.lastPosition()).toBeUndefined();
  });

  it("gets an append again, with the same ids at the same revision, until it is ready", async () => {
    const requests: BatchAppendReq[] = [];
    const answers = [
      "Server Is Not Ready",
      ["Operation timed out", "event_store.client.Timeout"],
      "failing stream",
      "silence",
      "success",
    ] as const;
    await open({
      read: (call) => call.end(),
      append: (request, call) => {
        const answer = answers[requests.length];
        requests.push(request);
        if (answer === "success") call.write(stored(request, 4));
        else if (answer === "failing stream")
          call.emit("error", Object.assign(new Error(answer), { code: 13 }));
        else if (answer === "Server Is Not Ready") call.write(refused(request, answer));
        else if (answer !== "silence" && answer !== undefined) call.write(refused(request, ...answer));
      },
    });
    const events = newEvents(2);
    expect(await store.append("account-1", 2n, events)).toEqual({ revision: 4n, position: 70n });
    expect(requests.map((request) => request.getOptions()?.getStreamPosition())).toEqual(Array(5).fill("2"));
    for (const request of requests) {
      const ids = request.getProposedMessagesList().map((message) => message.getId()?.getString());
      expect(ids).toEqual(events.map(({ id }) => id));
    }
    expect(new Set(requests.map((request) => request.getCorrelationId()?.getString())).size).toBe(5);
  });

  it("gets everything again at once that was on a stream that failed", async () => {
    let sent = 0;
    const answerMs = 600_000;
    await open(
      {
        read: (call) => call.end(),
        append: (request, call) => {
          sent += 1;
          if (sent > 3) call.write(stored(request, 0));
          if (sent === 3) call.emit("error", Object.assign(new Error("one is impossible"), { code: 13 }));
        },
      },
      answerMs,
    );
    const appends = ["account-1", "account-2", "account-3"].map((stream) =>
      store.append(stream, "no-stream", newEvents(1)),
    );
    expect(await Promise.all(appends)).toHaveLength(3);
    expect(sent).toBe(6);
  });

  it.each([
    ["event_store.client.AccessDenied", "unauthorised"],
    ["event_store.client.StreamDeleted", "stream-deleted"],
    ["event_store.client.BadRequest", "refused"],
  ])("is believed when it refuses with %s", async (type, reason) => {
    let sent = 0;
    await open({
      read: (call) => call.end(),
      append: (request, call) => {
        sent += 1;
        // BadRequest comes with the code of an invalid argument; the others with none that helps.
        call.write(refused(request, "no", type, reason === "refused" ? invalidArgument : undefined));
      },
    });
    const append = store.append("account-1", "no-stream", newEvents(1));
    await expect(append).rejects.toMatchObject({ name: "EventStoreDbError", reason });
    expect(sent).toBe(1);
  });

  it('is followed again from the last position after "consumer too slow"', async () => {
    const starts: string[] = [];
    await open({
      read: logEndingAt(20, (call, time) => {
        starts.push(startOf(call.request));
        if (time === 1) {
          for (const message of [eventAt(10), eventAt(20), caughtUp(), eventAt(30)]) call.write(message);
          realTiming.after(50, () => {
            failCall(
              call,
              status.ABORTED,
              "Operation timed out: Consumer too slow to handle event while live.",
            );
          });
        } else {
          // A server that begins too early does no harm either.
          for (const message of [eventAt(30), eventAt(40), caughtUp()]) call.write(message);
        }
      }),
    });
    const { events } = await listen(store.subscribe({ from: "start" }), (heard) => heard.events.length >= 4);
    expect(events.map(({ position }) => position)).toEqual([10n, 20n, 30n, 40n]);
    expect(starts).toEqual(["start", "30"]);
    expect(warnings).toHaveLength(1);
  });

  it("is subscribed to once for all that begin at its end", async () => {
    const starts: string[] = [];
    const read = logEndingAt(30, (call) => {
      starts.push(startOf(call.request));
      call.write(caughtUp());
      realTiming.after(30, () => {
        call.write(eventAt(40));
      });
    });
    await open({ read }, limits.answerMs, true);
    const both = (["end", 30n] as const).map((from) =>
      listen(store.subscribe({ from }), ({ events }) => events.length > 0),
    );
    for (const { batches } of await Promise.all(both))
      expect(batches.map(({ position, caughtUp: isAtEnd }) => [position, isAtEnd])).toEqual([
        [30n, true],
        [40n, true],
      ]);
    expect(starts).toEqual(["30"]);
  });

  it("does not return EventStoreDB's own events: metadata, links, tombstones and system streams", async () => {
    await open({
      read: logEndingAt(60, (call) => {
        call.write(eventAt(10, "$$account-1", "$metadata"));
        call.write(eventAt(20, "account-1", "$>"));
        call.write(eventAt(30, "account-1", "$streamDeleted"));
        call.write(eventAt(40, "$ce-account"));
        call.write(eventAt(50));
        call.write(eventAt(60, "other-1"));
        call.write(caughtUp());
      }),
    });
    const everything = await listen(store.subscribe({ from: "start" }), isCaughtUp);
    expect(everything.events.map(({ position }) => position)).toEqual([50n, 60n]);
    const system = await listen(store.subscribe({ from: "start", streamPrefixes: ["$", "acc"] }), isCaughtUp);
    expect(system.events.map(({ position }) => position)).toEqual([50n]);
  });

  it("returns positions of its checkpoints, and none beyond the end of the log during catch-up", async () => {
    await open({
      read: logEndingAt(30, (call) => {
        for (const place of [10, 20, 99]) call.write(checkpointAt(place));
        realTiming.after(30, () => {
          call.write(caughtUp());
          realTiming.after(30, () => {
            call.write(checkpointAt(110, 110));
          });
        });
      }),
    });
    const { batches } = await listen(
      store.subscribe({ from: "start" }),
      ({ batches: all }) => all.length >= 3,
    );
    expect(batches).toEqual([
      { events: [], position: 20n, caughtUp: false },
      { events: [], position: 30n, caughtUp: true },
      { events: [], position: 110n, caughtUp: true },
    ]);
  });

  it("must wait with unread events, so that a slow consumer's memory is bounded", async () => {
    const total = 20_000;
    let written = 0;
    const writeOn = (call: Parameters<Script["read"]>[0]): void => {
      while (written < total) {
        written += 1;
        if (!call.write(eventAt(written * 10))) {
          call.once("drain", () => {
            writeOn(call);
          });
          return;
        }
      }
    };
    await open({
      read: logEndingAt(total * 10, (call) => {
        // A client that was cut off, on a machine that was busy elsewhere, goes on from where it was.
        const start = startOf(call.request);
        written = start === "start" ? 0 : Number(start) / 10;
        writeOn(call);
      }),
    });
    const iterator = store.subscribe({ from: "start" })[Symbol.asyncIterator]();
    const first = await iterator.next();
    let before = -1;
    while (written !== before) {
      before = written;
      await realTiming.sleep(200);
    }
    expect(written).toBeLessThan(total);
    const rest = await listen(
      { [Symbol.asyncIterator]: () => iterator },
      ({ events }) => events.at(-1)?.position === BigInt(total * 10),
    );
    const heard = first.done === true ? 0 : first.value.events.length;
    expect(heard + rest.events.length).toBe(total);
  });

  it("is refused a position that another store gave", async () => {
    await open({ read: logEndingAt(30, (call) => call.end()) });
    const first = store.subscribe({ from: 31n })[Symbol.asyncIterator]().next();
    await expect(first).rejects.toThrow("position 31 is beyond the end of the event store (30)");
  });

  it("reads nothing from a soft-deleted stream, and reports a finally deleted one", async () => {
    await open({
      read: (call) => {
        const place = call.request.getOptions()?.getStream();
        const name = Buffer.from(place?.getStreamIdentifier()?.getStreamName_asU8() ?? []).toString();
        if (name === "account-2") {
          failCall(
            call,
            status.FAILED_PRECONDITION,
            "Event stream 'account-2' is deleted.",
            "stream-deleted",
          );
          return;
        }
        if (place !== undefined) call.write(missingStream());
        call.end();
      },
    });
    expect(await collect(store.read("account-1"))).toEqual([]);
    const reading = collect(store.read("account-2"));
    await expect(reading).rejects.toMatchObject({ name: "EventStoreDbError", reason: "stream-deleted" });
    await expect(reading).rejects.toThrow("reading stream account-2: the stream was deleted for good");
  });
});
