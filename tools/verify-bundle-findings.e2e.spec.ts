import { entriesPath, parseEntryBundle } from "@hostledger/audit/log";
import { readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { about, key, program, runAs, signer, useBundle } from "./bundle-under-test.fixture.ts";
import { eventAt, movements, opening, put, writeBundle } from "./verify-bundle.fixture.ts";

const bundle = useBundle();

describe("events", () => {
  it("finds a changed byte of any event, and names the event", () => {
    for (const index of [0, 5, 254]) {
      bundle.restore();
      bundle.changeEntries("tile/entries/000", (entries) => {
        const entry = Buffer.from(entries[index] ?? []);
        entry[entry.length - 1] = (entry.at(-1) ?? 0) ^ 1;
        return entries.map((one, at) => (at === index ? entry : one));
      });
      const answer = bundle.verify();
      expect(answer.status).toBe(1);
      expect(about(answer, "inclusion").map((line) => line.split(" (")[0])).toEqual([
        `inclusion: event ${String(index)} account-7@${String(index)}`,
      ]);
      expect(about(answer, "root")).toHaveLength(1);
      expect(about(answer, "consistency")).toHaveLength(1);
    }
  });

  it("finds swapped events, and names both", () => {
    bundle.changeEntries("tile/entries/001", (entries) => {
      const [one, two, ...rest] = entries;
      return [two, one, ...rest].filter((entry) => entry !== undefined);
    });
    const answer = bundle.verify();
    expect(answer.status).toBe(1);
    expect(about(answer, "inclusion").map((line) => /event \d+ [^ ]+/u.exec(line)?.[0])).toEqual([
      "event 256 account-7@257",
      "event 257 account-7@256",
    ]);
    expect(about(answer, "revisions")).toHaveLength(3);
  });

  it("reports one finding for a wrong amount, not one for each later event", () => {
    bundle.replaceAfter("tile/entries/000", "BalanceCredited", '"100"', '"900"');
    expect(about(bundle.verify(), "streams")).toEqual([
      "streams: event 1 account-7@1 (BalanceCredited.v1): BalanceCredited cannot follow a balance of 0 cents: " +
        "it would be 900, and the event says 100; the 598 events behind it in account-7 do not count",
    ]);
  });

  it("reports one finding for a wrong balance", () => {
    bundle.replaceAfter("tile/entries/000", "balanceAfterCents", '"100"', '"700"');
    expect(about(bundle.verify(), "streams")).toHaveLength(1);
  });

  it("finds an invalid amount, and an event that is no JSON", () => {
    bundle.replaceAfter("tile/entries/000", "BalanceCredited", '"100"', '"1x0"');
    expect(about(bundle.verify(), "decoding")).toEqual([
      "decoding: event 1 account-7@1 (BalanceCredited.v1): 1x0 is no number of cents; the 598 events behind it in account-7 do not count",
    ]);
  });

  it("finds a malformed entry, and one that was cut and filled up", () => {
    bundle.changeEntries("tile/entries/000", (entries) => {
      const [one, two, three, ...rest] = entries;
      if (one === undefined || two === undefined || three === undefined) return [];
      return [Buffer.of(9), two.subarray(0, 40), Buffer.concat([three, Buffer.of(0)]), ...rest];
    });
    expect(about(bundle.verify(), "decoding").slice(0, 3)).toEqual([
      "decoding: event 0: the entry has an unknown form",
      "decoding: event 1: the entry ends in the middle of a field",
      "decoding: event 2: the entry has bytes after its last field",
    ]);
  });

  it("shows no control characters of an event to the terminal", () => {
    const odd = [
      eventAt(0, "account-7", 0, "\u001b[31mBalance\nCredited.v1", {}),
      eventAt(1, "account-7", 7, "\u009b", {}),
    ];
    const path = join(bundle.path, "odd");
    writeBundle(path, odd, [signer]);
    const answer = runAs(program, path, ...key, "--event", "0");
    expect(answer.status).toBe(1);
    expect(answer.findings.join("")).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/u);
  });

  it("finds a balance below zero, and money outside of accounts", () => {
    const path = join(bundle.path, "negative");
    const charge = { grossCents: "5", balanceAfterCents: "-5" };
    const wrong = [
      opening,
      eventAt(1, "account-7", 1, "BalanceCharged.v1", charge),
      eventAt(2, "domain-1", 0, "BalanceCharged.v1", charge),
    ];
    writeBundle(path, wrong, [signer]);
    expect(runAs(program, path, ...key)).toMatchObject({
      status: 1,
      findings: [
        "balances: event 2 domain-1@0 (BalanceCharged.v1): it moves money in a stream that is no account's",
        "streams: event 1 account-7@1 (BalanceCharged.v1): BalanceCharged cannot follow a balance of 0 cents: it would be -5",
      ],
    });
  });

  it.each([
    ["BalanceAdjusted", true, []],
    ["BalanceAdjusted", false, ["BalanceAdjusted cannot follow a balance of 0 cents: it would be -5"]],
    ["BalanceCharged", true, ["BalanceCharged cannot follow a balance of 0 cents: it would be -5"]],
  ])("permits a %s below zero if it has %j", (type, debtAllowed, expected) => {
    const path = join(bundle.path, "debt");
    const amount = type === "BalanceCharged" ? { grossCents: "5" } : { amountCents: "-5" };
    const data = { ...amount, balanceAfterCents: "-5", debtAllowed };
    writeBundle(path, [opening, eventAt(1, "account-7", 1, `${type}.v2`, data)], [signer]);
    const place = `streams: event 1 account-7@1 (${type}.v2): `;
    expect(about(runAs(program, path, ...key), "streams")).toEqual(
      expected.map((finding) => `${place}${finding}`),
    );
  });

  it("passes over events of other software and those that the staff had passed over, and names the others", () => {
    const path = join(bundle.path, "foreign");
    const credit = { amountCents: "100", balanceAfterCents: "100" };
    const note = { ...eventAt(1, "account-7", 1, "CrmNoteTaken", {}), metadata: "{}" };
    const damaged = { ...eventAt(2, "account-7", 2, "BalanceCredited.v1", credit), metadata: "{}" };
    const broken = { ...eventAt(3, "account-7", 3, "BalanceCharged.v1", {}), data: "none" };
    const answerTo = ({ id, stream }: typeof damaged) =>
      eventAt(4, `mending-${stream}`, 0, "StreamMended.v1", { stream, eventId: id, reason: "A script." });
    put(path, "schemas/BalanceCredited.v1.json", "{}");
    put(path, "schemas/AccountOpened.v1.json", "{}");
    writeBundle(path, [opening, note, damaged, broken, answerTo(damaged)], [signer]);
    expect(runAs(program, path, ...key)).toMatchObject({
      status: 1,
      findings: [
        "passed over by the staff: event 2 account-7@2 (BalanceCredited.v1): A script.",
        expect.stringMatching(/^decoding: event 3 account-7@3 \(BalanceCharged.v1\): .* not valid JSON$/u),
        "passed over: 1 events of other software",
      ],
    });
    writeBundle(path, [opening, note, damaged, answerTo(damaged)], [signer]);
    expect(runAs(program, path, ...key)).toMatchObject({
      status: 0,
      findings: [
        "passed over by the staff: event 2 account-7@2 (BalanceCredited.v1): A script.",
        "passed over: 1 events of other software",
        expect.stringContaining("ok: 4 events, 1 account,") as string,
      ],
    });
  });

  it("stops an account at an event that contradicts it, until the staff have that event passed over", () => {
    const path = join(bundle.path, "contradicting");
    const credit = (index: number, revision: number, balanceAfterCents: string) =>
      eventAt(index, "account-7", revision, "BalanceCredited.v1", { amountCents: "100", balanceAfterCents });
    const again = eventAt(2, "account-7", 2, "AccountOpened.v1", { accountId: 7 });
    const data = { stream: "account-7", eventId: again.id, reason: "A script." };
    const answer = eventAt(4, "mending-account-7", 0, "StreamMended.v1", data);
    const events = [opening, credit(1, 1, "100"), again, credit(3, 3, "200"), answer];
    put(path, "balances.json", '[{"accountId":7,"balanceCents":"200"}]');
    writeBundle(path, events, [signer]);
    expect(runAs(program, path, ...key)).toMatchObject({
      status: 0,
      findings: [
        "passed over by the staff: event 2 account-7@2 (AccountOpened.v1): A script.",
        expect.stringContaining("ok: 5 events") as string,
      ],
    });
    put(path, "balances.json", '[{"accountId":7,"balanceCents":"100"}]');
    writeBundle(path, events.slice(0, 4), [signer]);
    expect(runAs(program, path, ...key)).toMatchObject({
      status: 1,
      findings: [
        "streams: event 2 account-7@2 (AccountOpened.v1): AccountOpened cannot follow an opened account; " +
          "the event behind it in account-7 does not count",
      ],
    });
  });

  it("includes corrections and refunds by staff, in either direction", () => {
    const path = join(bundle.path, "corrected");
    const right = [
      opening,
      eventAt(1, "account-7", 1, "BalanceCredited.v1", { amountCents: "100", balanceAfterCents: "100" }),
      eventAt(2, "account-7", 2, "BalanceAdjusted.v2", {
        kind: "debit",
        amountCents: "-30",
        balanceAfterCents: "70",
      }),
      eventAt(3, "account-7", 3, "BalanceCharged.v1", { grossCents: "50", balanceAfterCents: "20" }),
      eventAt(4, "account-7", 4, "InvoiceIssued.v2", {
        action: "purchase",
        cause: "run-1",
        grossCents: "50",
      }),
      eventAt(5, "account-7", 5, "RefundGranted.v1", {
        chargeId: "run-1",
        grossCents: "10",
        balanceAfterCents: "30",
      }),
      eventAt(6, "account-7", 6, "BalanceAdjusted.v2", {
        kind: "credit",
        amountCents: "5",
        balanceAfterCents: "35",
      }),
    ];
    writeBundle(path, right, [signer]);
    expect(runAs(program, path, ...key)).toMatchObject({ status: 0 });
    const wrong = right.with(
      2,
      eventAt(2, "account-7", 2, "BalanceAdjusted.v2", {
        kind: "debit",
        amountCents: "-30",
        balanceAfterCents: "60",
      }),
    );
    writeBundle(path, wrong, [signer]);
    expect(about(runAs(program, path, ...key), "streams")).toEqual([
      "streams: event 2 account-7@2 (BalanceAdjusted.v2): BalanceAdjusted cannot follow a balance of 100 cents: it would be 70, and the event says 60; the 4 events behind it in account-7 do not count",
    ]);
  });

  it.each([
    ["[]", "account-7: the events make", "no account"],
    ['[{"accountId":7,"balanceCents":"1"}]', "account-7: the events make", "1 cents"],
    ['[{"accountId":8,"balanceCents":"1"}]', "account-8: the log does not have it", ""],
  ])("finds that the read model showed %s", (text, one, two) => {
    writeFileSync(join(bundle.path, "balances.json"), text);
    const answer = bundle.verify();
    expect(answer.status).toBe(1);
    expect(answer.findings.join("\n")).toContain(one);
    expect(answer.findings.join("\n")).toContain(two);
  });
});

