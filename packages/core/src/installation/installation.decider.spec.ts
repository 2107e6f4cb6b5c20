import { describe, expect, it } from "vitest";

import { deciderSpec } from "../testing/decider-spec.ts";
import { installationPart, orderIdOf, partOfOrder } from "./installation-part.ts";
import { installation } from "./installation.decider.ts";

const at = "2026-11-28T10:00:00.000000Z";
const name = (part: string, hadOrders = false) =>
  ({ type: "NameInstallation", data: { part, hadOrders, at } }) as const;
const named = (part: string, hadOrders = false) =>
  ({ type: "InstallationNamed", data: { part, hadOrders, namedAt: at } }) as const;
const copy = { type: "CopyInstallation", data: { part: "c0py00", at } } as const;
const copied = { type: "InstallationCopied", data: { part: "c0py00", copiedAt: at } } as const;

describe("an installation", () => {
  it("keeps the random text that was chosen first", () => {
    deciderSpec(installation).given().when(name("aaaaaa")).then(named("aaaaaa"));
    deciderSpec(installation).given(named("aaaaaa")).when(name("bbbbbb")).then();
  });

  it("gets another text as a test copy, and claims no identifier without a text", () => {
    deciderSpec(installation).given(named("aaaaaa", true)).when(copy).then(copied);
    deciderSpec(installation).given().when(copy).then(copied);
    deciderSpec(installation).given(copied).when(name("bbbbbb")).then();
    const states = [[named("aaaaaa")], [named("aaaaaa", true)], [named("aaaaaa", true), copied]].map(
      (events) => events.reduce(installation.evolve, installation.initialState),
    );
    expect(states).toEqual([
      { part: "aaaaaa", knowsPlainIds: false, isCopy: false },
      { part: "aaaaaa", knowsPlainIds: true, isCopy: false },
      { part: "c0py00", knowsPlainIds: false, isCopy: true },
    ]);
  });

  it("has a text that begins with a letter, and is found in the ids of its orders", () => {
    for (let byte = 0; byte < 256; byte += 1)
      expect(installationPart(new Uint8Array(6).fill(byte))).toMatch(/^[a-z][a-z0-9]{5}$/);
    const operation = "019ac6e2-5d5f-7000-8000-000000000001";
    for (const id of ["42", operation])
      expect(partOfOrder(orderIdOf("registration", "k3x7m2", id))).toBe("k3x7m2");
    for (const id of ["registration-42", `serverorder-${operation}`, "registration-k3x7m2", ""])
      expect(partOfOrder(id)).toBeUndefined();
  });
});
