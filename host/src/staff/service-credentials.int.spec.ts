import { join } from "node:path";

import { teamKind } from "@hostledger/core";
import { createCommandHandler } from "@hostledger/store";
import { openTestStore } from "@hostledger/store/testing";
import { randomIds } from "@hostledger/runtime";
import { directoryOfTest, virtualClock } from "@hostledger/runtime/testing";
import { expect, it, onTestFinished } from "vitest";

import { createServiceCredentials, type ServiceCredentials } from "./service-credentials.ts";

const request = {
  requestId: "r",
  correlationId: "r",
  operationId: "o",
  isRepeatable: true,
  actor: "staff:anna",
};
const wanted = (name: string) => ({ name, scopes: ["accounts:read"], expiresAt: null });

it("sees at once credentials that another process issued or revoked, and has a limited number of names", async () => {
  const store = await openTestStore(join(directoryOfTest(), "events.sqlite"), { shared: true });
  onTestFinished(() => store.close());
  const clock = virtualClock();
  const open = (): ServiceCredentials =>
    createServiceCredentials({
      commands: createCommandHandler({ store, recordedBy: "spec" }),
      clock,
      ids: randomIds,
    });
  const [here, there] = [open(), open()];
  const credential = await here.issue(wanted("reporting"), request);
  const shown = `Bearer ${credential}`;
  expect(await there.identify(shown)).toEqual({
    kind: "service",
    name: "reporting",
    scopes: ["accounts:read"],
  });
  await here.revoke("reporting", request);
  await expect(there.identify(shown)).rejects.toThrow(/^\[unauthenticated\] .* was revoked at /u);
  await expect(here.identify(shown)).rejects.toThrow(/was revoked at /u);

  await Promise.all(
    Array.from({ length: teamKind.limit - 1 }, (_, index) =>
      here.issue(wanted(`team-${String(index)}`), request),
    ),
  );
  await expect(there.issue(wanted("one-more"), request)).rejects.toThrow(
    `There are ${String(teamKind.limit)} service credentials, revoked ones too.`,
  );
  // A name that is there already may have another.
  await expect(there.issue(wanted("reporting"), request)).resolves.toMatch(/^hlt_/u);
});
