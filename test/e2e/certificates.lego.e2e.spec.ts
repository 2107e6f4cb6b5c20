import { spawn, spawnSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { startPowerdns, type PowerdnsServer } from "@hostledger/providers/testing";
import { systemClock } from "@hostledger/runtime";
import { eventually, freePort, temporaryDirectory } from "@hostledger/runtime/testing";
import { generate } from "selfsigned";
import { expect, it, onTestFinished } from "vitest";

import { itemsOf, objectOf } from "../support/matchers.ts";
import { openShop, registerName } from "../support/shop.ts";
import { registryFile } from "../support/tried-registrar.ts";

const dayMs = 86_400_000;

/** Debian's pebble: a certificate authority for tests, which looks for its proofs at this DNS server. */
async function startPebble(directory: string, dnsAddress: string): Promise<{ url: string; ca: string }> {
  const { cert, private: key } = await generate([{ name: "commonName", value: "localhost" }], {
    keyType: "ec",
    algorithm: "sha256",
    notBeforeDate: new Date(Date.now() - dayMs),
    notAfterDate: new Date(Date.now() + dayMs),
    extensions: [
      { name: "basicConstraints", cA: true },
      { name: "subjectAltName", altNames: [{ type: 7, ip: "127.0.0.1" }] },
    ],
  });
  const ca = join(directory, "pebble.pem");
  writeFileSync(ca, cert);
  writeFileSync(join(directory, "pebble.key"), key);
  const [port, managementPort] = [await freePort(), await freePort()];
  const pebble = {
    listenAddress: `127.0.0.1:${String(port)}`,
    managementListenAddress: `127.0.0.1:${String(managementPort)}`,
    certificate: ca,
    privateKey: join(directory, "pebble.key"),
    httpPort: 5_002,
    tlsPort: 5_001,
    ocspResponderURL: "",
    externalAccountBindingRequired: false,
  };
  writeFileSync(join(directory, "pebble.json"), JSON.stringify({ pebble }));
  const child = spawn("pebble", ["-config", join(directory, "pebble.json"), "-dnsserver", dnsAddress], {
    env: { ...process.env, PEBBLE_VA_NOSLEEP: "1", PEBBLE_WFE_NONCEREJECT: "0" },
    stdio: "ignore",
  });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  const url = `https://127.0.0.1:${String(port)}/dir`;
  await eventually(systemClock(), () => {
    const asked = spawnSync("openssl", ["s_client", "-connect", pebble.listenAddress], { input: "" });
    if (asked.status !== 0) throw new Error("pebble does not listen yet");
  });
  return { url, ca };
}

/** Runs lego without blocking the instance, which is in this process. */
async function lego(line: readonly string[], environment: Readonly<Record<string, string>>) {
  const child = spawn("lego", line, { env: { ...process.env, ...environment } });
  const said: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (text: Buffer) => said.push(text.toString("utf8")));
  const status = await new Promise<number | null>((resolve) => child.once("close", resolve));
  return { status, said: said.join("") };
}

async function setUp() {
  const directory = temporaryDirectory();
  onTestFinished(() => {
    directory.remove();
  });
  const server: PowerdnsServer = await startPowerdns();
  onTestFinished(() => server.remove());
  const shop = await openShop({
    environment: {
      HOSTLEDGER_DNS: "powerdns",
      HOSTLEDGER_POWERDNS_URL: server.url.origin,
      HOSTLEDGER_POWERDNS_API_KEY: server.apiKey,
    },
  });
  onTestFinished(() => shop.close());
  return { shop, path: directory.path, pebble: await startPebble(directory.path, server.dnsAddress), server };
}

it.each(["", "RAW"])("lego gets a certificate for a domain and all names in it (mode %j)", async (mode) => {
  const { shop, path, pebble, server } = await setUp();
  const { owner, instance } = shop;
  const domainId = await registerName(owner, "certified.com");
  const made = await owner.post("/keys", { label: "lego", scopes: ["dns:txt"] });
  const { key } = objectOf(made.body);
  const folder = join(path, "lego");
  mkdirSync(folder);
  const result = await lego(
    [
      "--server",
      pebble.url,
      "--email",
      "me@certified.com",
      "--accept-tos",
      "--path",
      folder,
      "--dns",
      "httpreq",
      "--dns.disable-cp",
      "--dns.resolvers",
      server.dnsAddress,
      "-d",
      "certified.com",
      "-d",
      "*.certified.com",
      "run",
    ],
    {
      LEGO_CA_CERTIFICATES: pebble.ca,
      HTTPREQ_ENDPOINT: `${new URL(instance.baseUrl).origin}/acme`,
      HTTPREQ_USERNAME: "lego",
      HTTPREQ_PASSWORD: String(key),
      ...(mode === "" ? {} : { HTTPREQ_MODE: mode }),
    },
  );
  expect(result.said).toContain("Server responded with a certificate");
  expect(result.status).toBe(0);
  const certificate = new X509Certificate(readFileSync(join(folder, "certificates/certified.com.crt")));
  expect(certificate.subjectAltName?.split(", ").toSorted()).toEqual([
    "DNS:*.certified.com",
    "DNS:certified.com",
  ]);
  // The name is at the test's registry over EPP, which is not the instance's own.
  const { registrar } = await instance.staff.domains.showSandbox({});
  expect(registrar.map(({ name }) => name)).toEqual(["certified.com"]);
  expect([registryFile, existsSync(join(instance.data, registryFile))]).toEqual(["registry.sqlite", true]);
  // No record of the proof is left.
  const { body } = await owner.get(`/domains/${String(domainId)}`);
  const types = itemsOf(objectOf(body).dns_records).map(({ type }) => type);
  expect(types).toEqual(["A", "A"]);
});
