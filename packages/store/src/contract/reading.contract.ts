import { describe, expect, it } from "vitest";

import type { EventStore, ReadOptions } from "../event-store.port.ts";
import { collect, newCategory, newEvent, newEvents, type OpenHarness } from "./contract-fixtures.ts";

async function revisions(
  store: EventStore,
  stream: string,
  options?: ReadOptions,
): Promise<readonly number[]> {
  return (await collect(store.read(stream, options))).map(({ revision }) => Number(revision));
}

export function describeReading(open: OpenHarness): void {
  describe("reading", () => {
    it("returns stored events, with their place and time", async () => {
      const { store } = await open();
      const stream = `${newCategory()}-1`;
      const event = newEvent({ amountCents: "1190" });
      const { position } = await store.append(stream, "no-stream", [event]);
      const [stored, ...others] = await collect(store.read(stream));
      expect(stored).toEqual({ ...event, stream, revision: 0n, position, time: stored?.time });
      expect(stored?.time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
      expect(others).toEqual([]);
    });

    it("yields nothing for a missing stream, in both directions", async () => {
      const { store } = await open();
      const stream = `${newCategory()}-1`;
      expect(await revisions(store, stream)).toEqual([]);
      expect(await revisions(store, stream, { direction: "backwards" })).toEqual([]);
    });

    const cases: readonly [ReadOptions, readonly number[]][] = [
      [{}, [0, 1, 2, 3, 4]],
      [{ from: 3n }, [3, 4]],
      [{ from: 4n }, [4]],
      [{ from: 5n }, []],
      [{ from: 2n ** 62n }, []],
      [{ limit: 2 }, [0, 1]],
      [{ limit: 0 }, []],
      [{ from: 1n, limit: 2 }, [1, 2]],
      [{ direction: "backwards" }, [4, 3, 2, 1, 0]],
      [{ direction: "backwards", limit: 1 }, [4]],
      [{ direction: "backwards", from: 1n }, [1, 0]],
      [{ direction: "backwards", from: 0n }, [0]],
      [{ direction: "backwards", from: 3n, limit: 2 }, [3, 2]],
    ];
    it.each(cases)("reads %o", async (options, expected) => {
      const { store } = await open();
      const category = newCategory();
      await store.append(`${category}-1`, "no-stream", newEvents(3));
      await store.append(`${category}-2`, "no-stream", newEvents(4));
      await store.append(`${category}-1`, 2n, newEvents(2));
      expect(await revisions(store, `${category}-1`, options)).toEqual(expected);
    });

    it("reads a long stream whole and in order, from both ends", async () => {
      const { store } = await open();
      const stream = `${newCategory()}-1`;
      for (const [index, expected] of (["no-stream", 899n, 1_799n] as const).entries()) {
        await store.append(stream, expected, newEvents(900));
        expect(index).toBeLessThan(3);
      }
      const ascending = Array.from({ length: 2_700 }, (_, revision) => revision);
      expect(await revisions(store, stream)).toEqual(ascending);
      expect(await revisions(store, stream, { direction: "backwards" })).toEqual(ascending.toReversed());
      expect(await revisions(store, stream, { from: 10n, limit: 2_000 })).toEqual(ascending.slice(10, 2_010));
    });

    it("may be left early and read again", async () => {
      const { store } = await open();
      const stream = `${newCategory()}-1`;
      await store.append(stream, "no-stream", newEvents(10));
      for await (const { revision } of store.read(stream)) if (revision === 3n) break;
      expect(await revisions(store, stream, { limit: 1 })).toEqual([0]);
    });

    it("shows every acknowledged append at once, under concurrent writers", async () => {
      const { store } = await open();
      const category = newCategory();
      const writers = Array.from({ length: 32 }, async (_, writer) => {
        const stream = `${category}-${String(writer)}`;
        for (let count = 0; count < 5; count += 1) {
          const { revision } = await store.append(
            stream,
            count === 0 ? "no-stream" : BigInt(count - 1),
            newEvents(1),
          );
          expect(await revisions(store, stream, { direction: "backwards", limit: 1 })).toEqual([
            Number(revision),
          ]);
        }
      });
      await Promise.all(writers);
    });
  });
}
