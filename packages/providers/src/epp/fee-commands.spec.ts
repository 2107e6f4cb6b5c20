import { describe, expect, it } from "vitest";

import { readFee } from "./fee-commands.ts";
import { namespaces } from "./namespaces.ts";
import { parseXml } from "./xml.ts";

const name = "name.example";

/** Builds a check's answer with fees. */
function answer(about: string, currency = "EUR") {
  const xml = `<f:chkData xmlns:f="${namespaces.fee}"><f:currency>${currency}</f:currency>${about}</f:chkData>`;
  const rest = {
    code: 1000,
    message: "",
    clientTransactionId: undefined,
    data: undefined,
    messages: undefined,
  };
  return { ...rest, extensions: [parseXml(xml)] };
}

const cd = (command: string, id = name) => `<f:cd avail="1"><f:objID>${id}</f:objID>${command}</f:cd>`;
const create = (fees: string, standard = "") =>
  `<f:command name="create"${standard}><f:period unit="y">1</f:period>${fees}</f:command>`;
const fee = (amount: string) => `<f:fee>${amount}</f:fee>`;

describe("a registry's fee", () => {
  it.each([
    ["8.50", 850n],
    ["8.5", 850n],
    ["9", 900n],
    ["0.00", 0n],
    ["8.5000", 850n],
    ["8.501", 851n],
  ])("of %s is %s cents", (amount, cents) => {
    expect(readFee(answer(cd(create(fee(amount)))), name, "create")).toEqual({
      cents,
      currency: "EUR",
      isPremium: false,
    });
  });

  it("is the sum of all fees of an order, in the registry's currency", () => {
    const two = answer(cd(create(fee("8.50") + fee("1.50"))), "USD");
    expect(readFee(two, name, "create")).toMatchObject({ cents: 1_000n, currency: "USD" });
  });

  it.each([
    ["usd", "USD"],
    [" EUR ", "EUR"],
    ["", ""],
    ["\u20ac", ""],
  ])("in the currency %j is in %j", (said, currency) => {
    expect(readFee(answer(cd(create(fee("1.00"))), said), name, "create")).toMatchObject({ currency });
  });

  it.each([
    ["marked as standard", "", ' standard="1"', false],
    ["marked as not standard", "", ' standard="0"', true],
    ["of the class premium", "<f:class>premium</f:class>", "", true],
    ["of the class Standard", "<f:class>Standard</f:class>", "", false],
  ])("%s", (_, of, standard, isPremium) => {
    expect(readFee(answer(cd(of + create(fee("1.00"), standard))), name, "create")).toMatchObject({
      isPremium,
    });
  });

  it.each([
    ["of another name", cd(create(fee("1.00")), "other.example")],
    ["of another command", cd('<f:command name="renew"><f:fee>1.00</f:fee></f:command>')],
    ["without an amount", cd(create(""))],
    ["of nothing", ""],
  ])("%s is invalid", (_, about) => {
    expect(readFee(answer(about), name, "create")).toBeUndefined();
  });

  it.each(["", "free", "-1.00", "1,00", "1e3", "9".repeat(40)])("of %j is refused", (amount) => {
    expect(() => readFee(answer(cd(create(fee(amount)))), name, "create")).toThrow(
      "A fee is not a valid amount.",
    );
  });
});
