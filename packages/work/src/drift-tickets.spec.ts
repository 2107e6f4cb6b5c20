import {
  comparisonAggregate,
  difference,
  UnreadableEventError,
  type Difference,
  type DifferenceKind,
} from "@hostledger/core";
import { createCommandHandler } from "@hostledger/store";
import { manualClock, realTiming } from "@hostledger/runtime";
import { describe, expect, it } from "vitest";

import { followDifferences, type FollowedReport } from "./drift-tickets.ts";
import { ScriptedStore } from "./scripted-store.fixture.ts";

const of = (kind: DifferenceKind, resource: string): Difference =>
  difference(kind, resource, { expected: "so", found: "otherwise" });

/** Comparisons of one log. */
function comparisons() {
  const store = new ScriptedStore([]);
  const clock = manualClock("2026-11-23T10:00:00.000000Z", realTiming);
  const commands = createCommandHandler({ store, recordedBy: "spec" });
  const lookedAt: string[] = [];
  return {
    lookedAt,
    ticketsOf: (cause: string) => store.typesOf(`ticketcause-${cause}`),
    openNow: async () => [...(await commands.load(comparisonAggregate, "domains")).state.open.keys()],
    follow: (
      found: readonly Difference[],
      lookAgain: FollowedReport["lookAgain"] = () => Promise.resolve([]),
      only?: string,
    ) =>
      followDifferences(
        { commands, clock },
        {
          part: "domains",
          recordedBy: "spec",
          report: {
            differences: found.map((one) => ({ ...one, mended: false })),
            unanswered: [],
            unlisted: [],
          },
          ...(only === undefined ? {} : { only }),
          lookAgain(resource) {
            lookedAt.push(resource);
            return lookAgain(resource);
          },
        },
      ),
  };
}

const unpaid = of("domain-unpaid", "a.com");
const missing = of("domain-missing", "b.com");

describe("a difference on which money or a name hangs", () => {
  it("has one ticket, however often it is found, and another when it returns", async () => {
    const { follow, lookedAt, openNow, ticketsOf } = comparisons();
    for (let round = 0; round < 2; round += 1) await follow([unpaid, of("domain-lock", "c.com")]);
    expect(lookedAt).toEqual([]);
    expect(await openNow()).toEqual(["domain-unpaid a.com"]);
    await follow([]);
    expect(await openNow()).toEqual([]);
    for (let round = 0; round < 2; round += 1) await follow([unpaid]);
    for (const cause of ["drift-domain-unpaid-a.com", "drift-2-domain-unpaid-a.com"])
      expect(ticketsOf(cause)).toEqual(["StaffTicketRequested"]);
    expect(ticketsOf("drift-domain-lock-c.com")).toEqual([]);
  });

  it("stays if its events cannot be read, and does not prevent other repairs", async () => {
    const { follow, openNow } = comparisons();
    await follow([unpaid, missing]);
    const place = { stream: "domain-a.com", revision: 3n, position: 9n, id: "e-1", type: "DomainRenewed.v1" };
    await follow([], (resource) =>
      resource === "a.com"
        ? Promise.reject(new UnreadableEventError(place, "newer", "no such event"))
        : Promise.resolve([]),
    );
    expect(await openNow()).toEqual(["domain-unpaid a.com"]);
  });

  it.each<[string, readonly Difference[] | undefined, readonly string[]]>([
    ["where nothing can be said of it", undefined, ["domain-unpaid a.com"]],
    ["where it is there still", [unpaid], ["domain-unpaid a.com"]],
    ["unless something else differs in its place", [of("domain-missing", "a.com")], []],
  ])("is not mended because a comparison does not find it: %s", async (_what, now, left) => {
    const { follow, openNow } = comparisons();
    await follow([unpaid]);
    await follow([], () => Promise.resolve(now));
    expect(await openNow()).toEqual(left);
  });

  it("is not mended by a comparison of another name", async () => {
    const { follow, lookedAt, openNow } = comparisons();
    await follow([unpaid, missing]);
    await follow([], undefined, "b.com");
    expect(lookedAt).toEqual(["b.com"]);
    expect(await openNow()).toEqual(["domain-unpaid a.com"]);
  });

  it("has a ticket if it is among the first hundred, and none counts as repaired", async () => {
    const { follow, openNow } = comparisons();
    const lost = Array.from({ length: 150 }, (_, index) => of("domain-missing", `${String(index)}.com`));
    await follow(lost);
    expect(await openNow()).toHaveLength(100);
    await follow(lost.toReversed());
    expect(await openNow()).toHaveLength(150);
    await follow([]);
    expect(await openNow()).toHaveLength(50);
    await follow([]);
    expect(await openNow()).toEqual([]);
  });
});
