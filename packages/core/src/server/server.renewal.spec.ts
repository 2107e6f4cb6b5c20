import { describe, expect, it } from "vitest";

import { deciderSpec } from "../testing/decider-spec.ts";
import type { ServerCommand } from "./server.commands.ts";
import { server } from "./server.decider.ts";
import { at, commands, samples, histories, renewalBegun, renewed, serverAfter } from "./server.fixture.ts";

const spec = deciderSpec(server);
const { active, suspended } = histories;

function begin(renewalId: string): ServerCommand {
  return { type: "BeginServerRenewal", data: { renewalId, months: 1, at } };
}

describe("a renewal's begin", () => {
  it("fixes the present price in its event", () => {
    spec
      .given(...active)
      .when(commands.BeginServerRenewal)
      .then(samples.ServerRenewalBegun);
  });

  it("adds a surcharge if the server is suspended", () => {
    spec
      .given(...suspended)
      .when(commands.BeginServerRenewal)
      .then(renewalBegun({ surchargePercent: 10, grossCents: "1099" }));
  });

  it("is stored once, however often it is requested, even after the renewal was recorded", () => {
    spec
      .given(...active, samples.ServerRenewalBegun)
      .when(commands.BeginServerRenewal)
      .thenNothing();
    spec
      .given(...active, samples.ServerRenewalBegun, samples.ServerRenewed)
      .when(commands.BeginServerRenewal)
      .thenNothing();
  });

  it("is refused while another renewal is in progress", () => {
    spec
      .given(...suspended, renewalBegun({ surchargePercent: 10, grossCents: "1099" }))
      .when(begin("n-2"))
      .thenRejected("renewal-in-flight");
  });

  it("adds one surcharge per suspension: the second renewal has none", () => {
    const paid = renewed({ wasSuspended: true });
    spec
      .given(...suspended, renewalBegun({ surchargePercent: 10, grossCents: "1099" }), paid)
      .when(begin("n-2"))
      .then(
        renewalBegun({
          renewalId: "n-2",
          period: { from: "2026-03-31T10:00:00.000000Z", until: "2026-04-30T10:00:00.000000Z" },
        }),
      );
  });

  it.each(["absent", "ordered", "failed"] as const)("is refused for a server that is %s", (status) => {
    spec
      .given(...histories[status])
      .when(commands.BeginServerRenewal)
      .thenRejected(status === "ordered" ? "server-not-active" : "not-found");
  });
});

describe("a renewal's end", () => {
  it("is its recording", () => {
    expect(serverAfter(samples.ServerRenewalBegun).renewal).toEqual(samples.ServerRenewalBegun.data);
    expect(serverAfter(samples.ServerRenewalBegun, samples.ServerRenewed).renewal).toBeNull();
  });

  it("is its failure; then the next renewal may begin", () => {
    spec
      .given(...active, samples.ServerRenewalBegun)
      .when(commands.RecordServerRenewalFailed)
      .then(samples.ServerRenewalFailed);
    spec
      .given(...active, samples.ServerRenewalBegun, samples.ServerRenewalFailed)
      .when(begin("n-2"))
      .then(renewalBegun({ renewalId: "n-2" }));
  });

  it("is final: a recorded renewal does not fail, and a failure is not repeated", () => {
    for (const end of [samples.ServerRenewed, samples.ServerRenewalFailed])
      spec
        .given(...active, samples.ServerRenewalBegun, end)
        .when(commands.RecordServerRenewalFailed)
        .thenNothing();
  });

  it("adds no event if an earlier design began the renewal", () => {
    spec
      .given(...active)
      .when(commands.RecordServerRenewalFailed)
      .thenNothing();
    spec
      .given(...active)
      .when(commands.RecordServerRenewed)
      .then(samples.ServerRenewed);
  });

  it("does not end another renewal in progress", () => {
    const other = renewed({ renewalId: "n-0" });
    expect(serverAfter(samples.ServerRenewalBegun, other).renewal?.renewalId).toBe("n-1");
  });
});

