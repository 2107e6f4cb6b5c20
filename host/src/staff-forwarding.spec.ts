import { createClient, createRouterTransport } from "@connectrpc/connect";
import type { RejectionCode } from "@hostledger/core";
import { admin } from "@hostledger/protocol";
import { createInProcessTransport, rejectionError } from "@hostledger/rpc";
import { refusalOf } from "@hostledger/rpc/testing";
import { expect, it } from "vitest";

import { staffForwarding } from "./staff-forwarding.ts";

/** Answer of a service to a request to pass over an event. */
type Answer = RejectionCode | "done";

function serviceThatAnswers(answer: Answer) {
  return createRouterTransport((router) => {
    router.service(admin.ProjectionAdminService, {
      skipProjectionEvent({ name }) {
        if (answer !== "done") throw rejectionError({ code: answer, message: "No." });
        return { service: "asked", name };
      },
    });
  });
}

function gatewayBefore(answers: Readonly<Record<"account" | "domain" | "server" | "support", Answer>>) {
  const { account, domain, server, support } = answers;
  const transports = {
    account: serviceThatAnswers(account),
    domain: serviceThatAnswers(domain),
    server: serviceThatAnswers(server),
    support: serviceThatAnswers(support),
  };
  const listener = createInProcessTransport(staffForwarding(transports));
  return createClient(admin.ProjectionAdminService, listener);
}

const asked = { name: "process_runs", position: 4n, reason: "Not ours." };
const none = { account: "projection-not-found", support: "projection-not-found" } as const;

it("finds the right read model, also behind one of another process", async () => {
  const gateway = gatewayBefore({ ...none, domain: "temporarily-unavailable", server: "done" });
  await expect(gateway.skipProjectionEvent(asked)).resolves.toMatchObject({ name: "process_runs" });
});

it.each<readonly [domain: Answer, server: Answer, passedOn: Answer]>([
  ["projection-not-found", "projection-not-found", "projection-not-found"],
  ["validation-failed", "projection-not-found", "validation-failed"],
  ["temporarily-unavailable", "validation-failed", "temporarily-unavailable"],
  ["unauthenticated", "done", "unauthenticated"],
])("of %s and %s it passes on %s, the more specific one", async (domain, server, code) => {
  const gateway = gatewayBefore({ ...none, domain, server });
  await expect(refusalOf(gateway.skipProjectionEvent(asked))).resolves.toMatchObject({ code });
});
