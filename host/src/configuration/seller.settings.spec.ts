import { ConfigurationError } from "@hostledger/runtime";
import { expect, it } from "vitest";

import { readConfiguration } from "./index.ts";

const read = (iban: string) => readConfiguration({ HOSTLEDGER_BANK_IBAN: iban });

it.each(["DE89370400440532013000", "DE89 3704 0044 0532 0130 00", "de89 3704 0044 0532 0130 00"])(
  "accepts the IBAN %s",
  (iban) => {
    expect(read(iban).bankIban).toBe("DE89370400440532013000");
  },
);

it.each([
  ["of wrong check digits", "DE88370400440532013000"],
  ["of two exchanged digits", "DE89370400440532031000"],
  ["that is too short for its country", "DE8937040044053201300"],
  ["that is too long for its country", "DE893704004405320130000"],
  ["of no country", "ZZ89370400440532013000"],
  ["without a country", "89370400440532013000"],
  ["that is a BIC", "COBADEFFXXX"],
  ["of other characters", "DE89370400440532013OOO"],
  ["that is two", "DE89370400440532013000,DE02120300000000202051"],
  ["that is a long text", "9".repeat(100_000)],
])("refuses an IBAN %s", (_what, iban) => {
  expect(() => read(iban)).toThrow(ConfigurationError);
  expect(() => read(iban)).toThrow("HOSTLEDGER_BANK_IBAN must be an IBAN with correct check digits");
});
