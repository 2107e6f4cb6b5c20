import { describe, expect, it } from "vitest";

import { layoutFile, layoutWith } from "../proxmox.fixture.ts";
import { placesFor, proxmoxLayout } from "./proxmox-layout.ts";

const fra = layoutFile.regions.fra;
const mistakesIn = (change: object): readonly string[] => {
  const { error } = proxmoxLayout.safeParse({ ...layoutFile, ...change });
  return error?.issues.map(({ path, message }) => `${path.join(".")}: ${message}`) ?? [];
};

describe("the layout of a cluster", () => {
  it("gives each place of a region a vmid and an address, in any order of names", () => {
    const [region] = Object.values(
      layoutWith({ addresses: ["203.0.113.254-203.0.114.1", "198.51.100.7"] }).regions,
    );
    const places = region === undefined ? [] : [...placesFor(region, "server-14")];
    expect(places.map(({ vmid, address }) => `${String(vmid)} ${address}`)).toEqual([
      "100004 198.51.100.7",
      "100000 203.0.113.254",
      "100001 203.0.113.255",
      "100002 203.0.114.0",
      "100003 203.0.114.1",
    ]);
  });

  it.each([
    [{ bridge: undefined }, /^bridge: /],
    [{ brigde: "vmbr0" }, /brigde/],
    [{ nameservers: ["ns1"] }, /^nameservers\.0: must be an IPv4 address/],
    [{ templates: { "Debian 13": [] } }, /^templates\.Debian 13: /],
    [{ regions: { fra: { ...fra, firstVmid: 99 } } }, /^regions\.fra\.firstVmid: /],
    [
      { regions: { fra: { ...fra, addresses: ["203.0.113.9-203.0.113.1"] } } },
      /must be IPv4 addresses or ranges/,
    ],
    [{ regions: { fra: { ...fra, addresses: ["10.0.0.0-10.255.255.255"] } } }, /65536 addresses at most/],
    [{ regions: { fra: { ...fra, addresses: ["10.0.0.1", "10.0.0.1"] } } }, /stands there twice/],
    [{ regions: { fra: { ...fra, reverseName: "fra.example.net" } } }, /with \{address\} in it/],
    [
      { regions: { fra, nyc: { ...fra, firstVmid: 200_000 } } },
      /203\.0\.113\.10 of region nyc stands there twice/,
    ],
    [{ regions: { fra, nyc: { ...fra, addresses: ["10.0.0.1"] } } }, /regions fra and nyc share vmids/],
    [{ regions: { fra: { ...fra, firstVmid: 999_999_990 } } }, /beyond the greatest/],
  ])("is refused with a sentence: %o", (change, sentence) => {
    expect(mistakesIn(change)).toContainEqual(expect.stringMatching(sentence));
  });
});
