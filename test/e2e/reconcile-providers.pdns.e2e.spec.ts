import { PowerdnsDns } from "@hostledger/providers";
import {
  startFakeProxmox,
  startPowerdns,
  type FakeProxmox,
  type PowerdnsServer,
} from "@hostledger/providers/testing";
import { temporaryDirectory, virtualClock } from "@hostledger/runtime/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { clusterRegion, clusterSettings } from "../support/cluster-settings.ts";
import {
  leftByFix,
  openDifferingShop,
  plantDifferences,
  reconcile,
  type DifferingShop,
} from "../support/planted-differences.ts";

/** Differences at a real PowerDNS and on a cluster that other programs also use. */

const clock = virtualClock();
const directory = temporaryDirectory();
let server: PowerdnsServer;
let fake: FakeProxmox;
let differing: DifferingShop;

beforeAll(async () => {
  [server, fake] = await Promise.all([startPowerdns(), startFakeProxmox()]);
  await addWhatOthersHave();
  differing = await openDifferingShop(clock, {
    HOSTLEDGER_DNS: "powerdns",
    HOSTLEDGER_POWERDNS_URL: server.url.origin,
    HOSTLEDGER_POWERDNS_API_KEY: server.apiKey,
    ...clusterSettings(fake, directory.path),
  });
});

afterAll(async () => {
  await differing.shop.close();
  await server.remove();
  await fake[Symbol.asyncDispose]();
  directory.remove();
  expect(fake.undocumented).toEqual([]);
});

async function addWhatOthersHave(): Promise<void> {
  const { url, apiKey } = server;
  const theirs = new PowerdnsDns({
    url,
    apiKey,
    server: "localhost",
    zoneKind: "native",
    account: "another-instance",
    nameservers: ["ns1.other.example", "ns2.other.example"],
    isSigned: false,
    timeLimitMs: 60_000,
  });
  expect(await theirs.createZone({ name: "theirs.com", records: [] })).toMatchObject({ outcome: "done" });
  fake.cluster.addMachine(700, "pve1", { name: "server-700" });
  fake.cluster.addMachine(clusterRegion.firstVmid + 80, "pve1", { name: "mail" });
}

describe("reconcile over PowerDNS and Proxmox VE", () => {
  let all: readonly string[];

  it("reports nothing without differences, despite foreign resources there", async () => {
    expect(await reconcile(differing)).toMatchObject({ code: 0, kinds: [], notCompared: [] });
  });

  it("reports each of 20 planted differences and nothing else, and ignores changes in progress", async () => {
    all = await plantDifferences(differing);
    const found = { code: 1, stderr: "20 things differ.\n", kinds: all, notCompared: [] };
    expect(await reconcile(differing)).toMatchObject(found);
  });

  it("repairs with --fix all differences without a risk to money or a name, and reports the others again", async () => {
    const left = leftByFix(all);
    expect(left).toHaveLength(7);
    const fixed = await reconcile(differing, "--fix");
    expect(fixed).toMatchObject({ code: 1, stderr: "7 things differ.\n", kinds: all });
    expect(await reconcile(differing)).toMatchObject({ code: 1, kinds: left });
  });

  it("names the providers that did not answer", async () => {
    await server.stop();
    fake.fail({
      request: /^GET \/cluster\/resources/,
      kind: { status: 500, message: "got a surprise" },
      times: 1_000,
    });
    const { code, kinds, notCompared } = await reconcile(differing);
    expect(code).toBe(1);
    expect(kinds.filter((kind) => /^(?:zone|server)-/.test(kind))).toEqual([]);
    expect(notCompared).toEqual([
      expect.stringContaining("The DNS server did not say what it holds"),
      expect.stringContaining("The DNS server did not answer about"),
      expect.stringContaining("The compute provider did not say what it holds: Proxmox VE answered"),
      expect.stringContaining("The compute provider did not answer about"),
    ]);
  });
});
