import { temporaryDirectory } from "@hostledger/runtime/testing";
import type { EventStore } from "@hostledger/store";
import { afterAll, expect, it } from "vitest";

import { startInstance } from "../support/instance.ts";
import { limited } from "../support/limited.ts";
import {
  bankEnvironment as environment,
  expectedImport,
  importOutcome,
  importPayments,
} from "../support/money-courses.ts";
import { copyOfData } from "../support/snapshots.ts";

/**
 * A power cut before the first and after each append of an import, a match and a move of a payment. Each copy is
 * started, staff repeat their steps, and no payment is credited twice or lost.
 */

const photos: { readonly moment: string; readonly data: string; readonly remove: () => void }[] = [];
const { path: data, remove } = temporaryDirectory();

function photographing(store: EventStore): EventStore {
  const take = (moment: string): void => {
    const copy = copyOfData(data);
    photos.push({
      moment,
      data: copy.path,
      remove: () => {
        copy.remove();
      },
    });
  };
  return {
    ...store,
    append: async (stream, revision, events) => {
      if (photos.length === 0) take("before the first append");
      const result = await store.append(stream, revision, events);
      take(`after ${events.map(({ type }) => type).join(", ")} in ${stream}`);
      return result;
    },
    read: (stream, options) => store.read(stream, options),
    subscribe: (options) => store.subscribe(options),
    lastPosition: () => store.lastPosition(),
    close: () => store.close(),
  };
}

afterAll(() => {
  for (const photo of photos) photo.remove();
  remove();
});

it("wherever the power fails, each payment is credited once", async () => {
  const first = await startInstance({ data, environment });
  for (const name of ["Ada", "Ben"]) await first.staff.accounts.openAccount({ name });
  await first.close();
  const watched = await startInstance({ data, environment, decorate: { store: photographing } });
  await importPayments(watched);
  await expect.poll(() => importOutcome(watched)).toEqual(expectedImport);
  await watched.close();
  expect(photos.length).toBeGreaterThan(10);
  const inTurn = limited(3);
  await Promise.all(
    photos.map((photo) =>
      inTurn(async () => {
        const instance = await startInstance({ data: photo.data, environment });
        try {
          await importPayments(instance);
          await expect.poll(() => importOutcome(instance), { message: photo.moment }).toEqual(expectedImport);
        } finally {
          await instance.close();
        }
      }),
    ),
  );
});
