import { readMetadata } from "@hostledger/core";
import { describe, expect, it } from "vitest";

import { writeMetadata, type CommandContext } from "./event-metadata.ts";

const context: CommandContext = { commandId: "c-1", correlationId: "r-1", actor: "account:7" };

describe("event metadata", () => {
  it("is read back as written; a command without a cause is its own", () => {
    expect(readMetadata(writeMetadata(context, "test/1"))).toEqual({
      ...context,
      causationId: "c-1",
      recordedBy: "test/1",
    });
    const full = { ...context, causationId: "e-1", requestId: "q-1", idempotencyKey: "k-1" };
    expect(readMetadata(writeMetadata(full, "test/1"))).toEqual({ ...full, recordedBy: "test/1" });
  });

  it("stores repeated members of one request once", () => {
    const request = { correlationId: "q-1", requestId: "q-1", actor: "account:7" };
    const ofRequest = { ...request, commandId: "charge/registration-7" };
    const own = writeMetadata(ofRequest, "test/1");
    expect(JSON.parse(own)).toEqual({
      actor: "account:7",
      requestId: "q-1",
      recordedBy: "test/1",
      commandId: "charge/registration-7",
    });
    expect(readMetadata(own)).toEqual({
      ...ofRequest,
      causationId: ofRequest.commandId,
      recordedBy: "test/1",
    });

    const ofProcess = { ...request, causationId: "registration-7", commandId: "registration-7/2/driver" };
    const caused = writeMetadata(ofProcess, "test/1");
    expect(JSON.parse(caused)).toEqual({
      causationId: "registration-7",
      actor: "account:7",
      requestId: "q-1",
      recordedBy: "test/1",
      step: "2/driver",
    });
    expect(readMetadata(caused)).toEqual({ ...ofProcess, recordedBy: "test/1" });
  });

  it.each([
    { commandId: "", correlationId: "", actor: "" },
    { commandId: "/", causationId: "", correlationId: "r-1", actor: "account:7" },
    { commandId: "e-1", causationId: "e-1/2", correlationId: "r-1", actor: "account:7" },
    { commandId: "e-1/", causationId: "e-1", correlationId: "r-1", actor: "account:7", requestId: "" },
  ])("is restored, whatever its ids begin with: %j", (one) => {
    const { causationId = one.commandId } = one;
    expect(readMetadata(writeMetadata(one, "t"))).toEqual({ ...one, causationId, recordedBy: "t" });
  });

  it("is read in the form in which every member was written", () => {
    const every = {
      ...context,
      causationId: "c-1",
      correlationId: "q-1",
      requestId: "q-1",
      recordedBy: "test/0",
    };
    expect(readMetadata(JSON.stringify(every))).toEqual(every);
  });

  it("leaves out unknown members", () => {
    const text = JSON.stringify({ ...context, causationId: "c-1", recordedBy: "test/2", shoeSize: 42 });
    expect(readMetadata(text)).not.toHaveProperty("shoeSize");
  });

  it.each([
    ["{", "event metadata: it is not JSON"],
    ["null", "event metadata: it is not a JSON object"],
    ["[]", "event metadata: commandId is missing"],
    ['{"step":"2"}', "event metadata: causationId is missing"],
    ['{"commandId":"c-1"}', "event metadata: correlationId is missing"],
    [JSON.stringify({ ...context, causationId: "c", actor: 7 }), "event metadata: actor is not a text"],
    [
      JSON.stringify({ ...context, causationId: "c", requestId: null }),
      "event metadata: requestId is not a text",
    ],
  ])("refuses %s", (text, sentence) => {
    expect(() => readMetadata(text)).toThrow(sentence);
  });
});
