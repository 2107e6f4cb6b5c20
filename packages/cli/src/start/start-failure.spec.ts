import { createServer } from "node:net";
import { ConfigurationError, DataDirectoryError } from "@hostledger/runtime";
import { listen } from "@hostledger/runtime/testing";
import { describe, expect, it } from "vitest";
import { refused } from "../exit-code.ts";
import { startFailure } from "./start-failure.ts";

function systemError(properties: object): Error {
  return Object.assign(new Error("as the system says it"), properties);
}

const listening = { syscall: "listen", address: "127.0.0.1", port: 8080 };

describe("startFailure", () => {
  it.each([
    [
      { ...listening, code: "EADDRINUSE" },
      "Port 8080 of 127.0.0.1 is taken: choose another port with --port or --admin-port.",
    ],
    [
      { ...listening, code: "EACCES", port: 80 },
      "Port 80 of 127.0.0.1 needs a permission that this user lacks: choose a port of 1024 or more.",
    ],
    [
      { ...listening, code: "EADDRNOTAVAIL" },
      "Port 8080 of 127.0.0.1 is no address of this machine: choose another with --host.",
    ],
    [
      { code: "ENOTFOUND", syscall: "getaddrinfo", hostname: "nowhere" },
      "nowhere is an unknown host name: choose another with --host.",
    ],
    [{ code: "EROFS", syscall: "open", path: "/data/x" }, "The disk that holds /data/x is read-only."],
    [{ code: "ENOSPC", syscall: "write" }, "The disk that holds /data is full."],
    [
      { code: "ERR_SQLITE_ERROR", errcode: 8 },
      "A database in the data directory cannot be written: the disk or the file is read-only.",
    ],
    [{ code: "ERR_SQLITE_ERROR", errcode: 13 }, "The disk of the data directory is full."],
  ])("explains %j", (properties, sentence) => {
    const { failure, explained } = startFailure(systemError(properties), "/data");
    expect({ exitCode: failure.exitCode, message: failure.message, explained }).toEqual({
      exitCode: 1,
      message: sentence,
      explained: true,
    });
  });
});

describe("an error that is none of the machine's", () => {
  it("passes sentences on unchanged", () => {
    expect(startFailure(new DataDirectoryError("It is full."), "/data").failure.message).toBe("It is full.");
    const mistakes = startFailure(new ConfigurationError(["One.", "Two."]), "/data").failure;
    expect([mistakes.exitCode, mistakes.message]).toEqual([2, "One.\nTwo."]);
    const failure = refused("No.");
    expect(startFailure(failure, "/data").failure).toBe(failure);
  });

  it("looks for the reason behind an error that wraps it", () => {
    const cause = systemError({ ...listening, code: "EADDRINUSE" });
    const { failure, explained } = startFailure(new Error("Cannot listen.", { cause }), "/data");
    expect(failure.message).toMatch(/^Port 8080 of 127\.0\.0\.1 is taken/);
    expect(explained).toBe(true);
  });

  it("quotes an error of a class of our own, which needs no stack trace", () => {
    class EventStoreFailedError extends Error {
      override readonly name = "EventStoreFailedError";
    }
    const cause = systemError({ code: "ERR_SQLITE_ERROR", errcode: 26 });
    const error = new EventStoreFailedError("events.sqlite is no event store", { cause });
    const { failure, explained } = startFailure(error, "/data");
    expect(failure.message).toBe("Hostledger had to stop: events.sqlite is no event store");
    expect(explained).toBe(true);
  });

  it.each([
    new TypeError("x is not a function"),
    systemError({ code: "ERR_SQLITE_ERROR", errcode: 1 }),
    systemError({ code: "ERR_INVALID_ARG_TYPE" }),
  ])("quotes a bug, and refers to the log for the whole of it", (error) => {
    const { failure, explained } = startFailure(error, "/data");
    expect(failure.message).toBe(`Hostledger had to stop: ${error.message}`);
    expect(explained).toBe(false);
  });

  it("quotes a thrown thing that is no error", () => {
    expect(startFailure("thrown", "/data").failure.message).toBe("Hostledger had to stop: thrown");
  });

  it("recognises a port that is really taken", async () => {
    const first = createServer();
    const port = await listen(first);
    const second = createServer();
    const failed = new Promise<unknown>((resolve) => second.once("error", resolve));
    second.listen({ host: "127.0.0.1", port });
    expect(startFailure(await failed, "/data").failure.message).toMatch(/^Port \d+ of 127\.0\.0\.1 is taken/);
    first.close();
  });
});