describe("an automatic renewal", () => {
  const renewing = [...active, samples.ServerAutoRenewalChanged] as const;
  const [auto, dueAt] = ["serverrenewal-auto-5-20260228-1", "2026-02-21T10:00:00.000000Z"];
  const automatic = (renewalId: string, at: string, availableCents?: bigint) => ({
    type: "BeginServerRenewal" as const,
    data: { renewalId, months: 1, automatic: availableCents === undefined ? {} : { availableCents }, at },
  });
  const failed = {
    type: "ServerRenewalFailed" as const,
    data: {
      ...samples.ServerRenewalFailed.data,
      renewalId: auto,
      automatic: true,
      requiredCents: "999",
      failedAt: dueAt,
    },
  };

  it("begins a week before expiry, not a moment earlier", () => {
    spec
      .given(...renewing)
      .when(automatic(auto, dueAt))
      .then(renewalBegun({ renewalId: auto, startedAt: dueAt }));
    spec
      .given(...renewing)
      .when(automatic(auto, "2026-02-21T09:59:59.999999Z"))
      .thenRejected("server-not-active");
    spec
      .given(...active)
      .when(automatic(auto, dueAt))
      .thenRejected("server-not-active");
  });

  it("that failed is retried a day later under another id, or as soon as there is enough money", () => {
    const began = renewalBegun({ renewalId: auto, startedAt: dueAt });
    const { renewalId, requiredCents } = failed.data;
    const data = { renewalId, reason: failed.data.reason, requiredCents, at: dueAt };
    spec
      .given(...renewing, began)
      .when({ type: "RecordServerRenewalFailed", data })
      .then(failed);
    const [next, anHourLater] = ["serverrenewal-auto-5-20260228-2", "2026-02-21T11:00:00.000000Z"];
    const history = [...renewing, began, failed] as const;
    for (const available of [undefined, 998n])
      spec
        .given(...history)
        .when(automatic(next, anHourLater, available))
        .thenRejected("server-not-active");
    spec
      .given(...history)
      .when(automatic(next, anHourLater, 999n))
      .then(renewalBegun({ renewalId: next, startedAt: anHourLater }));
    spec
      .given(...history)
      .when(automatic(next, "2026-02-22T10:00:00.000000Z"))
      .then(renewalBegun({ renewalId: next, startedAt: "2026-02-22T10:00:00.000000Z" }));
  });

  it("comes before the suspension of a server that has expired", () => {
    const at = "2026-02-28T10:00:00.000000Z";
    const suspend = { type: "SuspendServer", data: { reason: "expired", at } } as const;
    spec
      .given(...renewing)
      .when(suspend)
      .thenNothing();
    const lastOne = { ...failed, data: { ...failed.data, failedAt: at } };
    spec
      .given(...renewing, renewalBegun({ renewalId: auto, startedAt: at }), lastOne)
      .when(suspend)
      .then({
        type: "ServerSuspended",
        data: {
          serverId: 5,
          reason: "expired",
          hold: false,
          publicReason: null,
          note: null,
          suspendedAt: at,
        },
      });
  });

  it("is turned on while the server is paid for, which reverts a cancellation; a cancellation turns it off", () => {
    const late = { ...commands.SetServerAutoRenewal.data, at: "2026-02-28T10:00:00.000000Z" };
    spec
      .given(...active)
      .when(commands.SetServerAutoRenewal)
      .then(samples.ServerAutoRenewalChanged);
    spec
      .given(...renewing)
      .when(commands.SetServerAutoRenewal)
      .thenNothing();
    spec
      .given(...active)
      .when({ type: "SetServerAutoRenewal", data: late })
      .thenRejected("server-not-active");
    expect(serverAfter(samples.ServerAutoRenewalChanged, samples.ServerCancelled)).toMatchObject({
      autoRenew: false,
    });
    expect(serverAfter(samples.ServerCancelled, samples.ServerAutoRenewalChanged)).toMatchObject({
      autoRenew: true,
      cancelled: false,
    });
  });
});
