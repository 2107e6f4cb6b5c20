import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { VatIdQuestion, VatIdRegister } from "../vat/vat-ids.port.ts";

export interface VatIdsUnderTest {
  readonly vatIds: VatIdRegister;
  /** Name of a company whose VAT id the register does not have. */
  readonly unregistered: string;
  /** Name of a company about whose VAT id the register cannot be asked at present. */
  readonly unreachable: string;
  close(): Promise<void> | void;
}

/** Tests the behaviour required of every register of VAT ids, simulated or real. */
export function describeVatIdsContract(
  name: string,
  make: () => Promise<VatIdsUnderTest> | VatIdsUnderTest,
): void {
  describe(`VAT id contract: ${name}`, () => {
    const vatId = "NL004495445B01";
    const question: VatIdQuestion = { name: "Registered BV", askedBy: "DE123456788" };
    let underTest: VatIdsUnderTest;
    beforeEach(async () => {
      underTest = await make();
    });
    afterEach(async () => {
      await underTest.close();
    });

    it("confirms a registered VAT id, with a consultation number for a seller with a VAT id", async () => {
      expect(await underTest.vatIds.check(vatId, question)).toEqual({
        outcome: "done",
        value: { isValid: true, consultationNumber: expect.stringMatching(/^[\x21-\x7e]{1,50}$/) },
      });
    });

    it.each([
      ["a seller without a VAT id", ""],
      ["a seller from outside the Union", "CHE107787577"],
    ])("answers %s without a consultation number", async (_seller, askedBy) => {
      expect(await underTest.vatIds.check(vatId, { ...question, askedBy })).toEqual({
        outcome: "done",
        value: { isValid: true, consultationNumber: "" },
      });
    });

    it("answers a question without the company's name", async () => {
      expect(await underTest.vatIds.check(vatId, { ...question, name: "" })).toMatchObject({
        outcome: "done",
        value: { isValid: true },
      });
    });

    it("answers that an unregistered VAT id is not valid", async () => {
      const { vatIds, unregistered } = underTest;
      expect(await vatIds.check(vatId, { ...question, name: unregistered })).toMatchObject({
        outcome: "done",
        value: { isValid: false },
      });
    });

    it('reports "unknown" while it cannot be asked, and never "not valid"', async () => {
      const { vatIds, unreachable } = underTest;
      const answer = await vatIds.check(vatId, { ...question, name: unreachable });
      expect(answer.outcome).not.toBe("done");
      expect(answer).toMatchObject({ message: expect.any(String) });
    });

    it.each(["CHE107787577", "GB980780684", "XI980780684", "NO995525828MVA"])(
      "refuses a question about %s, which no member state issued for services",
      async (foreign) => {
        expect(await underTest.vatIds.check(foreign, question)).toMatchObject({
          outcome: "refused",
          reason: "rejected",
          message: expect.stringContaining(foreign.slice(0, 2)),
        });
      },
    );

    it("answers each of many questions at once", async () => {
      const asked = ["NL004495445B01", "ATU13585627", "EL094259216", "GR094259216", "FR40303265045"];
      const answers = await Promise.all(asked.map((each) => underTest.vatIds.check(each, question)));
      expect(answers).toMatchObject(asked.map(() => ({ outcome: "done", value: { isValid: true } })));
    });
  });
}
