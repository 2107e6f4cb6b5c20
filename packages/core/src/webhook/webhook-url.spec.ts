import { describe, expect, it } from "vitest";

import { isPublicAddress, isReachable, parseWebhookUrl } from "./webhook-url.ts";

describe("an address that webhooks may reach", () => {
  it.each(["8.8.8.8", "1.1.1.1", "172.32.0.1", "::ffff:8.8.8.8", "2606:4700::1111", "2a00:1450::1"])(
    "includes the Internet: %s",
    (address) => {
      expect(isPublicAddress(address)).toBe(true);
    },
  );

  it.each([
    "127.0.0.1",
    "0.0.0.0",
    "10.0.0.8",
    "172.16.0.1",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "224.0.0.1",
    "255.255.255.255",
    "::1",
    "::",
    "::ffff:127.0.0.1",
    "::ffff:7f00:1",
    "::127.0.0.1",
    "64:ff9b::7f00:1",
    "2002:7f00:1::",
    "2001:db8::1",
    "fd00::1",
    "fe80::1",
    "ff02::1",
    "localhost",
    "",
    "0177.0.0.1",
  ])("excludes only our own networks: %s", (address) => {
    expect(isPublicAddress(address)).toBe(false);
    expect(isReachable(address, [])).toBe(false);
  });

  it("includes an allowed network", () => {
    expect(isReachable("127.0.0.1", ["127.0.0.0/8"])).toBe(true);
    expect(isReachable("::1", ["127.0.0.0/8"])).toBe(false);
  });
});

describe("a webhook's URL", () => {
  it.each([
    "https://hooks.example/a?b=c",
    "http://hooks.example:8080",
    "https://hooks.example:8443",
    "http://hooks.example:80",
  ])("is taken: %s", (url) => {
    expect(parseWebhookUrl(url)).toEqual({ ok: true, value: url });
  });

  it.each([
    ["", "must be a URL"],
    ["hooks.example", "must be a URL"],
    ["https://a\nb.example", "must be a URL"],
    ["https://hooks\u200b.example/", "must hold no invisible characters: remove U+200B"],
    ["https://hooks.example/a\ufe0fb", "must hold no invisible characters: remove U+FE0F"],
    [
      "https://hooks.example/\u202egpj.a",
      "must hold no marks that turn the direction of text: remove U+202E",
    ],
    ["ftp://hooks.example", "must begin with https:// or http://"],
    ["file:///etc/passwd", "must begin with https:// or http://"],
    ["gopher://hooks.example", "must begin with https:// or http://"],
    ...[0, 22, 25, 53, 110, 143, 389, 445, 587, 993, 3306, 5432, 6379, 6667, 11211].map(
      (port): [string, string] => [
        `https://hooks.example:${String(port)}/`,
        `must not name port ${String(port)}, which is not for HTTP`,
      ],
    ),
    ["https://user@hooks.example", "must not name a user or a password"],
    ["https://:secret@hooks.example", "must not name a user or a password"],
    [`https://hooks.example/${"x".repeat(1_000)}`, "must have at most 1000 characters"],
  ])("is refused: %s", (url, error) => {
    expect(parseWebhookUrl(url)).toEqual({ ok: false, error });
  });
});
