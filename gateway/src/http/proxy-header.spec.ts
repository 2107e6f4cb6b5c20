import { describe, expect, it } from "vitest";

import { readProxyHeader } from "./proxy-header.ts";

const signature = "0d0a0d0a000d0a515549540a";
const ports = "d43101bb";

/** Returns a version 2 header from hexadecimal digits after the signature. */
const binary = (digits: string): Buffer => Buffer.from(signature + digits, "hex");
const line = (text: string): Buffer => Buffer.from(text, "latin1");

const tcp4 = binary(`2111000cc6336407c0000201${ports}`);
const tcp6 = binary(`21210024${"20010db8".padEnd(31, "0")}7${"20010db8".padEnd(31, "0")}8${ports}`);
const longestLine = `PROXY TCP6 ${"ffff:".repeat(7)}ffff ${"ffff:".repeat(7)}ffff 65535 65535\r\n`;

describe("a PROXY header", () => {
  it.each<[string, Buffer, string | undefined]>([
    ["version 1, IPv4", line("PROXY TCP4 198.51.100.7 192.0.2.1 56324 443\r\n"), "198.51.100.7"],
    ["version 1, IPv6", line("PROXY TCP6 2001:db8::7 2001:db8::8 56324 443\r\n"), "2001:db8::7"],
    ["version 1, as long as any", line(longestLine), `${"ffff:".repeat(7)}ffff`],
    ["version 1, the proxy itself", line("PROXY UNKNOWN\r\n"), undefined],
    ["version 1, the proxy itself, with text", line("PROXY UNKNOWN ffff::1 x y\r\n"), undefined],
    ["version 2, IPv4", tcp4, "198.51.100.7"],
    ["version 2, IPv6", tcp6, "2001:0db8:0000:0000:0000:0000:0000:0007"],
    [
      "version 2, IPv4 in IPv6",
      binary(`21210024${"ffffc6336407".padStart(32, "0")}${"1".padStart(32, "0")}${ports}`),
      "::ffff:198.51.100.7",
    ],
    ["version 2, with additions", binary(`21110013c6336407c0000201${ports}04000461626364`), "198.51.100.7"],
    ["version 2, the proxy itself", binary("20000000"), undefined],
    ["version 2, the proxy itself, with addresses", binary(`2011000cc6336407c0000201${ports}`), undefined],
  ])("names the client: %s", (_what, bytes, clientAddress) => {
    const complete = { status: "complete", lengthBytes: bytes.length, clientAddress };
    expect(readProxyHeader(bytes)).toEqual(complete);
    // The client's own bytes follow the header.
    expect(readProxyHeader(Buffer.concat([bytes, line("GET / HTTP/1.1\r\n\r\n")]))).toEqual(complete);
    // Every shorter prefix is incomplete.
    for (let length = 0; length < bytes.length; length += 1)
      expect(readProxyHeader(bytes.subarray(0, length))).toEqual({ status: "incomplete" });
  });

  it.each<[string, Buffer]>([
    ["a request without one", line("GET / HTTP/1.1\r\n\r\n")],
    ["a TLS handshake", Buffer.from("160301", "hex")],
    ["a line that does not end", line(`PROXY TCP4 ${"1".repeat(101)}`)],
    ["a line that ends too late", line(`PROXY UNKNOWN ${"x".repeat(92)}\r\n`)],
    ["an address of the other family", line("PROXY TCP4 2001:db8::7 2001:db8::8 1 2\r\n")],
    ["no address", line("PROXY TCP4 999.1.1.1 192.0.2.1 1 2\r\n")],
    ["an address with a zone", line("PROXY TCP6 fe80::1%eth0 2001:db8::8 1 2\r\n")],
    ["a family that there is not", line("PROXY UDP4 198.51.100.7 192.0.2.1 1 2\r\n")],
    ["two spaces", line("PROXY  TCP4 198.51.100.7 192.0.2.1 1 2\r\n")],
    ["a line feed alone", line("PROXY TCP4 198.51.100.7 192.0.2.1 1 2\n\r\n")],
    ["version 3", binary(`3111000cc6336407c0000201${ports}`)],
    ["a command that there is not", binary(`2211000cc6336407c0000201${ports}`)],
    ["datagrams", binary(`2112000cc6336407c0000201${ports}`)],
    ["less than the addresses take", binary(`2111000bc6336407c0000201${ports}`)],
    ["4 KiB of additions, at the first byte that says so", binary("21111000")],
  ])("is invalid: %s", (_what, bytes) => {
    expect(readProxyHeader(bytes)).toEqual({ status: "malformed" });
  });
});
