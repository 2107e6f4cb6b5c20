import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { directoryOfSuite, freePort } from "@hostledger/runtime/testing";
import { describe, expect, it } from "vitest";

import { checkProviders } from "./check-providers.ts";
import { readConfiguration } from "./configuration/index.ts";

it("finds nothing wrong with simulated providers", async () => {
  const checked = await checkProviders(readConfiguration({}));
  expect(checked.map(({ provider, adapter }) => [provider, adapter])).toEqual([
    ["registrar", "sandbox"],
    ["dns", "sandbox"],
    ["compute", "sandbox"],
    ["vat-ids", "sandbox"],
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

it("finds what an EPP registrar lacks, and that it does not answer", async () => {
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

it("finds that the registry's certificate authority cannot be read, and asks the other providers all the same", async () => {
  const [registrar, dns] = await checkProviders(
    readConfiguration({
      HOSTLEDGER_REGISTRAR: "epp",
      HOSTLEDGER_EPP_URL: "epps://127.0.0.1:9",
      HOSTLEDGER_EPP_USER: "registrar",
      HOSTLEDGER_EPP_PASSWORD: "canary-password",
      HOSTLEDGER_EPP_CA: join(tmpdir(), "hostledger-no-such-ca.pem"),
    }),
  );
  expect(registrar?.findings).toEqual([
    {
      isRight: false,
      sentence: expect.stringContaining("HOSTLEDGER_EPP_CA names a file that cannot be read"),
    },
  ]);
  expect(dns?.findings).toMatchObject([{ isRight: true }]);
});

it("finds what mail lacks, and that the mail server does not answer", async () => {
  const findingsAt = async (environment: Readonly<Record<string, string>>) => {
    const checked = await checkProviders(readConfiguration(environment));
    const mail = checked.find(({ provider }) => provider === "mail");
    expect(JSON.stringify(checked)).not.toContain("canary");
    return mail?.findings;
  };
  const url = "smtp://ada:canary-password@127.0.0.1:9";
  const from = { HOSTLEDGER_MAIL_FROM: "hosting@example.com" };
  const wrong = (sentence: string) => [{ isRight: false, sentence: expect.stringContaining(sentence) }];
  expect(await findingsAt(from)).toBeUndefined();
  expect(await findingsAt({ HOSTLEDGER_SMTP_URL: url })).toEqual(wrong("HOSTLEDGER_MAIL_FROM must name"));
  expect(await findingsAt({ HOSTLEDGER_SMTP_URL: url, ...from })).toEqual(
    wrong("The mail server at 127.0.0.1:9 could not be spoken to (ECONNREFUSED)."),
  );
  const ca = { HOSTLEDGER_SMTP_CA: join(tmpdir(), "hostledger-no-such-ca.pem") };
  expect(await findingsAt({ HOSTLEDGER_SMTP_URL: url, ...from, ...ca })).toEqual(
    wrong("HOSTLEDGER_SMTP_CA names a file that cannot be read: there is no such file or directory."),
  );
});

describe("registrars beside the one that the settings name", () => {
  const directory = directoryOfSuite();
  const file = join(directory, "registrars.json");
  const passwordFile = join(directory, "password");
  writeFileSync(passwordFile, "canary-password\n");
  const epp = { adapter: "epp", url: "epps://127.0.0.1:9", user: "registrar", passwordFile };
  const checked = async (content: unknown, environment = {}) => {
    writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
    const all = await checkProviders(readConfiguration({ HOSTLEDGER_REGISTRARS_FILE: file, ...environment }));
    return all.filter(({ provider }) => provider === "registrar");
  };

  it("are checked, each under its name", async () => {
    const [first, other, ...more] = await checked({ "registry-one": epp });
    expect([first?.adapter, more]).toEqual(["sandbox", []]);
    expect(other).toMatchObject({ adapter: "epp", name: "registry-one", findings: [{ isRight: false }] });
    expect(other?.findings[0]?.sentence).toMatch(/^No session could be begun .* 127\.0\.0\.1:9: /);
    expect(JSON.stringify(other)).not.toContain("canary");
  });

  it("are refused under the EPP registrar's name, given or its host's", async () => {
    const settings = {
      HOSTLEDGER_REGISTRAR: "epp",
      HOSTLEDGER_EPP_URL: "epps://[::1]:9",
      HOSTLEDGER_EPP_USER: "registrar",
      HOSTLEDGER_EPP_PASSWORD: "canary-password",
    };
    for (const [name, environment] of [
      ["::1", settings],
      ["registry-one", { ...settings, HOSTLEDGER_EPP_NAME: "registry-one" }],
    ] as const) {
      const [registrar, ...more] = await checked({ [name]: epp }, environment);
      expect(more).toEqual([]);
      expect(registrar?.findings).toMatchObject([
        {
          isRight: false,
          sentence: `HOSTLEDGER_REGISTRARS_FILE: ${name} is what the registrar of HOSTLEDGER_REGISTRAR is called.`,
        },
      ]);
    }
  });

  it.each([
    ["{", "is no JSON."],
    [[], "file: "],
    [{ sandbox: { adapter: "sandbox" } }, "sandbox is what the registrar of HOSTLEDGER_REGISTRAR is called."],
    [{ other: { adapter: "sandbox" } }, "other: the simulated registrar, and no other, is called sandbox."],
    [{ other: { ...epp, password: "canary-password" } }, "other: "],
    [{ other: { ...epp, url: "https://127.0.0.1" } }, "other.url: must be an address such as epps://"],
    [{ other: { ...epp, sessions: 65 } }, "other.sessions: "],
    [{ other: { ...epp, certificate: "c.pem" } }, "other: certificate and keyFile go together."],
    [{ other: { ...epp, registry: "nobody's" } }, "other.registry: "],
    [{ other: { ...epp, adapter: "fax" } }, "other.adapter: "],
    [Object.fromEntries(Array.from({ length: 65 }, (_, n) => [`r${String(n)}`, epp])), "file: must be 64 "],
  ])("are refused by a sentence that names the file: %j", async (content, sentence) => {
    const [registrar, ...more] = await checked(content);
    expect(more).toEqual([]);
    expect(registrar?.findings.every(({ isRight }) => !isRight)).toBe(true);
    expect(registrar?.findings[0]?.sentence).toContain(`HOSTLEDGER_REGISTRARS_FILE: ${sentence}`);
    expect(JSON.stringify(registrar)).not.toContain("canary");
  });

  it("are refused if a file is missing", async () => {
    const [, other] = await checked({ other: { ...epp, passwordFile: join(directory, "none") } });
    expect(other?.findings).toMatchObject([{ isRight: false }]);
    expect(other?.findings[0]?.sentence).toContain(
      "HOSTLEDGER_REGISTRARS_FILE: other.passwordFile names a file that cannot be read: there is no such file or directory",
    );
    const [all] = await checked({}, { HOSTLEDGER_REGISTRARS_FILE: join(directory, "nothing.json") });
    expect(all?.findings).toMatchObject([
      { isRight: false, sentence: expect.stringMatching(/cannot be read/) },
    ]);
  });
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

it("finds what Stripe lacks, and that it does not answer", async () => {
  const findingsAt = async (environment: Readonly<Record<string, string>>) => {
    const checked = await checkProviders(
      readConfiguration({ HOSTLEDGER_PAYMENTS: "stripe", ...environment }),
    );
    return checked.find(({ provider }) => provider === "payments")?.findings;
  };
  expect(await findingsAt({})).toEqual([
    { isRight: false, sentence: expect.stringContaining("HOSTLEDGER_STRIPE_SECRET_KEY") },
    { isRight: false, sentence: expect.stringContaining("HOSTLEDGER_PAYMENT_ORIGINS") },
  ]);
  const settings = {
    HOSTLEDGER_STRIPE_SECRET_KEY: "sk_test_abcdefghijklmnop",
    HOSTLEDGER_STRIPE_URL: `http://127.0.0.1:${String(await freePort())}`,
    HOSTLEDGER_PAYMENT_ORIGINS: "https://hosting.example",
  };
  expect(await findingsAt(settings)).toEqual([
    { isRight: false, sentence: expect.stringContaining("No connection to Stripe could be made") },
  ]);
});
