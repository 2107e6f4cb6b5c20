import { expect, it } from "vitest";

import { domainRenewal } from "./domain-renewal.process.ts";
import { registration } from "./registration.process.ts";
import { serverOrder } from "./server-order.process.ts";
import { serverRenewal } from "./server-renewal.process.ts";
import { transferIn } from "./transfer.process.ts";

/** Tests the terms of a charge's document: the paid period, and what was sold by name. */

const startedAt = "2026-03-01T10:00:00.000000Z";
const name = { domainId: 3, accountId: 7, name: "example.com" };
const domain = { domain: "example.com", server: null, plan: null };
const plan = { serverId: 5, accountId: 7, planId: 2, planTitle: "S", monthGrossCents: "999" };

it("a registration's document names the sold years", () => {
  const order = { registrationId: "r-1", ...name, years: 2, yearNetCents: "1000", startedAt };
  const charge = registration.charge({ ...order, autoRenew: false, nameservers: null });
  expect(charge).toMatchObject({
    supply: { from: startedAt, until: "2028-03-01T10:00:00.000000Z" },
    sold: domain,
  });
});

it("a renewal's document names the years after the present expiry", () => {
  const expiresAt = "2026-03-15T12:00:00.000000Z";
  const order = { renewalId: "r-1", ...name, years: 1, yearNetCents: "1000", startedAt, expiresAt };
  expect(domainRenewal.charge({ ...order, automatic: false, restoration: false })).toMatchObject({
    supply: { from: expiresAt, until: "2027-03-15T12:00:00.000000Z" },
    sold: domain,
  });
});

it("a transfer's document names a year", () => {
  const order = { transferId: "t-1", ...name, provider: "epp", authCode: "x", netCents: "1000", startedAt };
  expect(transferIn.charge({ ...order, autoRenew: false, nameservers: null })).toMatchObject({
    supply: { from: startedAt, until: "2027-03-01T10:00:00.000000Z" },
    sold: domain,
  });
});

it("an order's document names the months and the plan of the server", () => {
  const hardware = { cores: 1, memoryGb: 2, storageGb: 20, regionId: 1, regionCode: "fsn1" };
  const system = { distroId: 1, distro: "debian-12", whitelisted: false, sshKey: null };
  const order = { orderId: "o-1", ...plan, ...hardware, ...system, months: 3, grossCents: "2997", startedAt };
  expect(serverOrder.charge(order)).toMatchObject({
    supply: { from: startedAt, until: "2026-06-01T10:00:00.000000Z" },
    sold: { domain: null, server: "server 5", plan: "S" },
  });
});

it("a server renewal's document names the period fixed in its stream, and the hostname", () => {
  const period = { from: "2026-03-31T10:00:00.000000Z", until: "2026-04-30T10:00:00.000000Z" };
  const percents = { discountPercent: 0, surchargePercent: 0 };
  const order = { renewalId: "n-1", ...plan, ...percents, months: 1, grossCents: "999", startedAt };
  expect(serverRenewal.charge({ ...order, hostname: "web-1", period })).toMatchObject({
    supply: period,
    sold: { domain: null, server: "web-1", plan: "S" },
  });
  // Renewals that began before this version do not name their period.
  expect(serverRenewal.charge({ ...order, hostname: null, period: null })).toMatchObject({
    supply: null,
    sold: { server: "server 5" },
  });
});
