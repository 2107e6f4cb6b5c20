import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { anyPayouts, payoutFile } from "./pain.fixture.ts";
import { creditTransferFile } from "./pain.ts";

/** Files of credit transfers by the guidelines of the European Payments Council (EPC132-08); pain.xmllint.e2e.spec.ts has the schema. */

const texts = (xml: string, name: string): readonly string[] =>
  [...xml.matchAll(new RegExp(`<${name}(?: [^>]*)?>([^<]*)</${name}>`, "gu"))].map(([, text = ""]) =>
    text.replaceAll("&apos;", "'"),
  );

/** Names of the elements in the order of their beginnings. */
const names = (xml: string): readonly string[] =>
  [...xml.matchAll(/<([A-Za-z]+)/gu)].map(([, name = ""]) => name);

const one = payoutFile([{ name: "Ada Löwe & Co", amountCents: 2_000n }]);

describe("a file of payouts", () => {
  it("has its elements in the order of the message", () => {
    const { file, payouts } = one;
    expect(names(creditTransferFile(file, payouts)).join(" ")).toBe(
      "Document CstmrCdtTrfInitn GrpHdr MsgId CreDtTm NbOfTxs CtrlSum InitgPty Nm PmtInf PmtInfId PmtMtd BtchBookg NbOfTxs CtrlSum " +
        "PmtTpInf SvcLvl Cd ReqdExctnDt Dt Dbtr Nm DbtrAcct Id IBAN DbtrAgt FinInstnId BICFI ChrgBr CdtTrfTxInf PmtId EndToEndId Amt " +
        "InstdAmt Cdtr Nm CdtrAcct Id IBAN RmtInf Ustrd",
    );
  });

  it("names the operator's bank by its BIC, or as not provided", () => {
    const { file, payouts } = one;
    const xml = creditTransferFile(file, payouts);
    expect(texts(xml, "BICFI")).toEqual(["COBADEFFXXX"]);
    expect(xml).not.toContain("NOTPROVIDED");
    const without = creditTransferFile({ ...file, fromBic: "" }, payouts);
    expect(without.replaceAll(/\s/gu, "")).toContain(
      "<FinInstnId><Othr><Id>NOTPROVIDED</Id></Othr></FinInstnId>",
    );
    expect(texts(without, "BICFI")).toEqual([]);
  });

  it("has equal bytes for equal payouts", () => {
    const { file, payouts } = one;
    expect(creditTransferFile(file, [...payouts])).toBe(creditTransferFile({ ...file }, payouts));
  });

  it.each([
    ["Ada Löwe & Co", "Ada Lowe . Co"],
    ["Çelik ŞİRKETİ", "Celik SIRKETI"],
    ["Weiß", "Weiss"],
    ["Søren Łukasz Þór", "Soren Lukasz Thor"],
    ["株式会社", "...."],
    ["", "NOTPROVIDED"],
    ["\u0301", "NOTPROVIDED"],
    ["<b>]]>", ".b...."],
    ["A".repeat(69) + " B", "A".repeat(69)],
  ])("writes the name %j as %j", (name, written) => {
    const { file, payouts } = payoutFile([{ name, amountCents: 1n }]);
    expect(texts(creditTransferFile(file, payouts), "Nm").at(-1)).toBe(written);
  });

  it("has only valid characters and lengths, and correct sums, for any payouts", () => {
    fc.assert(
      fc.property(anyPayouts, ({ file, payouts }) => {
        const xml = creditTransferFile(file, payouts);
        for (const [name, limit] of [
          ["Nm", 70],
          ["Ustrd", 140],
          ["MsgId", 35],
          ["PmtInfId", 35],
          ["EndToEndId", 35],
        ] as const)
          for (const written of texts(xml, name)) {
            const text = written.replaceAll("&apos;", "'");
            expect(text).toMatch(/^[A-Za-z0-9/?:().,'+ -]+$/u);
            expect(text.length).toBeLessThanOrEqual(limit);
            expect(text.trim()).toBe(text);
          }
        const cents = texts(xml, "InstdAmt").map((amount) => BigInt(amount.replace(".", "")));
        expect(cents).toEqual(payouts.map(({ amountCents }) => amountCents));
        const sum = cents.reduce((total, part) => total + part, 0n);
        expect(texts(xml, "CtrlSum").map((amount) => BigInt(amount.replace(".", "")))).toEqual([sum, sum]);
        const count = String(payouts.length);
        expect(texts(xml, "NbOfTxs")).toEqual([count, count]);
      }),
    );
  });
});
