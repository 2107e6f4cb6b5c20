import { startFakeProxmox, type FakeProxmox } from "@hostledger/providers/testing";
import { temporaryDirectory, virtualClock } from "@hostledger/runtime/testing";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";

import { clusterRegion, clusterSettings } from "../support/cluster-settings.ts";
import { startInstance } from "../support/instance.ts";
import { itemsOf, objectOf } from "../support/matchers.ts";
import { restClient } from "../support/rest-client.ts";

/** `start --demo` (operator.md) with servers on a cluster of Proxmox VE: the demo asks the cluster which regions it has. */

const directory = temporaryDirectory();
let fake: FakeProxmox;
beforeAll(async () => {
  fake = await startFakeProxmox();
});
afterAll(async () => {
  await fake[Symbol.asyncDispose]();
  directory.remove();
});

type Regions = NonNullable<Parameters<typeof clusterSettings>[2]>;

async function openDemo(regions: Regions, templates?: Readonly<Record<string, readonly number[]>>) {
  const instance = await startInstance({
    clock: virtualClock(),
    environment: clusterSettings(fake, directory.path, regions, templates),
  });
  onTestFinished(() => instance.close());
  const demo = await instance.openDemo();
  const customer = restClient(instance.baseUrl, demo?.apiKey ?? "");
  const offered = itemsOf((await customer.get("/stock")).body).map(({ region }) => objectOf(region).region);
  const servers = itemsOf((await customer.get("/servers")).body);
  const tickets = itemsOf((await customer.get("/tickets")).body);
  return { instance, demo, offered: offered.sort(), servers, tickets };
}

const places = (first: number, third: number) => ({
  firstVmid: first,
  addresses: [`203.0.${String(third)}.10-203.0.${String(third)}.99`],
});

it("start --demo sells in the cluster's only region if the cluster lacks the region ams", async () => {
  const { demo, offered, servers, tickets, instance } = await openDemo({ fra: {} });
  expect(demo).toMatchObject({ serverIds: [1, 2] });
  expect(offered).toEqual(["fra", "fra", "fra"]);
  expect(servers).toHaveLength(2);
  expect(tickets).toMatchObject([{ server_id: 1 }]);
  // The demo is complete: a later start opens nothing.
  expect(await instance.openDemo()).toBeUndefined();
});

it("start --demo sells in every region of a cluster, with any codes", async () => {
  const { demo, offered, servers } = await openDemo({
    nyc: places(clusterRegion.firstVmid + 1_000, 114),
    "eu-1": places(clusterRegion.firstVmid + 2_000, 115),
    lon: places(clusterRegion.firstVmid + 3_000, 116),
  });
  expect(demo).toMatchObject({ serverIds: [1, 2] });
  expect(offered).toEqual(["eu-1", "lon", "nyc"].flatMap((code) => [code, code, code]));
  expect(servers).toHaveLength(2);
});

it("start --demo starts without servers and shows the reason if the cluster creates none", async () => {
  const { demo, servers, tickets } = await openDemo({ fra: {} }, { "Debian 12": [9_000] });
  expect(demo).toMatchObject({
    serverIds: [],
    missing: [
      expect.stringContaining("plan Small is missing"),
      expect.stringContaining("plan Medium is missing"),
    ],
  });
  expect(servers).toEqual([]);
  expect(tickets).toMatchObject([{ server_id: null }]);
});

it("start --demo starts without servers on a cluster without regions", async () => {
  const { demo, offered } = await openDemo({});
  expect(demo).toMatchObject({
    serverIds: [],
    missing: ["The demo has no servers: the compute provider has no region."],
  });
  expect(offered).toEqual([]);
});
