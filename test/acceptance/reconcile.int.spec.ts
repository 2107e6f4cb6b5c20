import { eventually, virtualClock } from "@hostledger/runtime/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import {
  leftByFix,
  openDifferingShop,
  plantDifferences,
  reconcile as reconcileIn,
  type DifferingShop,
} from "../support/planted-differences.ts";

/** `hostledger reconcile` (operator.md, second part) with everything that can differ planted at the providers. */

const clock = virtualClock();
let differing: DifferingShop;
beforeAll(async () => {
  differing = await openDifferingShop(clock);
});
afterAll(() => differing.shop.close());

const reconcile = (...flags: readonly string[]) => reconcileIn(differing, ...flags);

/** The open tickets of differences; the change of busy.com that never ends has a ticket of its own. */
async function openDifferences() {
  const { tickets } = await differing.shop.instance.staff.support.listAllTickets({ openOnly: true });
  return tickets.filter(({ ticket }) => ticket?.title.startsWith("Books and provider differ: "));
}

/** Returns the subjects of open difference tickets, with their numbers of comments. */
async function ticketsOfDifferences(): Promise<[string, number][]> {
  const { support } = differing.shop.instance.staff;
  const read = (await openDifferences()).map(async ({ ticket }): Promise<[string, number]> => {
    const { comments } = await support.showTicket({ ticketId: ticket?.id ?? 0n });
    return [(ticket?.title ?? "").replace("Books and provider differ: ", ""), comments.length];
  });
  return (await Promise.all(read)).sort();
}

describe("reconcile", () => {
  let all: readonly string[];

  it("reports nothing if nothing differs", async () => {
    expect(await reconcile()).toMatchObject({ code: 0, kinds: [], notCompared: [] });
  });

  it("reports each of 20 planted differences and nothing else, and ignores changes in progress", async () => {
    all = await plantDifferences(differing);
    const found = await reconcile();
    expect(found).toMatchObject({ code: 1, stderr: "20 things differ.\n", kinds: all, notCompared: [] });
    expect(found.differences[0]).toEqual({
      kind: "domain-expiry",
      resource: "longer.com",
      severity: "critical",
      expected: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      found: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      action: expect.stringMatching(/\.$/),
    });
  });

  it("repairs with --fix all differences without a risk to money or a name, and reports the others again", async () => {
    const left = leftByFix(all);
    expect(left).toHaveLength(7);
    const fixed = await reconcile("--fix");
    expect(fixed).toMatchObject({ code: 1, stderr: "7 things differ.\n", kinds: all });
    expect(fixed.differences.filter(({ action }) => action === "Mended.")).toHaveLength(13);
    expect(await reconcile()).toMatchObject({ code: 1, kinds: left });
  });

  it("has requested one ticket for each critical difference", async () => {
    await eventually(clock, async () => {
      const { tickets } = await differing.shop.instance.staff.support.listAllTickets({ openOnly: true });
      const titles = tickets.map(({ ticket }) => ticket?.title).sort();
      expect(titles).toEqual(
        all
          .filter((each) => /^(?:domain|server)-(?:missing|unpaid|expiry) /.test(each))
          .map((each) => `Books and provider differ: ${each}`),
      );
    });
  });

  it("runs on its own ten minutes after a start, repairs nothing, and stores its result as an event", async () => {
    const events: unknown[] = [];
    await clock.sleep(600_000);
    await eventually(clock, async () => {
      events.length = 0;
      for (const part of ["domains", "servers"])
        for await (const { type, data } of differing.store.read(`comparison-${part}`))
          if (type.startsWith("BooksCompared")) events.push(JSON.parse(data));
      expect(events).toMatchObject([
        { part: "domains", critical: 3, major: 0, minor: 1, unanswered: 0 },
        { part: "servers", critical: 2, major: 0, minor: 1, unanswered: 0 },
      ]);
    });
    expect(await openDifferences()).toHaveLength(5);
  });

  it("comments once on tickets of repaired differences, and opens new tickets when the differences return", async () => {
    const { compute, registrar } = differing;
    await registrar.cancel("unpaid.com");
    await compute.destroy("server-9000");
    const others = ["domain-expiry longer.com", "domain-missing missing.com", "server-missing"];
    const expectSaid = (...more: readonly [string, number][]) =>
      eventually(clock, async () => {
        const said = (await ticketsOfDifferences()).filter(
          ([title]) => !others.some((other) => title.startsWith(other)),
        );
        const expected = [["domain-unpaid unpaid.com", 1], ["server-unpaid server-9000", 1], ...more];
        expect(said).toEqual(expected.sort());
      });
    for (let round = 0; round < 2; round += 1) {
      expect((await reconcile()).kinds).toHaveLength(5);
      await expectSaid();
    }
    const order = { clientTransactionId: "planted-4", name: "unpaid.com", years: 1, nameservers: [] };
    await registrar.register(order);
    for (let round = 0; round < 2; round += 1) {
      expect((await reconcile()).kinds).toContain("domain-unpaid unpaid.com");
      await expectSaid(["domain-unpaid unpaid.com", 0]);
    }
    await registrar.cancel("unpaid.com");
    await reconcile();
    await expectSaid(["domain-unpaid unpaid.com", 1]);
    // Existing differences have one ticket without comments.
    expect((await ticketsOfDifferences()).filter(([, comments]) => comments === 0)).toHaveLength(3);
  });
});
