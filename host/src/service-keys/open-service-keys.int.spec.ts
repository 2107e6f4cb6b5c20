import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { silentLogger, systemClock } from "@hostledger/runtime";
import { directoryOfTest } from "@hostledger/runtime/testing";
import { describe, expect, it } from "vitest";

import { readConfiguration } from "../configuration/index.ts";
import { makeServiceKeys } from "./make-service-keys.ts";
import { openOwnKeys, openPartKeys } from "./open-service-keys.ts";

/** Starts with the keys of the account service as the environment names them. */
function open(environment: Readonly<Record<string, string>>): void {
  const configuration = readConfiguration({ HOSTLEDGER_DATA: directoryOfTest(), ...environment });
  openPartKeys("account", { configuration, clock: systemClock(), logger: silentLogger() });
}

/** The keys of a deployment. */
function keysOf(directory: string): { readonly keyFile: string; readonly publicKeys: string } {
  return { keyFile: join(directory, "account.key"), publicKeys: makeServiceKeys(directory).publicKeys };
}

describe("the list of public keys", () => {
  it("is rebuilt from the private keys after its loss, with the same keys", () => {
    const directory = directoryOfTest();
    const { publicKeys } = makeServiceKeys(directory);
    const listed = (): unknown => JSON.parse(readFileSync(publicKeys, "utf8"));
    const before = listed();
    rmSync(publicKeys);
    expect(makeServiceKeys(directory).made).toEqual([]);
    expect(listed()).toEqual(before);
    writeFileSync(publicKeys, JSON.stringify({ keys: [] }));
    makeServiceKeys(directory);
    expect(listed()).toEqual(before);
  });

  it("retains the earlier key of a rotated part after the list was lost", () => {
    const directory = directoryOfTest();
    const { publicKeys } = makeServiceKeys(directory);
    const before = readFileSync(publicKeys, "utf8");
    rmSync(publicKeys);
    makeServiceKeys(directory, "account");
    const kidsIn = (text: string): readonly string[] => text.match(/"kid": "[^"]+"/g) ?? [];
    expect(kidsIn(readFileSync(publicKeys, "utf8"))).toEqual(expect.arrayContaining([...kidsIn(before)]));
    expect(kidsIn(readFileSync(publicKeys, "utf8"))).toHaveLength(kidsIn(before).length + 1);
  });
});

describe("the keys of a process with all parts", () => {
  const openOwn = (data: string) =>
    openOwnKeys({
      configuration: readConfiguration({ HOSTLEDGER_DATA: data }),
      clock: systemClock(),
      logger: silentLogger(),
    });

  it.each(["jwks.json", "account.key"])("are created again if %s is damaged", (name) => {
    const data = directoryOfTest();
    const path = join(data, "service-keys", name);
    openOwn(data);
    writeFileSync(path, "garbage");
    expect(openOwn(data)("account").issue({ kind: "service", name: "account" })).toMatch(/\S/);
    expect(readFileSync(`${path}.damaged`, "utf8")).toBe("garbage");
    expect(JSON.parse(readFileSync(path, "utf8"))).toBeTypeOf("object");
  });
});

describe("the key of a part that runs alone", () => {
  it("is used if it is among the public keys, also after a change", () => {
    const directory = directoryOfTest();
    const { keyFile, publicKeys } = keysOf(directory);
    open({ HOSTLEDGER_SERVICE_KEY_FILE: keyFile, HOSTLEDGER_SERVICE_JWKS_FILE: publicKeys });
    makeServiceKeys(directory, "account");
    open({
      HOSTLEDGER_SERVICE_KEY_FILE: keyFile,
      HOSTLEDGER_SERVICE_JWKS: readFileSync(publicKeys, "utf8"),
    });
  });

  it("is refused at the start if it is not, naming its file and the list", () => {
    const { keyFile } = keysOf(directoryOfTest());
    const { publicKeys: others } = keysOf(directoryOfTest());
    const key = { HOSTLEDGER_SERVICE_KEY_FILE: keyFile };
    expect(() => {
      open({ ...key, HOSTLEDGER_SERVICE_JWKS_FILE: others });
    }).toThrow(`in the file ${keyFile} is not among the public keys in the file ${others}:`);
    expect(() => {
      open({ ...key, HOSTLEDGER_SERVICE_JWKS: readFileSync(others, "utf8") });
    }).toThrow("is not among the public keys in HOSTLEDGER_SERVICE_JWKS:");
  });
});
