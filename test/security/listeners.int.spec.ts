import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect } from "node:tls";

import { testAuthority, type TestAuthority } from "@hostledger/rpc/testing";
import { temporaryDirectory } from "@hostledger/runtime/testing";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { hostledger } from "../support/command-line.ts";
import { hostledgerInProcess } from "../support/command-in-process.ts";
import { startInstanceProcess, type InstanceProcess } from "../support/instance-process.ts";

let authority: TestAuthority;
let directory: ReturnType<typeof temporaryDirectory>;
beforeAll(async () => {
  authority = await testAuthority("operators");
});
beforeEach(() => {
  directory = temporaryDirectory();
});
afterEach(() => {
  directory.remove();
});

const file = (name: string): string => join(directory.path, name);

/** Writes a certificate and its key, and answers the settings that name them. */
async function certificateFiles(requested = {}): Promise<Readonly<Record<string, string>>> {
  const { certificate, key } = await authority.certify(requested);
  writeFileSync(file("part.crt"), certificate);
  writeFileSync(file("part.key"), key);
  return { HOSTLEDGER_TLS_CERTIFICATE: file("part.crt"), HOSTLEDGER_TLS_KEY: file("part.key") };
}

/** Tries to start an instance that must not come up. */
const refusedStart = (environment: Readonly<Record<string, string>>, ...line: readonly string[]) =>
  hostledgerInProcess(
    { HOSTLEDGER_PORT: "0", HOSTLEDGER_ADMIN_PORT: "0", HOSTLEDGER_DATA: file("data"), ...environment },
    ...(line.length === 0 ? ["start"] : line),
  );

const parts = {
  HOSTLEDGER_ADMIN_TOKEN: "fedcba9876543210",
  HOSTLEDGER_EVENT_STORE: "esdb://127.0.0.1:1?tls=false",
};

describe("a listener that would speak clear text beyond this machine", () => {
  it.each<[string, Readonly<Record<string, string>>, string, string[]]>([
    ["customers'", { HOSTLEDGER_HOST: "0.0.0.0" }, "rest", []],
    ["staff's", { HOSTLEDGER_ADMIN_HOST: "0.0.0.0" }, "admin", []],
    ["the services'", { HOSTLEDGER_RPC_HOST: "::" }, "rpc", []],
    ["EventStoreDB's", { HOSTLEDGER_ESDB_HOST: "0.0.0.0", HOSTLEDGER_ESDB_PORT: "0" }, "esdb", []],
    ["the node's", { HOSTLEDGER_ESDB_HOST: "0.0.0.0" }, "esdb", ["node"]],
    ["a part's", { ...parts, HOSTLEDGER_RPC_HOST: "0.0.0.0" }, "rpc", ["service", "account"]],
    ["a gateway's", { ...parts, HOSTLEDGER_ADMIN_HOST: "0.0.0.0" }, "admin", ["service", "gateway"]],
  ])("is refused at the start: %s", async (_whose, environment, name, line) => {
    const { code, stdout, stderr } = await refusedStart(environment, ...line);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/^HOSTLEDGER_[A-Z_]*HOST [^\n]+ clear text[^\n]+\.\n$/);
    expect(stderr).toContain(`HOSTLEDGER_ALLOW_CLEAR_TEXT=${name}`);
    // The permission for one is none for another.
    const other = name === "rpc" ? "admin" : "rpc";
    const again = await refusedStart({ ...environment, HOSTLEDGER_ALLOW_CLEAR_TEXT: other }, ...line);
    expect(again).toEqual({ code, stdout, stderr });
  });

  it("is allowed by its name, and by no unknown name", async () => {
    const { code, stderr } = await refusedStart({ HOSTLEDGER_ALLOW_CLEAR_TEXT: "rpc,staff" });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^HOSTLEDGER_ALLOW_CLEAR_TEXT must be [^\n]*rest, admin, rpc, esdb[^\n]*\.\n$/);
  });
});

describe("a PROXY header that would be believed of nobody", () => {
  it.each([[["start"]], [["service", "gateway"]]])(
    "ends a start with one sentence and 2: %s",
    async (line) => {
      const urls = Object.fromEntries(
        ["ACCOUNT", "DOMAIN", "SERVER", "SUPPORT"].map((name) => [
          `HOSTLEDGER_${name}_URL`,
          "http://127.0.0.1:1",
        ]),
      );
      const gateway = line[0] === "start" ? {} : { ...parts, ...urls };
      expect(await refusedStart({ ...gateway, HOSTLEDGER_PROXY_PROTOCOL: "on" }, ...line)).toEqual({
        code: 2,
        stdout: "",
        stderr:
          "HOSTLEDGER_PROXY_PROTOCOL=on needs HOSTLEDGER_TRUSTED_PROXIES: the networks of the proxies that send the header.\n",
      });
    },
  );
});

