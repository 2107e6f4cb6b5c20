import { unknown } from "@hostledger/providers";
import { refusalOf } from "@hostledger/rpc/testing";
import { describe, expect, it } from "vitest";

import {
  asOperation,
  ComputeBreaker,
  eventually,
  openShop,
  type InstanceOptions,
} from "../server-service.fixture.ts";

/** Tests `POST /servers/{s}/cancel` (contract, second part) and `admin server terminate` of staff. */

async function bought(options: InstanceOptions = {}) {
  const shop = await openShop({ units: 10, ...options });
  const { servers, accountId } = shop.customer(10_000n);
  const { planId, regionId } = shop;
  const { serverId } = await servers.orderServer({ planId, regionId, distroId: 1n });
  return {
    ...shop,
    servers,
    serverId,
    accountId,
    cancel: (now: boolean, operationId = "cancel-1") =>
      servers.cancelServer({ serverId, now }, asOperation(operationId)),
    events: async () => {
      const types = await shop.typesOf(`server-${String(serverId)}`);
      return types.filter((type) => /Cancelled|Terminat|Renewed$/.test(type));
    },
  };
}

describe("a server that is cancelled with its paid time", () => {
  it("continues to run, shows its end, and ends then without a suspension", async () => {
    const { cancel, servers, serverId, events, service, clock } = await bought();
    const { server } = await cancel(false);
    expect(server).toMatchObject({ cancelled: true, status: "active", terminatesAt: server?.expiryDate });
    await service.runDueWork();
    expect(await events()).toEqual(["ServerCancelled"]);
    clock.moveTo(server?.expiryDate ?? "");
    await service.runDueWork();
    await eventually(async () => {
      expect(await events()).toEqual(["ServerCancelled", "ServerTerminationBegun", "ServerTerminated"]);
    });
    await eventually(async () => {
      expect(await refusalOf(servers.getServer({ serverId }))).toMatchObject({ code: "not-found" });
    });
  });

  it("is cancelled once, despite repeated requests", async () => {
    const { cancel, events } = await bought();
    for (const operationId of ["cancel-1", "cancel-1", "cancel-2"]) await cancel(false, operationId);
    expect(await events()).toEqual(["ServerCancelled"]);
  });

  it("stays after a renewal", async () => {
    const { cancel, servers, serverId, events, service, clock } = await bought();
    const { server } = await cancel(false);
    expect((await servers.renewServer({ serverId })).server).toMatchObject({ cancelled: false });
    clock.moveTo(server?.expiryDate ?? "");
    await service.runDueWork();
    expect(await events()).toEqual(["ServerCancelled", "ServerRenewed"]);
  });

  it("cannot be once its time is over; at once it still can", async () => {
    const { cancel, events, service, clock } = await bought();
    clock.moveTo("2027-03-01T10:00:00.000000Z");
    await service.runDueWork();
    expect(await refusalOf(cancel(false))).toMatchObject({ code: "server-not-active" });
    await cancel(true, "cancel-2");
    await eventually(async () => {
      expect(await events()).toEqual(["ServerTerminationBegun", "ServerTerminated"]);
    });
  });
});

describe("a server that is ended at once", () => {
  it("is destroyed, and a repeat of the request is answered while it is", async () => {
    const breaker = new ComputeBreaker();
    const { cancel, events, nodeOf, serverId } = await bought({ compute: breaker.wrap });
    breaker.broken.set("destroy", unknown("No answer"));
    for (let turn = 0; turn < 2; turn += 1)
      expect((await cancel(true)).server).toMatchObject({ status: "terminating", cancelled: false });
    expect([await events(), nodeOf(serverId) !== undefined]).toEqual([["ServerTerminationBegun"], true]);
    breaker.broken.clear();
    await eventually(async () => {
      expect(await events()).toEqual(["ServerTerminationBegun", "ServerTerminated"]);
    });
    expect(nodeOf(serverId)).toBeUndefined();
  });

  it("is refused if staff suspended it: the customer must ask support", async () => {
    const { cancel, events, staff, serverId } = await bought();
    await staff().setServerSuspension({ serverId, suspended: true });
    expect(await refusalOf(cancel(true))).toMatchObject({ code: "server-not-active" });
    expect(await events()).toEqual([]);
    expect(await staff().terminateServer({ serverId })).toMatchObject({ serverId });
    await eventually(async () => {
      expect(await events()).toEqual(["ServerTerminationBegun", "ServerTerminated"]);
    });
    // The server has ended already.
    expect(await staff().terminateServer({ serverId })).toMatchObject({
      status: "terminated",
      repeated: true,
    });
  });

  it("is refused for another account's server and a missing one", async () => {
    const { customer, staff, serverId, events } = await bought();
    const stranger = customer().servers;
    expect(await refusalOf(stranger.cancelServer({ serverId, now: true }))).toMatchObject({
      code: "unauthorized",
    });
    expect(await refusalOf(stranger.cancelServer({ serverId: 99n }))).toMatchObject({ code: "not-found" });
    expect(await refusalOf(staff().terminateServer({ serverId: 99n }))).toMatchObject({ code: "not-found" });
    expect(await events()).toEqual([]);
  });
});
