import { chmod, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { directoryOfTest } from "@hostledger/runtime/testing";
import { beforeEach, describe, expect, it } from "vitest";
import { CommandFailure } from "../exit-code.ts";
import { removeInstance, writeInstance } from "./instance-file.ts";
import { findStaffAddress } from "./staff-address.ts";

let data = "";
const instance = {
  base_url: "http://127.0.0.1:8080/api/v1",
  admin_url: "http://127.0.0.1:8081",
  rpc_url: "http://127.0.0.1:8082",
  pid: 4711,
};

beforeEach(() => {
  data = directoryOfTest();
});

function failureOf(...[options, environment]: Parameters<typeof findStaffAddress>): CommandFailure {
  try {
    findStaffAddress(options, environment);
  } catch (error) {
    if (error instanceof CommandFailure) return error;
    throw error;
  }
  throw new Error("An address was found.");
}

describe("the instance on a data directory", () => {
  it("is found through its files, with any spelling of the directory", async () => {
    writeInstance(data, instance);
    await writeFile(join(data, "admin.token"), "token-of-the-file\n");
    const found = { url: instance.admin_url, token: "token-of-the-file" };
    expect(findStaffAddress({ data }, {})).toEqual(found);
    expect(findStaffAddress({}, { HOSTLEDGER_DATA: data })).toEqual(found);
    expect(findStaffAddress({ data }, { HOSTLEDGER_DATA: "/nowhere" })).toEqual(found);
    expect(findStaffAddress({ data }, { HOSTLEDGER_ADMIN_TOKEN: "of-another" })).toEqual(found);
  });

  it("is called with a person's own token, if the environment has one", async () => {
    writeInstance(data, instance);
    await writeFile(join(data, "admin.token"), "token-of-the-file\n");
    expect(findStaffAddress({ data }, { HOSTLEDGER_ADMIN_TOKEN: "hls_of-anna" }).token).toBe("hls_of-anna");
  });

  it("may have its token from the environment instead of a file", () => {
    writeInstance(data, instance);
    const found = findStaffAddress({ data }, { HOSTLEDGER_ADMIN_TOKEN: "token-of-the-environment" });
    expect(found.token).toBe("token-of-the-environment");
  });

  it("cannot be reached when it does not run", () => {
    const failure = failureOf({ data }, {});
    expect(failure.exitCode).toBe(3);
    expect(failure.message).toMatch(/^No instance runs on .* Start one with "hostledger start"/);
  });

  it("cannot be reached after its file is removed, and removing it twice is safe", () => {
    writeInstance(data, instance);
    removeInstance(data);
    removeInstance(data);
    expect(failureOf({ data }, {}).exitCode).toBe(3);
  });

  it.each(["", "{", "[]", '{"admin_url":1}'])("cannot be reached through the file %j", async (text) => {
    await writeFile(join(data, "instance.json"), text);
    const failure = failureOf({ data }, {});
    expect(failure.exitCode).toBe(3);
    expect(failure.message).toMatch(/instance\.json is not the file of a running instance\.$/);
  });

  it("cannot be reached without its token", () => {
    writeInstance(data, instance);
    expect(failureOf({ data }, {}).exitCode).toBe(3);
  });

  it("refuses a token that no header could carry", async () => {
    writeInstance(data, instance);
    await writeFile(join(data, "admin.token"), "two\nlines");
    const failure = failureOf({ data }, {});
    expect(failure.exitCode).toBe(1);
    expect(failure.message).not.toContain("two");
  });
});

describe("the file of an instance", () => {
  it("is readable by its owner only, also if it replaces a readable one", async () => {
    const path = join(data, "instance.json");
    await writeFile(path, "old");
    await chmod(path, 0o644);
    writeInstance(data, instance);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });
});

describe("a named instance", () => {
  it("reads its token from the environment and from no file", () => {
    const environment = { HOSTLEDGER_ADMIN_TOKEN: "token", HOSTLEDGER_DATA: data };
    const found = findStaffAddress({ adminUrl: "https://x:1" }, environment);
    expect(found).toEqual({ url: "https://x:1", token: "token" });
  });

  it("never gets the token of the local instance", async () => {
    writeInstance(data, instance);
    await writeFile(join(data, "admin.token"), "token-of-the-file");
    const failure = failureOf({ adminUrl: "http://x" }, { HOSTLEDGER_DATA: data });
    expect(failure.exitCode).toBe(2);
    expect(failure.message).toContain("HOSTLEDGER_ADMIN_TOKEN");
  });

  it("is not named beside a data directory", () => {
    const failure = failureOf({ adminUrl: "http://x", data }, { HOSTLEDGER_ADMIN_TOKEN: "token" });
    expect(failure).toMatchObject({ exitCode: 2, message: expect.stringContaining("name one of them") });
  });

  it.each(["", "localhost:8081", "ftp://x", "nonsense"])("must be a URL, which %j is not", (adminUrl) => {
    const failure = failureOf({ adminUrl }, { HOSTLEDGER_ADMIN_TOKEN: "token" });
    expect(failure.exitCode).toBe(2);
  });
});
