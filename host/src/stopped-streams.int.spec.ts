import { accountAggregate, ticketAggregate } from "@hostledger/core";
import { accountExamples } from "@hostledger/core/testing";
import { createCommandHandler, ticketCauseAggregate, type EventToAppend } from "@hostledger/store";
import { openTestStore } from "@hostledger/store/testing";
import type { StoredStop } from "@hostledger/read";
import { manualClock, randomIds, realTiming, silentLogger } from "@hostledger/runtime";
import { directoryOfTest, eventually } from "@hostledger/runtime/testing";
import { expect, it, onTestFinished } from "vitest";
import { join } from "node:path";

import { createStoppedStreams } from "./stopped-streams.ts";

const since = "2026-03-01T10:00:00.000000Z";
const own = JSON.stringify({ commandId: "c", correlationId: "c", actor: "staff", recordedBy: "spec" });
const cause = "stopped-domain-zzz.com-0";
const hourMs = 3_600_000;

/**
 * Starts a process in whose read model `domains` the stream of zzz.com stopped before its first event, of this type.
 */
async function stoppedAt(type: string, kind: StoredStop["kind"]) {
  const clock = manualClock(since);
  const store = await openTestStore(join(directoryOfTest(), "events.sqlite"), { now: () => clock.now() });
  onTestFinished(() => store.close());
  // Another one each time: the process writes to these streams too.
  const commands = () => createCommandHandler({ store, recordedBy: "spec" });
  const stream = "domain-zzz.com";
  const event = { id: randomIds.uuid(), type, data: "none", metadata: own };
  const { position } = await store.append(stream, "no-stream", [event]);
  const stop: StoredStop = {
    projection: "domains",
    stream,
    revision: 0n,
    position,
    eventId: event.id,
    type,
    kind,
    isReadable: false,
    reason: "it cannot be read",
    since,
    accountId: undefined,
  };
  const stops = [stop];
  /** Starts another process over the store; its database has the stops from its predecessor. */
  const start = (): (() => Promise<void>) => {
    const atStart = [...stops];
    const projector = { stopped: () => stops, stoppedAtStart: atStart };
    const streams = createStoppedStreams({
      store,
      services: { domain: { projector } },
      clock,
      logger: silentLogger(),
    });
    const ended = new AbortController();
    const running = streams.run(ended.signal);
    mend = () =>
      streams.mend(stream, 0n, { reason: "A script.", context: { correlationId: "c", actor: "staff:ada" } });
    const end = async (): Promise<void> => {
      ended.abort();
      await running;
    };
    onTestFinished(end);
    return end;
  };
  let mend: () => Promise<unknown> = () => Promise.reject(new Error("no process runs"));
  const context = { commandId: randomIds.uuid(), correlationId: "c", actor: "process:support" };
  return {
    start,
    clock,
    mend: () => mend(),
    goOn: () => stops.splice(0),
    causeStatus: async () => (await commands().load(ticketCauseAggregate, cause)).state.status,
    ticketStatus: async () => (await commands().load(ticketAggregate, "1")).state.status,
    number: () =>
      commands().execute(
        ticketCauseAggregate,
        cause,
        { type: "NumberTicket", data: { cause, ticketId: 1, at: since } },
        context,
      ),
    open: () =>
      commands().execute(
        ticketAggregate,
        "1",
        {
          type: "OpenTicket",
          data: {
            ticketId: 1,
            accountId: null,
            serverId: null,
            title: "t",
            message: "m",
            priority: "emergency",
            cause,
            at: since,
          },
        },
        context,
      ),
    /** Waits for a few rounds. */
    async rounds() {
      for (let round = 0; round < 3; round += 1) {
        clock.advance(500);
        await realTiming.sleep(20);
      }
    },
  };
}

it("asks for a ticket about a newer version's event after an hour, and closes it after the upgrade", async () => {
  const stopped = await stoppedAt("DomainRenewed.v9", "newer");
  const end = stopped.start();
  await stopped.rounds();
  stopped.clock.advance(hourMs - 60_000);
  await stopped.rounds();
  expect(await stopped.causeStatus()).toBe("unnumbered");
  stopped.clock.advance(60_000);
  await eventually(realTiming, async () => expect(await stopped.causeStatus()).toBe("requested"));
  await stopped.number();
  await stopped.open();
  await stopped.rounds();
  expect(await stopped.ticketStatus()).toBe("open");
  await end();

  stopped.start();
  await stopped.rounds();
  expect(await stopped.ticketStatus()).toBe("open");
  stopped.goOn();
  await eventually(realTiming, async () => {
    await stopped.rounds();
    expect(await stopped.ticketStatus()).toBe("closed");
  });
});

it("opens no ticket if the upgrade comes within the hour", async () => {
  const stopped = await stoppedAt("DomainRenewed.v9", "newer");
  stopped.start();
  stopped.clock.advance(hourMs / 2);
  await stopped.rounds();
  stopped.goOn();
  stopped.clock.advance(hourMs);
  await stopped.rounds();
  expect(await stopped.causeStatus()).toBe("unnumbered");
});

it("closes a ticket that gets its number, and is opened, only after staff mended the stream", async () => {
  const stopped = await stoppedAt("DomainRenewed.v1", "damaged");
  stopped.start();
  await eventually(realTiming, async () => expect(await stopped.causeStatus()).toBe("requested"));
  expect(await stopped.mend()).toBeDefined();
  stopped.goOn();
  await stopped.rounds();
  await stopped.number();
  await stopped.rounds();
  await stopped.open();
  await eventually(realTiming, async () => {
    await stopped.rounds();
    expect(await stopped.ticketStatus()).toBe("closed");
  });
});

it("closes a ticket that got no number before staff mended the stream and the process ended", async () => {
  const stopped = await stoppedAt("DomainRenewed.v1", "damaged");
  const end = stopped.start();
  await eventually(realTiming, async () => expect(await stopped.causeStatus()).toBe("requested"));
  expect(await stopped.mend()).toBeDefined();
  stopped.goOn();
  await end();

  stopped.start();
  await stopped.rounds();
  await stopped.number();
  await stopped.open();
  await eventually(realTiming, async () => {
    await stopped.rounds();
    expect(await stopped.ticketStatus()).toBe("closed");
  });
});

it("mends an event that contradicts its stream if services are apart, in a process that reads none of its streams", async () => {
  const clock = manualClock(since);
  const store = await openTestStore(join(directoryOfTest(), "events.sqlite"), { now: () => clock.now() });
  onTestFinished(() => store.close());
  const { codec } = accountAggregate;
  const opened = (): EventToAppend => {
    const { type, data } = accountExamples.opened();
    return { id: randomIds.uuid(), type: codec.storedType(type), data: JSON.stringify(data), metadata: own };
  };
  await store.append("account-7", "no-stream", [opened(), opened()]);
  const handler = () => createCommandHandler({ store, recordedBy: "spec" });
  await expect(handler().load(accountAggregate, "7")).rejects.toThrow("account-7@1 (AccountOpened.v");
  const apart = createStoppedStreams({ store, services: {}, clock, logger: silentLogger() });
  const word = { reason: "A script.", context: { correlationId: "c", actor: "staff:ada" } };
  expect(await apart.mend("account-7", 0n, word)).toBeUndefined();
  expect(await apart.mend("account-7", 1n, word)).toMatchObject({ revision: 1n });
  expect(await handler().load(accountAggregate, "7")).toMatchObject({ revision: 1n });
});