describe("cut and missing files", () => {
  it("names the event at which a bundle of entries ends", () => {
    truncateSync(join(bundle.path, "tile/entries/001"), 1_000);
    const answer = bundle.verify();
    expect(answer.status).toBe(1);
    expect(answer.findings).toHaveLength(1);
    expect(answer.findings[0]).toMatch(
      /^root: tile\/entries\/001, event 26\d: it holds \d whole events, not 256; what follows was not read$/u,
    );
  });

  const last = entriesPath(2, 88);
  const cut = `root: ${last}, event 599: it holds 87 whole events, not 88; what follows was not read`;
  const elsewhere = (index: number): string =>
    `inclusion: event ${String(index)}: its hash is not the one in tile/0/002.p/88`;

  it("finds a tail that was cut", () => {
    bundle.changeEntries(last, (entries) => entries.slice(0, -1));
    expect(bundle.verify()).toMatchObject({ status: 1, findings: [cut] });
    writeFileSync(join(bundle.path, last), "");
    expect(bundle.verify()).toMatchObject({
      status: 1,
      findings: [expect.stringContaining("it holds 0 whole events")],
    });
  });

  it("finds a missing and an inserted event, with their places", () => {
    bundle.changeEntries(last, (entries) => entries.filter((_, at) => at !== 7));
    expect(bundle.verify()).toMatchObject({ status: 1, findings: [cut, elsewhere(519)] });
    const events88 = parseEntryBundle(readFileSync(join(bundle.good, last)));
    bundle.changeEntries(last, () => [...events88.slice(0, 9), ...events88.slice(8)]);
    expect(bundle.verify().findings.at(-1)).toBe(elsewhere(521));
  });

  it("finds bytes after the last event", () => {
    bundle.change(last, (bytes) => Buffer.concat([bytes, Buffer.of(0)]));
    expect(bundle.verify()).toMatchObject({
      status: 1,
      findings: [`root: ${last}: it has bytes after its last event`],
    });
  });

  it.each([
    ["tile/entries/000", "root: tile/entries/000: it is missing; what follows was not read"],
    ["tile/0/001", "tiles: tile/0/001: it is missing or has another length"],
    ["tile/0/002.p/88", "tiles: tile/0/002.p/88: it is missing or has another length"],
    ["tile/1/000.p/2", "tiles: tile/1/000.p/2: it is missing or has another length"],
  ])("finds that %s is missing", (path, finding) => {
    rmSync(join(bundle.path, path));
    expect(bundle.verify()).toMatchObject({ status: 1, findings: [finding] });
  });

  it("reads entries over 65,535 bytes from their own files, and finds those changed or missing", () => {
    const path = join(bundle.path, "with-large");
    const text = "x".repeat(70_000);
    writeBundle(path, [...movements(9), eventAt(9, "ticket-1", 0, "TicketOpened.v1", { text })], [signer]);
    bundle.path = path;
    expect(bundle.verify()).toMatchObject({ status: 0 });
    bundle.flip("large/9", 500);
    expect(bundle.verify().findings).toEqual([
      "decoding: event 9: large/9 is not what the log has the hash of",
    ]);
    rmSync(join(path, "large/9"));
    expect(bundle.verify()).toMatchObject({ status: 1, findings: ["decoding: event 9: large/9 is missing"] });
  });
});
