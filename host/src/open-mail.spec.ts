import { expect, it } from "vitest";

import { describeConfiguration, readConfiguration } from "./configuration/index.ts";
import { mailMistakes, openMail } from "./open-mail.ts";

const url = "smtps://ada:canary-password@mail.example.com";
const whole = { HOSTLEDGER_SMTP_URL: url, HOSTLEDGER_MAIL_FROM: "hosting@example.com" };

it("sends no mail without a mail server", () => {
  expect([openMail(readConfiguration({})), mailMistakes(readConfiguration({}))]).toEqual([undefined, []]);
  expect(openMail(readConfiguration(whole))).toEqual({ url, from: "hosting@example.com" });
});

it("requires a sender", () => {
  expect(mailMistakes(readConfiguration({ HOSTLEDGER_SMTP_URL: url }))).toEqual([
    expect.stringMatching(/^HOSTLEDGER_MAIL_FROM must name /),
  ]);
});

it("hides the password", () => {
  expect(JSON.stringify(describeConfiguration(readConfiguration(whole)))).not.toContain("canary");
});

it.each([
  ["SMTP_URL", "https://mail.example.com"],
  ["SMTP_URL", "smtp://"],
  ["SMTP_URL", "smtp://user:%zz@mail.example.com"],
  ["SMTP_URL", "smtp://mail.example.com/path"],
  ["MAIL_FROM", "hosting"],
  ["MAIL_FROM", "hosting@example.com\r\nBcc: eve@example.com"],
  ["MAIL_FROM", "a@example.com, b@example.com"],
  ["MAIL_BOUNCES", "bounces"],
])("refuses HOSTLEDGER_%s=%j", (name, value) => {
  expect(() => readConfiguration({ ...whole, [`HOSTLEDGER_${name}`]: value })).toThrow(
    `HOSTLEDGER_${name} must be`,
  );
});
