import { expect, it } from "vitest";

import { checkProviders } from "./check-providers.ts";
import { readConfiguration } from "./configuration/index.ts";

it("finds nothing wrong with simulated providers", async () => {
  const checked = await checkProviders(readConfiguration({}));
  expect(checked.map(({ provider, adapter }) => [provider, adapter])).toEqual([
    ["registrar", "sandbox"],
    ["dns", "sandbox"],
    ["compute", "sandbox"],
  ]);
  expect(checked.flatMap(({ findings }) => findings).every(({ isRight }) => isRight)).toBe(true);
});

it("finds that there is no adapter for a provider of a later version", async () => {
  const [registrar] = await checkProviders(readConfiguration({ HOSTLEDGER_REGISTRAR: "epp" }));
  expect(registrar).toMatchObject({ adapter: "epp", findings: [{ isRight: false }] });
});

it("finds what a configured provider lacks", async () => {
  const [, dns] = await checkProviders(readConfiguration({ HOSTLEDGER_DNS: "powerdns" }));
  expect(dns).toMatchObject({
    adapter: "powerdns",
    findings: [
      { isRight: false, sentence: expect.stringContaining("HOSTLEDGER_POWERDNS_URL") },
      { isRight: false, sentence: expect.stringContaining("HOSTLEDGER_POWERDNS_API_KEY") },
    ],
  });
});
