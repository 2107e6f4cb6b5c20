import { BlockList, isIP } from "node:net";

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

/** Returns true if only this machine reaches the host (RFC 1122 §3.2.1.3, RFC 4291 §2.5.3, RFC 6761 §6.3). */
export function isLoopback(host: string): boolean {
  const family = isIP(host);
  return family === 0
    ? host.toLowerCase() === "localhost"
    : loopback.check(host, family === 4 ? "ipv4" : "ipv6");
}
