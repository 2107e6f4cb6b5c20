import type { LogEvent } from "../../log/index.ts";
import { describe, expect, it } from "vitest";
import { differenceLine, reconcile, reconciler } from "../index.ts";
import { rightEvents, rightLog, serverRenewalBegun, teamLog } from "../right-log.fixture.ts";

const log = rightLog(5);
const shown = new Map([[7, 1_000n]]);

const isOf =
  (type: string, part = "") =>
  (event: LogEvent) =>
    event.type.startsWith(type) && `${event.stream} ${event.data}`.includes(part);
const without = (...drops: readonly ((event: LogEvent) => boolean)[]) =>
  log.filter((event) => !drops.some((drop) => drop(event)));
const altered = (of: (event: LogEvent) => boolean, from: string, to: string) =>
  log.map((event) => (of(event) ? { ...event, data: event.data.replace(from, to) } : event));
const lines = (events: readonly LogEvent[], balances?: ReadonlyMap<number, bigint>) =>
  reconcile(events, balances).differences.map(differenceLine);

describe("a right log", () => {
  it("reconciles, each pair of sums being equal", () => {
    const reconciliation = reconcile(log, shown);
    expect(reconciliation).toMatchObject({
      size: log.length,
      accounts: 1,
      differences: [],
      differenceCount: 0,
      unfinished: [],
      charges: { charged: 5, delivered: 4, refunded: 1, unfinished: 0 },
    });
    expect(reconciliation.sums).toEqual({
      creditedCents: 5_000n,
      adjustedCents: 0n,
      paidOutCents: 0n,
      receiptedCents: 5_000n,
      chargedCents: 5_000n,
      invoicedCents: 5_000n,
      refundedCents: 1_000n,
      correctedCents: 1_000n,
      balanceCents: 1_000n,
      shownCents: 1_000n,
    });
  });

  it("reconciles up to each of its events, but for the balances shown at its end", () => {
    for (let size = 0; size <= log.length; size += 1) expect(lines(log.slice(0, size))).toEqual([]);
  });

  it("includes corrections by staff in the balances, and requires no document of them", () => {
    const [opened = expect.fail()] = log;
    const data = {
      kind: "debit",
      reference: "case-1",
      amountCents: "-400",
      balanceAfterCents: "600",
      reason: "Paid twice",
      adjustedAt: opened.time,
      debtAllowed: false,
    };
    const corrected: LogEvent = {
      ...opened,
      revision: BigInt(log.length),
      type: "BalanceAdjusted.v2",
      data: JSON.stringify(data),
    };
    expect(reconcile([...log, corrected], new Map([[7, 600n]]))).toMatchObject({
      differenceCount: 0,
      sums: { adjustedCents: -400n, balanceCents: 600n, shownCents: 600n },
    });
    expect(lines([...log, corrected], shown)).toEqual([
      "books-read-model: account 7: the books have 600 cents, the read model shows 1000 cents",
    ]);
  });

  it("accepts partial refunds of delivered charges", () => {
    const granted = [...rightEvents({ registrations: 2, grantedCents: 400 })];
    expect(reconcile(granted, new Map([[7, 800n]]))).toMatchObject({
      differenceCount: 0,
      charges: { charged: 2, delivered: 2, refunded: 0, unfinished: 0 },
      sums: { refundedCents: 800n, correctedCents: 800n, balanceCents: 800n },
    });
    const byTheOrder = granted.map((event) => ({
      ...event,
      type: event.type.replace("RefundGranted", "ChargeRefunded"),
    }));
    expect(lines(byTheOrder).join("\n")).toContain("is delivered, and was refunded as well");
  });

  it("accepts a team's charges of two accounts under one name, but not two charges of one account", () => {
    expect(reconcile(teamLog(2))).toMatchObject({
      differences: [],
      charges: { charged: 2, delivered: 0, refunded: 0, unfinished: 0 },
    });
    expect(lines(teamLog(1)).join("\n")).toMatch(/service:shop\/november: is charged a second time/u);
  });

  it("leaves the read model out when it is not known", () => {
    expect(reconcile(log).sums.shownCents).toBeUndefined();
    expect(lines([])).toEqual([]);
  });
});

