import { join } from "node:path";

import { beforeAll, describe, expect, it } from "vitest";

import { NarrowCompiler } from "./narrow-compiler.ts";

/** A field, and the decider, the evolution, the projection and the report that name it. */
const renewedUntil = {
  file: "packages/core/src/server/server.events.ts",
  event: "ServerRenewed",
  field: "expiresAt",
};
const users = [
  "packages/core/src/server/server.renewal.ts",
  "packages/core/src/server/server.evolution.ts",
  "services/server/src/reads/servers.projection.ts",
  "packages/audit/src/reports/timeline/server.sentences.ts",
];

describe("a field of an event", () => {
  let compiler: NarrowCompiler;
  beforeAll(() => {
    compiler = new NarrowCompiler(join(import.meta.dirname, "../.."));
  });

  it("compiles by the name that its definition gives it", () => {
    expect(compiler.failing(users)).toEqual([]);
  });

  it("compiles nowhere else after its definition is renamed", () => {
    expect(compiler.failing(users, compiler.renaming(renewedUntil))).toEqual(users);
  });

  it("exists in the event", () => {
    expect(() => compiler.renaming({ ...renewedUntil, field: "tip" })).toThrow("ServerRenewed of");
  });
});
