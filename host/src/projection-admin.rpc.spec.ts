import { createClient } from "@connectrpc/connect";
import type { SkippedEvent } from "@hostledger/core";
import { ReadModelError, type Projector } from "@hostledger/projections";
import { admin } from "@hostledger/protocol";
import { implement } from "@hostledger/rpc";
import { refusalOf, specCallers } from "@hostledger/rpc/testing";
import { manualClock, realTiming } from "@hostledger/runtime";
import { describe, expect, it } from "vitest";

import { projectionAdminRpc, type Projectors } from "./projection-admin.rpc.ts";

const clock = manualClock("2026-03-01T10:00:00.000000Z", realTiming);

/** A projector whose read model `process_runs` stands still at a position, and what it was let past. */
function standingAt(position: bigint, skipped: bigint[]): Projectors[string] {
  const unused = () => Promise.reject(new Error("not in this spec"));
  const projector: Projector = {
    run: unused,
    ready: unused,
    waitFor: unused,
    rebuild: unused,
    status: unused,
    stale: () => [],
    health: () => [{ name: "process_runs", state: "parked", reason: "A sentence." }],
    parkedAt: () => position,
    skip: (name, at, word) => {
      skipped.push(at);
      const event: SkippedEvent = {
        projection: name,
        version: 1,
        position: String(at),
        eventId: "e-1",
        eventType: "X.v1",
        stream: "domain-x.com",
        reason: word.reason,
        skippedAt: word.at,
      };
      return Promise.resolve(event);
    },
  };
  return projector;
}

function staffOf(projectors: Projectors) {
  const service = implement(admin.ProjectionAdminService, projectionAdminRpc(projectors, clock));
  const transport = specCallers().transportTo(
    { routes: [], staffRoutes: [service] },
    { kind: "staff", name: "ada" },
  );
  return createClient(admin.ProjectionAdminService, transport);
}

/** A projector whose tables another process keeps. */
function keptElsewhere(): Projectors[string] {
  const refuse = () => Promise.reject(new ReadModelError("another process keeps these read models"));
  return { ...standingAt(4n, []), parkedAt: () => "elsewhere", skip: refuse, rebuild: refuse };
}

describe("what another process keeps", () => {
  const refusal = { code: "temporarily-unavailable", message: "Another process keeps these read models." };

  it("is not rebuilt here, and says so", async () => {
    const staff = staffOf({ domain: keptElsewhere() });
    await expect(refusalOf(staff.rebuildProjections({}))).resolves.toMatchObject(refusal);
  });

  it("is not let past an event here, and is not said to go on", async () => {
    const staff = staffOf({ domain: keptElsewhere(), server: standingAt(9n, []) });
    const asked = { name: "process_runs", position: 4n, reason: "Not ours." };
    await expect(refusalOf(staff.skipProjectionEvent(asked))).resolves.toMatchObject({
      ...refusal,
      message: expect.stringContaining("Another process keeps process_runs") as unknown,
    });
    await expect(staff.skipProjectionEvent({ ...asked, position: 9n })).resolves.toMatchObject({
      service: "server",
    });
  });
});

describe("skipProjectionEvent", () => {
  it("means the read model that stands still there, where two services have one of that name", async () => {
    const [ofDomain, ofServer]: [bigint[], bigint[]] = [[], []];
    const staff = staffOf({ domain: standingAt(4n, ofDomain), server: standingAt(9n, ofServer) });
    const asked = { name: "process_runs", position: 9n, reason: "Not ours." };
    await expect(staff.skipProjectionEvent(asked)).resolves.toMatchObject({
      service: "server",
      name: "process_runs",
      skipped: { position: 9n, reason: "Not ours.", skippedAt: clock.now() },
    });
    expect([ofDomain, ofServer]).toEqual([[], [9n]]);
    await staff.skipProjectionEvent({ ...asked, name: "domain.process_runs", position: 4n });
    expect([ofDomain, ofServer]).toEqual([[4n], [9n]]);
  });

  it.each([
    [{ name: "nobody" }, "projection-not-found"],
    [{ position: 5n }, "validation-failed"],
    [{ name: "server.process_runs" }, "projection-not-found"],
    [{ reason: "" }, "validation-failed"],
  ])("is refused for %o", async (change, code) => {
    const skipped: bigint[] = [];
    const staff = staffOf({ domain: standingAt(4n, skipped) });
    const asked = { name: "process_runs", position: 4n, reason: "Not ours.", ...change };
    await expect(refusalOf(staff.skipProjectionEvent(asked))).resolves.toMatchObject({ code });
    expect(skipped).toEqual([]);
  });
});