describe("certificates that cannot be used end a start with one sentence and 2", () => {
  it("without a key, or with the key of another", async () => {
    const settings = await certificateFiles();
    const { HOSTLEDGER_TLS_CERTIFICATE = "" } = settings;
    expect(await refusedStart({ HOSTLEDGER_TLS_CERTIFICATE })).toMatchObject({
      code: 2,
      stderr: "HOSTLEDGER_TLS_CERTIFICATE and HOSTLEDGER_TLS_KEY go together.\n",
    });
    writeFileSync(file("part.key"), (await authority.certify()).key);
    const mismatched = await refusedStart(settings);
    expect(mismatched.code).toBe(2);
    expect(mismatched.stderr).toMatch(/^[^\n]*do not belong together[^\n]*\.\n$/);
  });

  it("expired, unreadable, missing", async () => {
    const expired = await refusedStart(await certificateFiles({ expired: true }));
    expect(expired.code).toBe(2);
    expect(expired.stderr).toMatch(/^[^\n]*has expired[^\n]*\.\n$/);
    writeFileSync(file("part.crt"), "-----BEGIN CERTIFICATE-----\nMII\n-----END CERTIFICATE-----\n");
    const settings = {
      HOSTLEDGER_TLS_CERTIFICATE: file("part.crt"),
      HOSTLEDGER_TLS_KEY: file("part.key"),
    };
    const unreadable = await refusedStart(settings);
    expect(unreadable.code).toBe(2);
    expect(unreadable.stderr).toMatch(/^[^\n]*no PEM text that can be read[^\n]*\.\n$/);
    const missing = await refusedStart({ ...settings, HOSTLEDGER_TLS_CERTIFICATE: file("none.crt") });
    expect(missing.code).toBe(2);
    expect(missing.stderr).toMatch(
      /^HOSTLEDGER_TLS_CERTIFICATE names a file [^\n]*there is no such file or directory[^\n]*\.\n$/,
    );
  });
});

describe("an instance with a certificate", () => {
  let running: InstanceProcess | undefined;
  afterAll(async () => {
    await running?.kill();
  });

  it("uses TLS for staff, services and EventStoreDB's clients, and a renewed certificate after SIGHUP", async () => {
    const settings = { ...(await certificateFiles()), HOSTLEDGER_LOG_LEVEL: "info" };
    const data = file("data");
    const flags = ["--esdb-port", "0"];
    running = await startInstanceProcess(data, { environment: settings, flags });
    await expect.poll(() => running?.stdout()).toMatch(/^event store \S+\n/m);
    const esdbUrl = running.stdout().replace(/^[^]*^event store esdb:(\S+)$[^]*$/m, "https:$1");
    const instance: unknown = JSON.parse(readFileSync(join(data, "instance.json"), "utf8"));
    const rpcUrl = String(Reflect.get(Object(instance), "rpc_url"));
    const { adminUrl } = running;
    expect(running.baseUrl).toMatch(/^http:/);
    const secured = [adminUrl, rpcUrl];
    for (const url of secured) {
      expect(url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
      await expect(fetch(`${url.replace("https:", "http:")}/healthz`)).rejects.toThrow();
    }
    // The command line of this machine knows whom it speaks to, with no setting at all.
    const listed = await hostledger("admin", "price", "list", "--data", data, "--json");
    expect(listed).toMatchObject({ code: 0, stderr: "" });

    const first = await shownBy(adminUrl);
    expect(await shownBy(rpcUrl)).toBe(first);
    expect(await shownBy(esdbUrl)).toBe(first);
    await certificateFiles();
    running.child.kill("SIGHUP");
    await expect.poll(() => shownBy(adminUrl)).not.toBe(first);
    const second = await shownBy(adminUrl);
    expect(await shownBy(rpcUrl)).toBe(second);
    expect(await shownBy(esdbUrl)).toBe(second);
    const after = await hostledger("admin", "price", "list", "--data", data, "--json");
    expect(after).toMatchObject({ code: 0, stderr: "" });

    // An unusable certificate changes nothing, and is logged.
    writeFileSync(file("part.key"), (await authority.certify()).key);
    running.child.kill("SIGHUP");
    await expect.poll(() => running?.stderr()).toContain("do not belong together");
    for (const url of [adminUrl, rpcUrl, esdbUrl]) expect(await shownBy(url)).toBe(second);
    expect(await running.stop()).toBe(0);
  });
});

/** The serial number of the certificate that is shown at an address. */
async function shownBy(url: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), ca: authority.ca });
  try {
    await once(socket, "secureConnect");
    return socket.getPeerCertificate().serialNumber;
  } finally {
    socket.destroy();
  }
}
