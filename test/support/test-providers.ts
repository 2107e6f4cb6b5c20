import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { openEppRegistrar, openSandbox, type Registrar } from "@hostledger/providers";
import { serveRegistry } from "@hostledger/providers/epp/server";
import type { CuttableWire, WireCertificates } from "@hostledger/providers/testing";
import { certify, makeAuthority } from "@hostledger/runtime/certificates";
import { readConfiguration } from "@hostledger/host/configuration";
import type { Clock } from "@hostledger/runtime";

import { openOutsideProviders, type TestProviders } from "./outside-providers.ts";
import { areAllOutside, isRegistrarEpp, registryFile } from "./tried-registrar.ts";

/** Shared by all instances of a process, because creating keys takes longer than a test. */
let certificates: Promise<WireCertificates> | undefined;

/**
 * Opens the providers with which acceptance tests run, as `TEST_PROVIDERS` asks: the instance's own simulated ones (the default);
 * `all`, where zones are in a PowerDNS of its own and servers on a fake cluster of Proxmox VE, too; or `epp`, where its registrar is a test registry over EPP and TLS, in `registry.sqlite` of the data directory: a copy of the
 * directory has the registry of that moment, too.
 *
 * @param environment of the instance: the registry's labels keep its times.
 */
export async function openTestProviders(
  data: string,
  clock: Clock,
  environment: Readonly<Record<string, string>>,
): Promise<TestProviders> {
  const registrar = await openTestRegistrar(data, clock, environment);
  if (!areAllOutside) return registrar;
  const others = await openOutsideProviders(data);
  return {
    environment: { ...registrar.environment, ...others.environment },
    staff: (client) => others.staff(registrar.staff(client)),
    async close() {
      await others.close();
      await registrar.close();
    },
  };
}

async function openTestRegistrar(
  data: string,
  clock: Clock,
  environment: Readonly<Record<string, string>>,
): Promise<TestProviders> {
  if (!isRegistrarEpp) return { environment: {}, staff: (client) => client, close: () => Promise.resolve() };
  return openTestRegistry(data, clock, environment);
}

/** A test registry, and other registrars' names there. */
export interface TestRegistry extends TestProviders {
  /** Another registrar. It asks nobody before its first call. */
  readonly other: Registrar;
}

/**
 * Opens a test registry over EPP and TLS in the data directory. It is the sandbox's own, where that is the instance's registrar at other
 * times.
 *
 * @param wire the way to it, where that can be cut.
 */
export async function openTestRegistry(
  data: string,
  clock: Clock,
  environment: Readonly<Record<string, string>>,
  wire?: CuttableWire,
): Promise<TestRegistry> {
  const { ca, tls } = await (certificates ??= makeCertificates());
  const { sandboxLatencyMs, sandboxLimboMs, sandboxLateMs } = readConfiguration(environment);
  const sandbox = openSandbox({
    path: join(data, registryFile),
    clock,
    latencyMs: sandboxLatencyMs / commandsOfACall,
    limboMs: sandboxLimboMs,
    lateMs: sandboxLateMs,
  });
  const accounts = new Map([
    [account, password],
    [otherAccount, password],
  ]);
  const server = await serveRegistry({ sandbox, clock, tls, accounts });
  const way = await wire?.open(server.port, { ca, tls });
  const openAs = (user: string) =>
    openEppRegistrar({
      registry: "generic",
      name: "the test's own",
      server: { host: server.host, port: server.port, ca },
      user,
      password,
      sessions: 1,
      timeLimitMs: 60_000,
      timing: clock,
      installation: () => Promise.resolve({ part: "t3sts0", knowsPlainIds: false, isCopy: false }),
    });
  const [client, other] = [openAs(account), openAs(otherAccount)];
  const caFile = join(data, "registry-ca.pem");
  writeFileSync(caFile, ca);
  return {
    other: other.registrar,
    environment: {
      HOSTLEDGER_REGISTRAR: "epp",
      HOSTLEDGER_EPP_URL: `epps://127.0.0.1:${String(way?.port ?? server.port)}`,
      HOSTLEDGER_EPP_USER: account,
      HOSTLEDGER_EPP_PASSWORD: password,
      HOSTLEDGER_EPP_CA: caFile,
      HOSTLEDGER_EPP_NAME: "sandbox",
      HOSTLEDGER_EPP_SESSIONS: "63",
      HOSTLEDGER_QUIET_MS: "10000",
    },
    staff: ({ domains, ...others }) => ({
      ...others,
      domains: {
        ...domains,
        showSandbox: async (...asked) => {
          const shown = await domains.showSandbox(...asked);
          // The registry carries out late orders before its next answer; this call triggers them.
          await client.registrar.check("nobody.example");
          const { registrar } = sandbox.show();
          return {
            ...shown,
            registrar: registrar.map(({ nameservers, hold = false, ...held }) => ({
              ...held,
              nameservers: [...nameservers],
              hold,
              $typeName: "hosting.admin.v1.SandboxDomain",
            })),
          };
        },
      },
    }),
    async close() {
      await client.close();
      await other.close();
      await way?.close();
      await server.close();
      sandbox.close();
    },
  };
}

const account = "sandbox";
const otherAccount = "other";
const password = "password-of-the-registry";

/** Of the registrar's port: an order is as many commands of EPP. */
const commandsOfACall = 4;

async function makeCertificates(): Promise<WireCertificates> {
  const authority = await makeAuthority("test registry CA");
  return {
    ca: authority.certificate,
    tls: await certify(authority, { commonName: "test registry", hosts: ["127.0.0.1"] }),
  };
}
