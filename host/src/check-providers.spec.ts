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

it("finds what a cluster lacks", async () => {
  const [, , compute] = await checkProviders(readConfiguration({ HOSTLEDGER_COMPUTE: "proxmox" }));
  expect(compute?.adapter).toBe("proxmox");
  expect(compute?.findings).toContainEqual({
    isRight: false,
    sentence:
      "HOSTLEDGER_PROXMOX_URL must say where the cluster's API is, since HOSTLEDGER_COMPUTE is proxmox.",
  });
});

it("finds what a registrar by EPP lacks, and that nobody answers there", async () => {
  const registrarOf = async (environment: Readonly<Record<string, string>>) => {
    const [registrar] = await checkProviders(
      readConfiguration({ HOSTLEDGER_REGISTRAR: "epp", ...environment }),
    );
    return registrar?.findings;
  };
  expect(await registrarOf({ HOSTLEDGER_EPP_URL: "epps://127.0.0.1:9" })).toEqual([
    { isRight: false, sentence: "HOSTLEDGER_EPP_USER must be set where HOSTLEDGER_REGISTRAR is epp." },
    { isRight: false, sentence: "HOSTLEDGER_EPP_PASSWORD must be set where HOSTLEDGER_REGISTRAR is epp." },
  ]);
  const whole = {
    HOSTLEDGER_EPP_URL: "epps://127.0.0.1:9",
    HOSTLEDGER_EPP_USER: "registrar",
    HOSTLEDGER_EPP_PASSWORD: "canary-password",
  };
  const findings = await registrarOf(whole);
  expect(findings).toMatchObject([{ isRight: false }]);
  expect(findings?.[0]?.sentence).toMatch(/^No session could be begun with the registry at 127\.0\.0\.1:9: /);
  expect(JSON.stringify(findings)).not.toContain("canary");
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
