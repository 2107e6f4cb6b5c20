import { createClient } from "@connectrpc/connect";
import { ReadModelError, type StoredStop } from "@hostledger/read";
import { admin } from "@hostledger/protocol";
import { implement } from "@hostledger/rpc";
import { refusalOf, specCallers } from "@hostledger/rpc/testing";
import { manualClock, realTiming } from "@hostledger/runtime";
import { describe, expect, it } from "vitest";

import { projectionAdminRpc, type Projectors } from "./projection-admin.rpc.ts";
import { createStoppedStreams, type StoppedStreams } from "./stopped-streams.ts";

const clock = manualClock("2026-03-01T10:00:00.000000Z", realTiming);

/** Creates a stopped stream in the read model `process_runs`. */
function stopAt(position: bigint, stream = `domain-${String(position)}.com`): StoredStop {
  return {
    projection: "process_runs",
    stream,
    revision: position + 1n,
    position,
    eventId: `e-${String(position)}`,
    type: "X.v1",
    kind: "damaged",
    isReadable: false,
    reason: "A sentence.",
    since: clock.now(),
    accountId: undefined,
  };
}

/** Creates a projector in whose read model `process_runs` these streams stopped. */
function stoppedAt(...stops: readonly StoredStop[]): Projectors[string] {
  const unused = () => Promise.reject(new Error("not in this spec"));
  return {
    run: unused,
    ready: unused,
    after: unused,
    rebuild: unused,
    status: unused,
    stale: () => [],
    health: () => [{ name: "process_runs", state: "live" }],
    stopped: () => stops,
    stoppedAtStart: [],
    foreignEvents: () => 0,
  };
}

/** Creates the staff's client; passed-over streams are added to `mended`. */
function staffOf(projectors: Projectors, mended: string[] = []) {
  const services = Object.fromEntries(
    Object.entries(projectors).map(([name, projector]) => [name, { projector }]),
  );
  const unread = { store: undefined as never, services, clock, logger: undefined as never };
  const stopped: Pick<StoppedStreams, "list" | "mend"> = {
    list: () => createStoppedStreams(unread).list(),
    mend(stream, revision) {
      const stop = this.list().find((each) => each.stream === stream && each.revision === revision);
      if (stop === undefined) return Promise.resolve(undefined);
      mended.push(`${stream}@${String(revision)}`);
      const { eventId: id, type, position, since: time } = stop;
      return Promise.resolve({ stream, revision, position, id, type, time, data: "", metadata: "" });
    },
  };
  const rpc = projectionAdminRpc(projectors, stopped, clock);
  const transport = specCallers().transportTo(
    { routes: [], staffRoutes: [implement(admin.ProjectionAdminService, rpc)] },
    { kind: "staff", name: "ada" },
  );
  return createClient(admin.ProjectionAdminService, transport);
}

it("refuses to rebuild another process's read model, and names the reason", async () => {
  const rebuild = () => Promise.reject(new ReadModelError("another process keeps these read models"));
  const staff = staffOf({ domain: { ...stoppedAt(), rebuild } });
  const refusal = { code: "temporarily-unavailable", message: "Another process keeps these read models." };
  await expect(refusalOf(staff.rebuildProjections({}))).resolves.toMatchObject(refusal);
});

it("lists each stopped stream once, in the order of the log", async () => {
  const staff = staffOf({
    domain: stoppedAt(stopAt(9n), stopAt(4n)),
    support: stoppedAt(stopAt(4n)),
  });
  const { streams } = await staff.listStoppedStreams({});
  expect(streams).toMatchObject([
    { stream: "domain-4.com", revision: 5n, readModels: ["domain.process_runs", "support.process_runs"] },
    { stream: "domain-9.com", kind: "damaged", readModels: ["domain.process_runs"] },
  ]);
});

describe("mendStream", () => {
  const asked = { stream: "domain-4.com", revision: 5n, reason: "Not ours." };

  it("passes over the event that stopped the stream", async () => {
    const mended: string[] = [];
    await expect(staffOf({ domain: stoppedAt(stopAt(4n)) }, mended).mendStream(asked)).resolves.toMatchObject(
      { eventType: "X.v1" },
    );
    expect(mended).toEqual(["domain-4.com@5"]);
  });

  it.each([
    [{ stream: "domain-5.com" }, "Event 5 of domain-5.com can be read, or is not there"],
    [{ revision: 4n }, "Event 4 of domain-4.com can be read, or is not there"],
    [{ revision: -1n }, ""],
    [{ stream: "" }, ""],
    [{ reason: "" }, ""],
  ])("is refused for %o", async (change, message) => {
    const mended: string[] = [];
    const staff = staffOf({ domain: stoppedAt(stopAt(4n)) }, mended);
    await expect(refusalOf(staff.mendStream({ ...asked, ...change }))).resolves.toMatchObject({
      code: "validation-failed",
      message: expect.stringContaining(message) as unknown,
    });
    expect(mended).toEqual([]);
  });
});

describe("skipProjectionEvent, which former command lines send,", () => {
  const asked = { name: "process_runs", position: 9n, reason: "Not ours." };

  it("mends the stopped stream if two services have a read model of that name", async () => {
    const mended: string[] = [];
    const staff = staffOf({ domain: stoppedAt(stopAt(4n)), server: stoppedAt(stopAt(9n)) }, mended);
    await expect(staff.skipProjectionEvent(asked)).resolves.toMatchObject({
      service: "server",
      name: "process_runs",
      skipped: { position: 9n, stream: "domain-9.com", reason: "Not ours.", skippedAt: clock.now() },
    });
    await staff.skipProjectionEvent({ ...asked, name: "domain.process_runs", position: 4n });
    expect(mended).toEqual(["domain-9.com@10", "domain-4.com@5"]);
  });

  it.each([
    [{ name: "nobody" }, "projection-not-found"],
    [{ position: 5n }, "validation-failed"],
    [{ name: "server.process_runs" }, "projection-not-found"],
    [{ reason: "" }, "validation-failed"],
  ])("is refused for %o", async (change, code) => {
    const staff = staffOf({ domain: stoppedAt(stopAt(9n)) });
    await expect(refusalOf(staff.skipProjectionEvent({ ...asked, ...change }))).resolves.toMatchObject({
      code,
    });
  });
});
