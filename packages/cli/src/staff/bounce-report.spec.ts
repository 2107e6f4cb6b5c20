import { describe, expect, it } from "vitest";

import { bounceMail } from "../testing/bounce-mail.ts";
import { readBounces } from "./bounce-report.ts";

const noticeId = "msg_0123456789abcdef0123456789abcdef";

async function* pieces(text: string, size = 1_000) {
  for (let at = 0; at < text.length; at += size) yield Buffer.from(text.slice(at, at + size));
  await Promise.resolve();
}
const read = (text: string) => readBounces(pieces(text));

const failed = [{ noticeId, recipient: "ada@example.org", status: "5.1.1" }];

describe("a report of a mail server", () => {
  it.each([
    ["with the whole mail", bounceMail({ noticeId })],
    ["with the mail's headers alone", bounceMail({ noticeId, returned: "text/rfc822-headers" })],
    ["with line feeds alone", bounceMail({ noticeId }).replaceAll("\r\n", "\n")],
    [
      "with parts in base64",
      bounceMail({ noticeId, encode: (text) => Buffer.from(text).toString("base64"), encoding: "base64" }),
    ],
    ["in other letters", bounceMail({ noticeId, action: "FAILED", type: "RFC822;" })],
  ])("%s names the notice, the address and why", async (_what, report) => {
    expect(await read(report)).toEqual(failed);
  });

  it("names our original address of forwarded mail", async () => {
    const report = bounceMail({ noticeId, finalRecipient: "elsewhere@example.net" });
    expect(await read(report)).toEqual(failed);
  });

  it("has no failure while the mail is only late", async () => {
    for (const action of ["delayed", "delivered", "relayed", "expanded"])
      expect(await read(bounceMail({ noticeId, action, status: "4.4.1" }))).toEqual([]);
  });

  it("is read for ten recipients", async () => {
    const many = Array.from({ length: 50 }, (_, at) => `ada-${String(at)}@example.org`);
    expect(await read(bounceMail({ noticeId, recipients: many }))).toHaveLength(10);
  });

  it.each([
    ["nothing at all", "", "no delivery status notification"],
    [
      "a customer's answer",
      "From: ada@example.org\r\nSubject: Re:\r\n\r\nThank you",
      "no delivery status notification",
    ],
    ["bytes", "\u0000\u0001\u0002".repeat(100), "no delivery status notification"],
    ["a report about another mail", bounceMail({ noticeId: "other" }), "no Message-ID of this installation"],
  ])("is refused if it is %s", async (_what, report, why) => {
    await expect(read(report)).rejects.toThrow(why);
  });

  it("is not read behind 20 MB", async () => {
    let taken = 0;
    const endless = (async function* () {
      for (;;) {
        taken += 1;
        yield Buffer.alloc(1_000_000, "x");
        await Promise.resolve();
      }
    })();
    await expect(readBounces(endless)).rejects.toThrow("too large");
    expect(taken).toBe(21);
  });
});
