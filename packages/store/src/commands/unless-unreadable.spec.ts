import { UndecodableEventError, type StoredEventError } from "@hostledger/core";
import { expect, test } from "vitest";

import { unlessUnreadable } from "./unless-unreadable.ts";

test("runs work on a stream, or the alternative if an event cannot be read", async () => {
  const unreadable = new UndecodableEventError("an event cannot be read");
  const message = (error: StoredEventError): string => error.message;
  expect(await unlessUnreadable(() => Promise.resolve("done"), message)).toBe("done");
  expect(await unlessUnreadable(() => Promise.reject(unreadable), message)).toBe("an event cannot be read");
});

test("passes on another failure", async () => {
  const failing = unlessUnreadable(
    () => Promise.reject(new Error("the disk is full")),
    () => "instead",
  );
  await expect(failing).rejects.toThrow("the disk is full");
});