describe("a server that is given away", () => {
  const [opened = expect.fail()] = log;
  const event = (type: string, data: object): LogEvent => ({
    ...opened,
    stream: "serverorder-1",
    type,
    data: JSON.stringify(data),
  });
  const gift = (grossCents: string | null): readonly LogEvent[] => [
    event("ServerOrderStarted.v1", {
      orderId: "serverorder-1",
      serverId: 1,
      accountId: 7,
      planId: 1,
      planTitle: "Small",
      cores: 2,
      memoryGb: 4,
      storageGb: 80,
      regionId: 1,
      regionCode: "fra",
      distroId: 1,
      distro: "Debian 13",
      months: 1,
      whitelisted: false,
      sshKey: null,
      monthGrossCents: "999",
      grossCents,
      startedAt: opened.time,
    }),
    event("ServerOrderCompleted.v1", { outcome: "provisioned", at: opened.time }),
  ];

  it("has no charge, and is no difference", () => {
    expect(lines([...log, ...gift(null)], shown)).toEqual([]);
  });

  it("is a purchase if it had a price, or is charged", () => {
    expect(lines([...log, ...gift("999")])).toEqual([
      expect.stringMatching(/^charges-runs: .* serverorder-1: ended as delivered, and was never charged$/u),
    ]);
    const charged = altered(isOf("", "registration-2"), "registration-2", "serverorder-1");
    expect(lines([...charged, ...gift(null)])).toContainEqual(
      expect.stringMatching(/serverorder-1: is charged, and its order was free of charge$/u),
    );
  });
});

describe("a charge whose run has not ended", () => {
  const open = without(
    isOf("RegistrationCompleted", "registration-3 "),
    isOf("DomainRegistered", "registration-3"),
  );
  const parked = (type: string, reason: string): LogEvent => {
    const { stream, ...rest } =
      open.find(isOf("RegistrationStarted", "registration-3 ")) ?? log[0] ?? expect.fail();
    const data = JSON.stringify({ reason, at: rest.time });
    return { ...rest, stream, type, data };
  };

  it.each([
    ["running", []],
    ["parked", [parked("RegistrationParked.v1", "no answer")]],
    [
      "abandoned",
      [parked("RegistrationParked.v1", "no answer"), parked("RegistrationAbandoned.v1", "settled")],
    ],
  ])("is no difference, and listed apart as %s", (state, more) => {
    const reconciliation = reconcile([...open, ...more], shown);
    expect(reconciliation).toMatchObject({
      differences: [],
      charges: { charged: 5, delivered: 3, refunded: 1, unfinished: 1 },
      unfinished: [
        { chargeId: "registration-3", accountId: 7, grossCents: 1_000n, refundedCents: 0n, state },
      ],
    });
    expect(reconciliation.unfinished[0]?.event).toMatch(/^account-7@\d+ \(BalanceCharged\.v1\)$/u);
  });
});

describe("a charge whose run is not in the log yet", () => {
  const [opened = expect.fail()] = log;
  const domainRenewal = {
    renewalId: "registration-2",
    accountId: 7,
    startedAt: opened.time,
    domainId: 2,
    name: "name-2.com",
    years: 1,
    automatic: false,
    restoration: false,
    expiresAt: opened.time,
    yearNetCents: "1000",
  };
  const onDomain = (type: string, data: object): LogEvent => ({
    ...opened,
    stream: "domain-name-2.com",
    type,
    data: JSON.stringify({ registrationId: "registration-2", ...data }),
  });
  const reserved = onDomain("RegistrationReserved.v1", {
    domainId: 2,
    accountId: 7,
    name: "name-2.com",
    years: 1,
    autoRenew: false,
    nameservers: null,
    yearNetCents: "1000",
    reservedAt: opened.time,
  });
  const charged = [
    reserved,
    ...without(isOf("Registration", "registration-2 "), isOf("DomainRegistered", "registration-2")),
  ];

  it("is unfinished, its name having been reserved for it", () => {
    expect(reconcile(charged)).toMatchObject({
      differences: [],
      charges: { charged: 5, unfinished: 1 },
      unfinished: [{ chargeId: "registration-2", state: "reserved" }],
    });
    expect(reconcile([reserved, ...log])).toMatchObject({ differences: [], unfinished: [] });
  });

  it.each([
    ["domain", { ...reserved, type: "DomainRenewalStarted.v2", data: JSON.stringify(domainRenewal) }],
    ["server", serverRenewalBegun(2)],
  ])("is unfinished, a renewal of a %s having begun with it", (_what, begun) => {
    expect(reconcile([begun, ...charged.slice(1)])).toMatchObject({
      differences: [],
      unfinished: [{ chargeId: "registration-2", state: "reserved" }],
    });
    expect(reconcile([begun, ...log])).toMatchObject({ differences: [], unfinished: [] });
  });

  it("is a difference once the name was released and nothing refunded", () => {
    const released = onDomain("RegistrationReleased.v1", {
      reason: "charge-refused",
      releasedAt: opened.time,
    });
    expect(lines([...charged, released])).toEqual([
      expect.stringMatching(
        /registration-2: is charged, and its run ended without delivery or whole refund$/u,
      ),
    ]);
    expect(lines([reserved, ...log, released])).toEqual([]);
  });
});

const invoice = isOf("InvoiceIssued", "2026-7-000002");
const delivered = isOf("DomainRegistered", "registration-2");

