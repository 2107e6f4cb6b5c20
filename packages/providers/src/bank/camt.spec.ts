import { faultOfStatement } from "@hostledger/core";
import { describe, expect, it } from "vitest";

import { keyedBookings } from "./booking-keys.ts";
import { camtFile, ownIban, type GivenFile, type GivenPayment } from "./camt.fixture.ts";
import { statementFileLimits } from "./camt-element.ts";
import { readStatements } from "./camt.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const read = (given?: GivenFile) => readStatements(bytes(camtFile(given)));
const ada: GivenPayment = {
  amount: "11.90",
  ref: "B1",
  text: "Top-up  RF18 A7",
  creditorReference: "RF712348231",
  name: "Ada Lovelace",
  iban: "NL91ABNA0417164300",
};

describe("a file of the bank", () => {
  it.each(["02", "08"] as const)("is read in version %s", async (version) => {
    const [statement] = await read({ version, opening: "100.00", payments: [ada, { amount: "-1.5" }] });
    expect(statement).toMatchObject({
      kind: "statement",
      statementId: "S1",
      iban: ownIban,
      currency: "EUR",
      opening: { amountCents: 10_000n, currency: "EUR" },
      closing: { amountCents: 11_040n },
    });
    expect(statement?.bookings).toEqual([
      {
        bankReference: "B1",
        amountCents: 1_190n,
        currency: "EUR",
        bookedOn: "2026-11-28",
        valueOn: "2026-11-28",
        isReversal: false,
        payments: [
          {
            amountCents: 1_190n,
            creditorReference: "RF712348231",
            remittance: "Top-up RF18 A7",
            endToEndId: "",
            counterpartyName: "Ada Lovelace",
            counterpartyIban: "NL91ABNA0417164300",
          },
        ],
      },
      expect.objectContaining({ amountCents: -150n, bankReference: "" }),
    ]);
  });

  it.each([
    ["<Rsn><Cd>MD07</Cd></Rsn><AddtlInf>Ada Lovelace has died</AddtlInf>", "MD07"],
    ["<Rsn><Prtry>ADA LOVELACE</Prtry></Rsn>", ""],
    ["<Rsn><Cd>Ada Lovelace</Cd></Rsn>", ""],
    ["<AddtlInf>Ada Lovelace has died</AddtlInf>", ""],
    ["", ""],
  ])("gives the bank's code as the only reason of a returned transfer: %s", async (reason, returnCode) => {
    const details = `<NtryDtls><TxDtls><Refs><EndToEndId>P1</EndToEndId></Refs><RtrInf>${reason}</RtrInf></TxDtls></NtryDtls>`;
    const [statement] = await read({ payments: [{ amount: "20.00", ref: "B2", details }] });
    const [payment] = statement?.bookings[0]?.payments ?? [];
    expect(payment).toMatchObject({ endToEndId: "P1", returnCode });
    expect(Object.values(payment ?? {}).join()).not.toMatch(/lovelace/iu);
  });

  it("leaves out payments that the bank only announces", async () => {
    const [statement] = await read({ payments: [ada, { ...ada, status: "PDNG" }] });
    expect(statement?.bookings).toHaveLength(1);
  });

  it("leaves out entries and parts of 0.00, which move nothing", async () => {
    const part = (amount: string) =>
      `<TxDtls><AmtDtls><TxAmt><Amt Ccy="EUR">${amount}</Amt></TxAmt></AmtDtls></TxDtls>`;
    const details = `<NtryDtls>${part("0.00")}${part("4.00")}${part("7.90")}</NtryDtls>`;
    const [statement] = await read({
      payments: [
        { amount: "0.00", text: "Closing" },
        { ...ada, details },
      ],
    });
    expect(statement?.bookings).toMatchObject([
      { amountCents: 1_190n, payments: [{ amountCents: 400n }, { amountCents: 790n }] },
    ]);
  });

  it("has each payment of a bank's collective booking, if the parts sum to it", async () => {
    const part = (amount: string) =>
      `<TxDtls><AmtDtls><TxAmt><Amt Ccy="EUR">${amount}</Amt></TxAmt></AmtDtls></TxDtls>`;
    const both = (...amounts: readonly string[]): GivenPayment => ({
      amount: "30.00",
      ref: "B2",
      details: `<NtryDtls>${amounts.map(part).join("")}</NtryDtls>`,
    });
    const [sums] = await read({ payments: [both("10.00", "20.00"), both("10.00", "19.00")] });
    expect(sums?.bookings.map(({ payments }) => payments.map(({ amountCents }) => amountCents))).toEqual([
      [1_000n, 2_000n],
      [3_000n],
    ]);
  });

  const bomb = `<?xml version="1.0"?><!DOCTYPE d [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;">]><Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.02">&b;</Document>`;
  const latin = camtFile().replace("UTF-8", "ISO-8859-1");
  it.each([
    ["an XML bomb", bytes(bomb), "has a DOCTYPE"],
    ["an entity that XML does not know", bytes(camtFile().replace("S1", "&a;")), "not well-formed XML"],
    ["another encoding by name", bytes(latin), "is in ISO-8859-1: export it in UTF-8"],
    ["bytes that are no UTF-8", Uint8Array.of(0x3c, 0xff, 0xfe), "not in UTF-8"],
    ["a file that is cut off", bytes(camtFile().slice(0, -20)), "not well-formed XML"],
    ["another document", bytes("<Document/>"), "neither CAMT.053 nor CAMT.054"],
    [
      "entities that grow by others",
      bytes(
        `<!DOCTYPE a [${Array.from({ length: 9 }, (_, at) => `<!ENTITY e${String(at + 1)} "${`&e${String(at)};`.repeat(10)}">`).join("")}]><a>&e9;</a>`,
      ),
      "has a DOCTYPE",
    ],
    ["an external entity", bytes('<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>'), "has a DOCTYPE"],
    ["another encoding", Buffer.from(camtFile({ payments: [ada] }), "utf16le"), "not well-formed XML"],
    [
      "another namespace",
      bytes(camtFile().replace("20022:tech:xsd:camt.053", "20022:tech:xsd:pain.001")),
      "neither CAMT.053 nor CAMT.054",
    ],
    [
      "a statement without its namespace",
      bytes(camtFile().replace(/ xmlns="[^"]*"/u, "")),
      "neither CAMT.053 nor",
    ],
    ["a message of another name", bytes(camtFile().replaceAll("BkToCstmrStmt", "Other")), "has no statement"],
    [
      "a negative amount",
      bytes(camtFile({ payments: [ada] }).replace(">11.90<", ">-11.90<")),
      'no amount with at most two decimals: "-11.90"',
    ],
    [
      "an amount above the limit",
      bytes(camtFile({ payments: [{ amount: "1000000000.01", ref: "B9" }] })),
      "The entry B9 is above 1000000000.00",
    ],
    [
      "a debit above the limit",
      bytes(camtFile({ payments: [{ amount: "-1000000000.01" }] })),
      "The entry without a reference is above 1000000000.00",
    ],
    [
      "an amount of more digits than a number has",
      bytes(camtFile({ closing: "1", payments: [{ amount: `1${"0".repeat(400)}` }] })),
      "no amount",
    ],
    ["text", bytes("Date;Amount"), "not well-formed XML"],
    ["nothing", new Uint8Array(), "not well-formed XML"],
    ["an amount of three decimals", bytes(camtFile({ payments: [{ amount: "1.005" }] })), "two decimals"],
    [
      "an amount that is none",
      bytes(camtFile({ payments: [{ amount: "1e3" }], closing: "1" })),
      "two decimals",
    ],
    ["an entry without a day", bytes(camtFile({ day: "", payments: [ada] })), "no day of booking"],
    ["an impossible day", bytes(camtFile({ day: "2026-13-41", payments: [ada] })), "no valid day"],
    [
      "a direction that is none",
      bytes(camtFile({ payments: [ada] }).replaceAll("CRDT", "BOTH")),
      "neither CRDT nor DBIT",
    ],
    ["too many bytes", new Uint8Array(statementFileLimits.bytes + 1), "larger than 16 MiB"],
  ])("is refused: %s", async (_what, file, message) => {
    await expect(readStatements(file)).rejects.toThrow(message);
  });

  it("is refused with more payments than the limit, or deeper levels", async () => {
    const small =
      "<Ntry><Amt>1</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts>BOOK</Sts><BookgDt><Dt>2026-11-28</Dt></BookgDt></Ntry>";
    const many = camtFile().replace("</Stmt>", `${small.repeat(statementFileLimits.payments + 1)}</Stmt>`);
    await expect(readStatements(bytes(many))).rejects.toThrow(
      "more than 10000 payments: export a shorter period",
    );
    const deep = camtFile().replace("</Stmt>", `${"<A>".repeat(40)}${"</A>".repeat(40)}</Stmt>`);
    await expect(readStatements(bytes(deep))).rejects.toThrow("more than 32 levels");
  });
});

describe("a file that shall use up time and memory", () => {
  const head = '<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.02"><BkToCstmrStmt><Stmt>';
  const entry = (status: string) =>
    `<Ntry><Amt>1</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts>${status}</Sts><BookgDt><Dt>2026-11-28</Dt></BookgDt></Ntry>`;
  const filled = (unit: string): string =>
    `${head}${unit.repeat(Math.floor((statementFileLimits.bytes - head.length) / unit.length))}`;
  const attributes = Array.from({ length: 1_000_000 }, (_, at) => ` a${String(at)}=""`).join("");

  it.each([
    ["a million payments", () => `${head}${entry("BOOK").repeat(1_000_000)}`, "larger than 16 MiB"],
    ["as many payments as go into it", () => filled(entry("BOOK")), "more than 10000 payments"],
    ["as many announced payments", () => filled(entry("PDNG")), "more than 600000 elements"],
    ["as many empty elements", () => filled("<a/>"), "more than 600000 elements"],
    ["as many open elements", () => filled("<a>"), "more than 32 levels"],
    ["one text", () => filled("x"), "not well-formed XML"],
    [
      "one text as the account",
      () => `${head}<Acct><Id><IBAN>${"9".repeat(16_000_000)}`,
      "not well-formed XML",
    ],
    ["one name", () => `${head}<${"a".repeat(16_000_000)}`, "not well-formed XML"],
    ["a million attributes", () => `${head}<a${attributes}/>`, "more than 32 attributes"],
    ["one comment", () => `${head}<!--${"-x".repeat(8_000_000)}`, "not well-formed XML"],
  ])("is refused: %s", async (_what, make, message) => {
    const file = bytes(make());
    const before = process.memoryUsage().rss;
    await expect(readStatements(file)).rejects.toThrow(message);
    // A file is decoded, and parsed in parts: some times its size, however it is made.
    expect(process.memoryUsage().rss - before).toBeLessThan(500_000_000);
  });

  it("is short in an error, for every text", async () => {
    const long = "9".repeat(1_000_000);
    const given = [{ iban: long }, { currency: long }, { payments: [{ ...ada, currency: long }] }];
    for (const one of given) {
      const [statement] = await read(one);
      const fault = statement && faultOfStatement(statement, { iban: ownIban, currency: "EUR" });
      expect(fault?.length).toBeLessThan(300);
    }
    const [named] = await read({ id: long, payments: [{ ...ada, text: long, name: long, iban: long }] });
    expect(JSON.stringify(named?.bookings[0]?.payments[0]?.remittance).length).toBeLessThan(1_100);
    expect(named?.statementId.length).toBeLessThanOrEqual(70);
  });
});

describe("a statement", () => {
  const own = { iban: ownIban, currency: "EUR" };
  const faultOf = async (given: GivenFile): Promise<string | undefined> => {
    const [statement] = await read(given);
    return statement && faultOfStatement(statement, own);
  };

  it("is right if its opening balance and entries make the closing balance", async () => {
    expect(await faultOf({ opening: "-5.00", payments: [ada, { amount: "-3.00" }] })).toBeUndefined();
    expect(await faultOf({ kind: "054", payments: [ada] })).toBeUndefined();
  });

  it.each([
    [
      "a wrong sum",
      { payments: [ada], closing: "12.00" },
      "does not add up: opening 0.00 and entries of 11.90",
    ],
    ["another account", { iban: "DE02120300000000202051" }, "is of account DE02120300000000202051"],
    ["another currency of the account", { currency: "USD" }, "has amounts in USD"],
    ["another currency of an entry", { payments: [{ ...ada, currency: "CHF" }] }, "has amounts in CHF"],
  ])("is wrong with %s", async (_what, given, fault) => {
    expect(await faultOf(given)).toContain(fault);
  });
});

describe("the key of a booking", () => {
  const keysOf = async (given: GivenFile) => {
    const [statement] = await read(given);
    return statement === undefined ? [] : keyedBookings(statement);
  };

  it("is the bank's reference in a statement and in a notification", async () => {
    const [inStatement] = await keysOf({ payments: [ada] });
    const [inNotice] = await keysOf({ kind: "054", id: "N1", payments: [{ ...ada, text: "shortened" }] });
    expect(inNotice?.key).toBe(inStatement?.key);
    const [other] = await keysOf({ payments: [{ ...ada, ref: "B2" }] });
    expect(other?.key).not.toBe(inStatement?.key);
  });

  it("counts equal bookings without a reference of the bank, and distinguishes statements", async () => {
    const { ref: _, ...same } = ada;
    const [first, second] = await keysOf({ payments: [same, same] });
    expect([first?.occurrence, second?.occurrence]).toEqual([1, 2]);
    expect(second?.key).not.toBe(first?.key);
    const [another] = await keysOf({ id: "S2", payments: [same] });
    expect(another).toMatchObject({ likeness: first?.likeness, noticeKey: first?.noticeKey });
    expect(another?.key).not.toBe(first?.key);
    const [notice] = await keysOf({ kind: "054", payments: [same] });
    expect(notice?.key).toBe(first?.noticeKey);
  });
});
