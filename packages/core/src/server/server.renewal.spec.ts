import { describe, expect, it } from "vitest";

import { deciderSpec } from "../testing/decider-spec.ts";
import type { ServerCommand } from "./server.commands.ts";
import { server } from "./server.decider.ts";
import { at, commands, facts, histories, renewalBegun, renewed, serverAfter } from "./server.fixture.ts";

const spec = deciderSpec(server);
const { active, suspended } = histories;

function begin(renewalId: string): ServerCommand {
  return { type: "BeginServerRenewal", data: { renewalId, months: 1, at } };
}

describe("a renewal begins", () => {
  it("at the price of the moment, which the fact freezes", () => {
    spec
      .given(...active)
      .when(commands.BeginServerRenewal)
      .then(facts.ServerRenewalBegun);
  });

  it("with a surcharge where the server is suspended", () => {
    spec
      .given(...suspended)
      .when(commands.BeginServerRenewal)
      .then(renewalBegun({ surchargePercent: 10, grossCents: "1099" }));
  });

  it("once, however often it is asked for, also after it was recorded", () => {
    spec
      .given(...active, facts.ServerRenewalBegun)
      .when(commands.BeginServerRenewal)
      .thenNothing();
    spec
      .given(...active, facts.ServerRenewalBegun, facts.ServerRenewed)
      .when(commands.BeginServerRenewal)
      .thenNothing();
  });

  it("one at a time: a second is refused while the first is under way", () => {
    spec
      .given(...suspended, renewalBegun({ surchargePercent: 10, grossCents: "1099" }))
      .when(begin("n-2"))
      .thenRejected("renewal-in-flight");
  });

  it("pays one surcharge for one suspension: after the first, the second has none", () => {
    const paid = renewed({ wasSuspended: true });
    spec
      .given(...suspended, renewalBegun({ surchargePercent: 10, grossCents: "1099" }), paid)
      .when(begin("n-2"))
      .then(renewalBegun({ renewalId: "n-2" }));
  });

  it.each(["absent", "ordered", "failed"] as const)("not for a server that is %s", (status) => {
    spec
      .given(...histories[status])
      .when(commands.BeginServerRenewal)
      .thenRejected(status === "ordered" ? "server-not-active" : "not-found");
  });
});

describe("a renewal ends", () => {
  it("when it is recorded", () => {
    expect(serverAfter(facts.ServerRenewalBegun).renewal).toEqual(facts.ServerRenewalBegun.data);
    expect(serverAfter(facts.ServerRenewalBegun, facts.ServerRenewed).renewal).toBeNull();
  });

  it("when it failed; then the next may begin", () => {
    spec
      .given(...active, facts.ServerRenewalBegun)
      .when(commands.RecordServerRenewalFailed)
      .then(facts.ServerRenewalFailed);
    spec
      .given(...active, facts.ServerRenewalBegun, facts.ServerRenewalFailed)
      .when(begin("n-2"))
      .then(renewalBegun({ renewalId: "n-2" }));
  });

  it("once: what was recorded does not fail, and what failed does not fail twice", () => {
    for (const end of [facts.ServerRenewed, facts.ServerRenewalFailed])
      spec
        .given(...active, facts.ServerRenewalBegun, end)
        .when(commands.RecordServerRenewalFailed)
        .thenNothing();
  });

  it("without a word where the design before this one began it", () => {
    spec
      .given(...active)
      .when(commands.RecordServerRenewalFailed)
      .thenNothing();
    spec
      .given(...active)
      .when(commands.RecordServerRenewed)
      .then(facts.ServerRenewed);
  });

  it("and another's end leaves it under way", () => {
    const other = renewed({ renewalId: "n-0" });
    expect(serverAfter(facts.ServerRenewalBegun, other).renewal?.renewalId).toBe("n-1");
  });
});