describe("what two sides tell differently", () => {
  it.each<readonly [string, readonly LogEvent[], RegExp]>([
    [
      "an invoice that is missing",
      without(invoice),
      /^charges-documents: event 9 account-7@\d+ \(BalanceCharged\.v1\), account 7, registration-2: has 0 invoices instead of one$/u,
    ],
    [
      "an invoice over another amount",
      altered(invoice, '"grossCents":"1000"', '"grossCents":"1001"'),
      /registration-2: is over 1000 cents, its invoice over 1001$/u,
    ],
    [
      "a second invoice",
      [...log, ...log.filter(invoice)],
      /^books-events: .*account-7@\d+ \(InvoiceIssued\.v2\).* "registration-2 has its document"$/u,
    ],
    [
      "a second charge",
      [...log, ...log.filter(isOf("BalanceCharged", "registration-2")), ...log.slice(-1)],
      /^books-events: event \d+ account-7@\d+ \(BalanceCharged\.v1\).* corrupt stream: BalanceCharged/u,
    ],
    [
      "a charge that is missing",
      without(isOf("BalanceCharged", "registration-2")),
      /account 7, registration-2: has an invoice, and was never charged$/u,
    ],
    [
      "a receipt that is missing",
      without(isOf("InvoiceIssued", "T000001")),
      /R: is credited, and has 0 receipts/u,
    ],
    [
      "a receipt over another amount",
      altered(isOf("InvoiceIssued", "T000001"), '"grossCents":"5000"', '"grossCents":"4000"'),
      /^books-documents: .*R: is credited 5000 cents, its receipt is over 4000$/u,
    ],
    [
      "a payment that is missing",
      without(isOf("BalanceCredited")),
      /R: has a receipt, and was never credited$/u,
    ],
    [
      "a correction that is missing",
      without(isOf("CorrectionIssued")),
      /registration-5: is refunded 1000 cents, its corrections are over 0$/u,
    ],
    [
      "a refund that is missing",
      without(isOf("RegistrationRefunded"), isOf("CorrectionIssued")),
      /^charges-runs: .*registration-5: is charged, and its run ended without delivery or whole refund$/u,
    ],
    [
      "a refund above the charge",
      altered(isOf("RegistrationRefunded"), '"grossCents":"1000"', '"grossCents":"1100"'),
      /^books-events: .*\(RegistrationRefunded\.v1\).* "more than is left of the charge"/u,
    ],
    [
      "a run that is missing",
      without(isOf("Registration", "registration-2 ")),
      /^charges-runs: .*registration-2: is charged, and no run made the charge$/u,
    ],
    [
      "a delivery that is missing",
      without(delivered),
      /^charges-deliveries: .*registration-2: ended as delivered, and no event tells what was delivered$/u,
    ],
    ["a second delivery", [...log, ...log.filter(delivered)], /registration-2: is delivered 2 times$/u],
    [
      "a delivery that its run denies",
      altered(isOf("RegistrationCompleted", "registration-2 "), '"delivered"', '"refused"'),
      /registration-2: is delivered, and its run tells that it was not$/u,
    ],
    [
      "a delivery that was refunded",
      altered(delivered, '"chargeId":"registration-2"', '"chargeId":"registration-5"'),
      /registration-5: is delivered, and was refunded as well$/u,
    ],
    [
      "a delivery that nobody paid",
      altered(delivered, '"chargeId":"registration-2"', '"chargeId":"registration-9"'),
      /registration-9: is delivered, and was never charged$/u,
    ],
    [
      "an event that cannot be read",
      altered(invoice, '"cause"', '"because"'),
      /^books-events: event 10 account-7@/u,
    ],
  ])("%s", (_name, events, line) => {
    expect(lines(events)).toContainEqual(expect.stringMatching(line));
  });

  it.each([
    [
      new Map([[7, 999n]]),
      "books-read-model: account 7: the books have 1000 cents, the read model shows 999 cents",
    ],
    [new Map(), "books-read-model: account 7: the books have 1000 cents, the read model shows no account"],
    [
      new Map([
        [7, 1_000n],
        [8, 5n],
      ]),
      "books-read-model: account 8: the books have no account, the read model shows 5 cents",
    ],
  ])("the read model %#", (balances, line) => {
    expect(lines(log, balances)).toEqual([line]);
  });

  it("is counted beyond the maximum of listed differences", () => {
    const reconciling = reconciler();
    const [event] = log;
    if (event !== undefined)
      for (let n = 0; n < 1_500; n += 1)
        reconciling.see({ ...event, data: "{}", stream: `account-7\n${String(n)}` });
    const { differences, differenceCount } = reconciling.end();
    expect([differences.length, differenceCount]).toEqual([1_000, 1_500]);
    expect(differences.map(differenceLine).join("")).not.toContain("\n");
  });
});
