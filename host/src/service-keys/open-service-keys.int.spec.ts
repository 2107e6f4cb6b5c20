import { readFileSync } from "node:fs";
import { join } from "node:path";

import { silentLogger, systemClock } from "@hostledger/runtime";
import { directoryOfTest } from "@hostledger/runtime/testing";
import { describe, expect, it } from "vitest";

import { readConfiguration } from "../configuration/index.ts";
import { makeServiceKeys } from "./make-service-keys.ts";
import { openPartKeys } from "./open-service-keys.ts";

/** Starts with the keys of the account service as the environment names them. */
function open(environment: Readonly<Record<string, string>>): void {
  const configuration = readConfiguration({ HOSTLEDGER_DATA: directoryOfTest(), ...environment });
  openPartKeys("account", { configuration, clock: systemClock(), logger: silentLogger() });
}

/** The keys of a deployment. */
function keysOf(directory: string): { readonly keyFile: string; readonly publicKeys: string } {
  return { keyFile: join(directory, "account.key"), publicKeys: makeServiceKeys(directory).publicKeys };
}

describe("the key of a part that runs alone", () => {
  it("is taken where it is among the public ones, after it was changed too", () => {
    const directory = directoryOfTest();
    const { keyFile, publicKeys } = keysOf(directory);
    open({ HOSTLEDGER_SERVICE_KEY_FILE: keyFile, HOSTLEDGER_SERVICE_JWKS_FILE: publicKeys });
    makeServiceKeys(directory, "account");
    open({
      HOSTLEDGER_SERVICE_KEY_FILE: keyFile,
      HOSTLEDGER_SERVICE_JWKS: readFileSync(publicKeys, "utf8"),
    });
  });

  it("is refused at the start where it is not, with its file and the list", () => {
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
